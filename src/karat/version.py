"""The version of karat; the build reads it from here."""

VERSION = "0.3.0"
