"""The commands on meaning graphs: draw, analyze, validate, inspect, convert."""
