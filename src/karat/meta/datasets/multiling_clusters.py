"""Clusters of news texts in many languages with their summaries, as MultiLing has them.

Texts are ``M0012.english``: cluster ``M001``, text 2; summaries ``M001.A.english.250``.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from karat.errors import Place
from karat.meta.datasets.nist import Task
from karat.meta.datasets.reading import bad, lines

LANGUAGES = {
    "arabic": "ar", "bulgarian": "bg", "chinese": "zh", "czech": "cs", "english": "en",
    "french": "fr", "greek": "el", "hebrew": "he", "hindi": "hi", "romanian": "ro",
    "spanish": "es",
}  # fmt: skip
SOURCE = re.compile(r"(M\d{3})\d+\.(\w+)", re.IGNORECASE)
CLUSTER = re.compile(r"(M\d{3})", re.IGNORECASE)


def language_code(name: str, place: Place) -> str:
    """The code of a language that is written out."""
    code = LANGUAGES.get(name.lower())
    if code is None:
        raise bad(f"{name!r} is no language of MultiLing", place)
    return code


def cluster_name(name: str, place: Place) -> str:
    """The cluster that the name of a file begins with."""
    found = CLUSTER.match(name)
    if not found:
        raise bad(f"{name!r} names no cluster", place)
    return found[1].upper()


@dataclass(slots=True)
class Clusters:
    """Texts and human summaries of the clusters of one language, and the judged summaries."""

    documents: dict[str, list[dict[str, Any]]] = field(default_factory=lambda: defaultdict(list))
    humans: dict[str, list[dict[str, Any]]] = field(default_factory=lambda: defaultdict(list))
    task: Task = field(default_factory=Task)

    def source(self, name: str, cluster: str, data: bytes) -> None:
        """A text of a cluster."""
        self.documents[cluster].append({"filename": name, "text": lines(data)})

    def human(self, name: str, data: bytes, place: Place) -> None:
        """A summary such as ``M001.A.english.250``."""
        cluster, annotator = cluster_name(name, place), name.split(".")[1]
        self.humans[cluster].append({"annotator": annotator, "text": lines(data)})
        self.task.texts[cluster][annotator] = lines(data)

    def records(self) -> list[Mapping[str, Any]]:
        """Documents in the order of their names, summaries in the order of their writers."""
        return [
            {
                "instance_id": cluster,
                "documents": sorted(self.documents[cluster], key=lambda text: text["filename"]),
                "summaries": sorted(self.humans[cluster], key=lambda text: text["annotator"]),
            }
            for cluster in sorted(self.documents)
        ]


def by_language() -> dict[str, Clusters]:
    """The clusters of each language code, to be filled."""
    return defaultdict(Clusters)
