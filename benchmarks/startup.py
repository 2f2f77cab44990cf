"""Start-up: what commands load and how many instructions that takes, beside the import of numpy.

    python benchmarks/startup.py [--instructions]

Instructions are counted by valgrind (callgrind), which takes a minute; they do not depend on
what else the machine does, as seconds do.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from pathlib import Path

from timing import header, race

EXAMPLES = Path(__file__).parents[1] / "examples"
TEXTS = "-g translation/gold.txt -s translation/careful.txt --json -"
TREES = "-g dependencies/small.gold.conllu -s dependencies/small.test.conllu --json -"
COMMANDS = [
    "--version",
    f"evaluate exact {TEXTS}",
    f"evaluate bleu {TEXTS}",
    f"evaluate ud {TREES}",
    "evaluate cogs -g forms/gold.tsv -s forms/seed1.tsv --json -",
    "evaluate bleu -g translation/gold.txt -s translation/careful.txt",
]
_SHOW = (
    "import atexit, sys; atexit.register(lambda: print(len(sys.modules), file=sys.stderr)); "
    "from karat.cli import main; main(sys.argv[1:])"
)


def run(*command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, check=True, capture_output=True, text=True, cwd=EXAMPLES)


def modules(arguments: list[str]) -> int:
    """How many modules are loaded when the command ends."""
    return int(run(sys.executable, "-c", _SHOW, *arguments).stderr.split()[-1])


def instructions(*command: str) -> int:
    """How many instructions a command takes."""
    with tempfile.TemporaryDirectory() as folder:
        counting = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={folder}/out"]
        found = run(*counting, *command).stderr
    return int(re.findall(r"Collected : (\d+)", found)[0])


def main() -> None:
    header("start-up")
    karat = str(Path(sys.executable).parent / "karat")
    if "--instructions" in sys.argv[1:]:
        alone = instructions(sys.executable, "-c", "import numpy, msgspec, click")
        print(f"import numpy, msgspec, click: {alone / 1e6:,.0f} million instructions")
        for command in COMMANDS:
            arguments = command.split()
            count = instructions(sys.executable, karat, *arguments)
            print(
                f"karat {' '.join(arguments[:2]):<24} {modules(arguments):4} modules "
                f"{count / 1e6:8,.0f} million instructions, {count / alone:.2f} times those"
            )
        return
    for command in COMMANDS:
        arguments = command.split()
        race(
            f"karat {' '.join(arguments[:2])} ({modules(arguments)} modules)",
            lambda a=arguments: run(karat, *a),
            lambda: run(sys.executable, "-c", "import numpy"),
            repeats=9,
        )


if __name__ == "__main__":
    main()
