"""What ``scripts/release`` does, step by step; see docs/releasing.md."""
