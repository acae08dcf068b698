"""The archive of numbered records, and what it lacks.

How a gap report looks is for `reports`.
"""
