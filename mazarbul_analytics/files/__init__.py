"""People's files as tables of text: CSV, JSON lines, Parquet, records; where an output may go.

What a cell means is told in `cells`.
"""
