"""Tokens as vectors in context, by a language model in a local folder."""
