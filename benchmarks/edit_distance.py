"""Token-level edit distance against NLTK's."""

from __future__ import annotations

import random

import nltk

import karat
from timing import header, race


def main() -> None:
    header("edit distance against NLTK", "nltk")
    random.seed(1)
    words = [f"w{i}" for i in range(500)]

    def text(size: int) -> str:
        return " ".join(random.choices(words, k=size))

    metric = karat.parse("edit-distance")
    for size, count in ((10, 2000), (30, 1000), (100, 200)):
        golds = [text(size) for _ in range(count)]
        systems = [
            " ".join(random.choice(words) if random.random() < 0.3 else w for w in gold.split())
            for gold in golds
        ]
        race(
            f"{count} pairs of {size} tokens",
            lambda s=systems, g=golds: metric.evaluate(s, g)[0]["total"],
            lambda s=systems, g=golds: sum(
                nltk.edit_distance(a.split(), b.split()) for a, b in zip(s, g, strict=True)
            ),
            lambda a, b: a == b,
        )


if __name__ == "__main__":
    main()
