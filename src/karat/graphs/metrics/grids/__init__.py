"""The settings of graph metrics under which figures are published."""
