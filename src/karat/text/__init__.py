"""Texts: strings, or lists of sentences, against one or several references."""
