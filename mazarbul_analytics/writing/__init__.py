"""One writing call from lock to door: the session, the painting of versions, small files merged.

Which rows to write is decided by those who call.
"""
