"""Readers of the public packages behind data/, and the feed of changes made from them."""
