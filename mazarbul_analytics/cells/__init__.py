"""The rules of `rules` for a column at a time, on Polars frames.

Nothing here opens a file or the store.
"""
