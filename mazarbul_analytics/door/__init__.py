"""What others open: the catalog for BI tools, its comments and extracts, the copy in PostgreSQL.

No question is answered here.
"""
