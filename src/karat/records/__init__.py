"""Structured output: JSON values, tool calls, spans, each against gold."""
