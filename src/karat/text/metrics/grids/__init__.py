"""Settings of the text metrics under which figures are published."""
