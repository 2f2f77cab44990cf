"""Published data sets, from the files as they are published to the files karat reads."""
