"""Many rows at once: one module a kind of input (relations, entities, relays) on one flow.

Reading files is for `files`, judging cells for `cells`.
"""
