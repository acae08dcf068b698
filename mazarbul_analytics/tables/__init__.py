"""The Delta tables on disk: where they lie, what they hold, how a change is made durable.

Nothing here knows SQL, or what a row means.
"""
