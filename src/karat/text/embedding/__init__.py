"""Tokens as vectors in context, by a BERT model in a folder; computed with numpy alone."""
