"""Item scores that other tools made: their logs, tables of scores, and statistics over them."""
