"""What commands share: flags, outputs, and commands made from metrics and formats."""
