"""Keeping a store: making, optimizing, vacuuming, checking and counting it.

Nothing here changes an answer.
"""
