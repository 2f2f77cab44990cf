"""Whether an installed karat works: real evaluations of each family, with figures known by hand.

Needs nothing but karat; the Python that runs this is the one that is tried.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path

TREE = "1\tcats\tcat\tNOUN\t_\t_\t2\t{}\t_\t_\n2\tsleep\tsleep\tVERB\t_\t_\t0\troot\t_\t_\n\n"
FILES = {
    "gold.txt": "the cat sat down\n",
    "system.txt": "the cat set\n",
    "gold.amr": "(w / want-01 :ARG0 (b / boy))\n\n(d / dog)\n",
    "system.amr": "(w / want-01)\n\n(d / dog)\n",
    "gold.jsonl": '{"a": [{"b": 1}, {"b": 2}]}\n',
    "system.jsonl": '{"a": [{"b": 2}]}\n',
    "gold.conllu": TREE.format("nsubj"),
    "system.conllu": TREE.format("obj"),
}

# Metric, ending of the files, score, and its value: one word of four is another, one is not there;
# 4 of 6 triples are found by 4; one leaf of two is; one word of two has the right label; of four
# words two are found.
FIGURES = (
    ("wer", "txt", "wer", 2 / 4),
    ("smatch", "amr", "f", 2 * 4 / (6 + 4)),
    ("json", "jsonl", "f", 2 * 1 / (2 + 1)),
    ("attachment", "conllu", "LAS", 1 / 2),
    ("rouge", "txt", "rouge-1.recall", 100 * 2 / 4),
)


def karat(folder: Path, *words: str) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "karat", *words], cwd=folder, capture_output=True, text=True
    )
    if done.returncode:
        raise SystemExit(f"karat {' '.join(words)} ended with {done.returncode}:\n{done.stderr}")
    return done.stdout


def main() -> None:
    import karat as package

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if folder in Path(str(package.__file__)).parents:
            raise SystemExit("this is not the installed karat")
        for file, text in FILES.items():
            (folder / file).write_text(text, encoding="utf-8")
        for metric, ending, score, expected in FIGURES:
            files = ("-g", f"gold.{ending}", "-s", f"system.{ending}")
            found = json.loads(karat(folder, "evaluate", metric, *files, "--json", "-"))["scores"]
            for part in score.split("."):
                found = found[part]
            if abs(found - expected) > 1e-12:
                raise SystemExit(f"{metric}: {score} is {found}, it should be {expected}")
        karat(
            folder, "evaluate", "smatch", "-g", "gold.amr", "-s", "system.amr", "--report", "p.html"
        )
        if "<html" not in (folder / "p.html").read_text(encoding="utf-8"):
            raise SystemExit("the page of a report is none")
        karat(folder, "doctor")
        sys.stdout.write(karat(folder, "--version"))


if __name__ == "__main__":
    main()
