"""``karat analyze``: what is in these files?"""

from karat.cli.common.file_report import inquiry_command

analyze = inquiry_command(
    "analyze", "Count what is in files: sizes, labels, and the shape of what they hold."
)
