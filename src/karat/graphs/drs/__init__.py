"""Discourse representation structures: clauses, simplified box notation, and their matching."""
