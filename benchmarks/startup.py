"""Start-up: `karat --help` against the import of numpy alone."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from timing import header, race


def run(*command: str) -> None:
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


def main() -> None:
    header("start-up")
    karat = str(Path(sys.executable).parent / "karat")
    for arguments in (["--help"], ["list", "metrics"], ["evaluate", "bleu", "--help"]):
        race(
            f"karat {' '.join(arguments)} against `import numpy`",
            lambda a=arguments: run(karat, *a),
            lambda: run(sys.executable, "-c", "import numpy"),
            repeats=9,
        )


if __name__ == "__main__":
    main()
