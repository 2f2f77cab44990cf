"""METEOR without Java against the original engine of pycocoevalcap.

Invented words with one form each leave nothing to stems, synonyms, paraphrases and function
words; where no text has a word twice there is one best alignment, and both engines must give
the same figures. On English words they differ by design: the native engine has no paraphrases
and another list of function words, and among many possible alignments two beam searches may
end with different ones.
"""

from __future__ import annotations

import random
import re
import subprocess
import tempfile
from pathlib import Path

from karat.errors import MissingExtra
from karat.text.external.meteor import find_jar, find_java
from karat.text.metrics.meteor import Meteor
from karat.text.words.english import smart_stopwords, wordnet_exceptions
from timing import header, race

_PAIRS = 2000


def texts(vocabulary: list[str], *, repeated: bool) -> tuple[list[str], list[str]]:
    """Texts of 62 words, half of them from their reference of 75 words, in blocks."""
    weights = [1 / (rank + 5) for rank in range(len(vocabulary))]
    systems, golds = [], []
    for _ in range(_PAIRS):
        if repeated:
            words = random.choices(vocabulary, weights, k=107)
        else:
            words = random.sample(vocabulary, 107)
        gold, new = words[:75], words[75:]
        systems.append(" ".join(gold[45:60] + new[:16] + gold[10:25] + new[16:]))
        golds.append(" ".join(gold))
    return systems, golds


def invented() -> list[str]:
    """Words that no stemmer changes and no list has."""
    letters = "bdfgklmnprtvz"
    return sorted({"".join(random.choices(letters, k=4)) + "ok" for _ in range(4000)})


def english() -> list[str]:
    """Irregular forms, their base forms, and function words as often as in English."""
    forms = sorted(w for w in wordnet_exceptions() if w.isalpha())
    content = [word for form in forms for word in (form, wordnet_exceptions()[form])]
    functions = sorted(w for w in smart_stopwords() if w.isalpha())
    random.shuffle(content)
    random.shuffle(functions)
    return [*functions[:40], *content[:4000]]


class Jar:
    """The engine's own command on two files."""

    def __init__(self, folder: Path, systems: list[str], golds: list[str]) -> None:
        (folder / "system").write_text("\n".join(systems) + "\n")
        (folder / "gold").write_text("\n".join(golds) + "\n")
        jar = find_jar()
        files = [str(folder / "system"), str(folder / "gold")]
        self.command = [find_java(), "-Xmx2G", "-jar", str(jar), *files, "-l", "en", "-norm"]
        self.folder = jar.parent

    def run(self) -> list[float]:
        """The scores of all segments and the final score."""
        done = subprocess.run(
            self.command, cwd=self.folder, check=True, capture_output=True, text=True
        )
        segments = re.findall(r"Segment \d+ score:\s+(\S+)", done.stdout)
        return [float(score) for score in [*segments, done.stdout.split()[-1]]]


def native(metric: Meteor, systems: list[str], golds: list[str]) -> list[float]:
    macro, each = metric.evaluate(systems, [[gold] for gold in golds])
    return [*(score["METEOR"] for score in each), macro["METEOR-final"]]


def close(a: list[float], b: list[float]) -> bool:
    return len(a) == len(b) and all(abs(x - y) < 1e-9 for x, y in zip(a, b, strict=True))


def main() -> None:
    header("METEOR against its Java engine")
    try:
        find_jar()
        find_java()
    except MissingExtra as error:
        print(f"# the engine does not run here: {error}")
        return
    random.seed(5)
    for title, vocabulary, repeated, options, equal in (
        ("invented words, none twice", invented(), False, {}, close),
        ("invented words", invented(), True, {}, None),
        ("English words", english(), True, {}, None),
        ("English words, synonyms", english(), True, {"synonyms": True}, None),
    ):
        systems, golds = texts(vocabulary, repeated=repeated)
        metric = Meteor(**options)  # type: ignore[arg-type]
        with tempfile.TemporaryDirectory() as folder:
            jar = Jar(Path(folder), systems, golds)
            race(
                f"{title}, {len(golds)} pairs",
                lambda metric=metric, s=systems, g=golds: native(metric, s, g),
                jar.run,
                equal,
                repeats=1,
            )


if __name__ == "__main__":
    main()
