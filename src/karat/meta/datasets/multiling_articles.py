"""Single articles in many languages and what was submitted for them, as MultiLing has them.

Their names begin with 32 hexadecimal digits, in folders of language codes.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Any

from karat.meta.datasets.reading import lines, sentences_of
from karat.meta.datasets.writing import Outcome, labelled
from karat.meta.records import SummarizerType

ENGLISH = "en"
_HASH = re.compile(r"[0-9a-fA-F]{32}")


@dataclass(slots=True)
class Articles:
    """Single articles and their summaries, by language and name."""

    bodies: dict[str, dict[str, list[str]]] = field(default_factory=lambda: defaultdict(dict))
    summaries: dict[str, dict[str, list[str]]] = field(default_factory=lambda: defaultdict(dict))

    def take(self, file: PurePosixPath, data: bytes) -> bool:
        """Takes ``body/text/en/HASH_body.txt`` and ``summary/en/HASH_summary.txt``."""
        if file.suffix != ".txt" or len(file.parts) < 3:
            return False
        *above, folder, language = file.parts[:-1]
        if language == "simple":  # no language of the task
            return True
        if folder == "text" and above[-1:] == ["body"]:
            self.bodies[language][article_name(file.name)] = lines(data)
        elif folder in ("summary", "2017_summaries") and "baselines2017" not in above:
            self.summaries[language][article_name(file.name)] = lines(data)
        else:
            return False
        return True

    def fill(self, outcome: Outcome, *, split: bool) -> None:
        """Adds the articles; those without a summary are counted.

        `split` divides the lines of English ones into sentences.
        """
        lacking = 0
        for code in sorted(self.bodies):
            records = []
            for name, text in sorted(self.bodies[code].items()):
                summary = self.summaries.get(code, {}).get(name)
                lacking += summary is None
                if split and code == ENGLISH:
                    text, summary = sentences_of(text), summary and sentences_of(summary)
                document = {"filename": name, "text": text}
                record: dict[str, Any] = {"instance_id": name, "document": document}
                if summary is not None:
                    record["summary"] = {"text": summary}
                records.append(record)
            outcome.files[f"sds/{code}.jsonl"] = records
        if lacking:
            outcome.warnings.append(f"{lacking} articles have no summary")


def article_name(name: str) -> str:
    """What stands for an article in the names of its files."""
    found = _HASH.match(name)
    return found[0] if found else PurePosixPath(name).stem


@dataclass(slots=True)
class Submissions:
    """Summaries of articles: by language, article and summarizer its type and the text."""

    texts: dict[str, dict[str, dict[str, tuple[SummarizerType, Sequence[str]]]]] = field(
        default_factory=lambda: defaultdict(lambda: defaultdict(dict))
    )
    empty: int = 0

    def add(
        self, language: str, article: str, who: str, kind: SummarizerType, text: Sequence[str]
    ) -> None:
        """Takes a summary; one without text is counted only."""
        if text:
            self.texts[language][article][who] = kind, text
        else:
            self.empty += 1

    def fill(self, outcome: Outcome, *, split: bool = False) -> None:
        """Adds the summaries. The only human of an article is a reference, and not scored.

        `split` divides the lines of English ones into sentences.
        """
        alone = 0
        for code in sorted(self.texts):
            records = []
            for instance, texts in sorted(self.texts[code].items()):
                if split and code == ENGLISH:
                    texts = {who: (kind, sentences_of(text)) for who, (kind, text) in texts.items()}
                humans = [who for who, (kind, _) in sorted(texts.items()) if kind == "reference"]
                for who, (kind, text) in sorted(texts.items()):
                    references = [
                        labelled(other, texts[other][1]) for other in humans if other != who
                    ]
                    if not references:
                        alone += kind == "peer"
                        continue
                    records.append(
                        {
                            "instance_id": instance,
                            "summarizer_id": who,
                            "summarizer_type": kind,
                            "summary": labelled(who, text, kind),
                            "references": references,
                        }
                    )
            outcome.files[f"sds/{code}.summaries.jsonl"] = records
        if alone:
            outcome.warnings.append(
                f"{alone} submitted summaries have no reference and are left out"
            )
        if self.empty:
            outcome.warnings.append(f"{self.empty} submitted summaries are empty and left out")
