"""``karat inspect``: does a submission have all that is asked for?"""

from karat.cli.common.file_report import inquiry_command

inspect = inquiry_command(
    "inspect",
    "Count what files have of what gold asks for, before scoring them.\n\n"
    "Exits with 1 where something is missing.",
    gold=True,
)
