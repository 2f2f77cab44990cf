"""Shared parts of commands: options, output, and commands made from metrics and formats."""
