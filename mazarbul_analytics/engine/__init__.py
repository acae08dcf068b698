"""DuckDB as we use it: its start, the texts of `sql/`, the views over a snapshot, data files.

No verb of the store belongs here.
"""
