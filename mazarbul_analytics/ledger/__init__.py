"""Relations and entities: single writes, listings, analysis, points in time.

Imports of many rows are in `imports`.
"""
