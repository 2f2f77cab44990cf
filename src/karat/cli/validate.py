"""``karat validate``: are these files as they should be?"""

from karat.cli.common.file_report import inquiry_command

validate = inquiry_command(
    "validate",
    "Check files against the rules of their format and framework.\n\n"
    "Exits with 1 where there are errors.",
)
