"""Pairs for the metrics of texts."""

from __future__ import annotations

LINES = [
    ("the dog barks", "the dog barks"),
    ("a cat  sleeps", "the cat sleeps now"),
    ("", "nothing came out"),
    ("Überall Straße 東京 🙂", "überall strasse 東京 🙂"),
    ("too many words here", "too few"),
]
REFERENCES = [
    (system, [gold, "another way to say it"][: 1 + i % 2]) for i, (system, gold) in enumerate(LINES)
]

# metric -> (its variants, pairs, how to make the perfect system output)
EXAMPLES = {
    "exact": (["exact", "exact(ignore_case=True)"], LINES, lambda gold: gold),
    "edit-distance": (
        ["edit-distance", "edit-distance(ignore_case=True)", "edit-distance(characters=True)"],
        LINES,
        lambda gold: gold,
    ),
    "bleu": (
        [
            "bleu(max_ngram_order=1)",
            "bleu(tokenize='char', lowercase=True)",
            "bleu(smooth_method='add-k', effective_order=True)",
        ],
        REFERENCES,
        lambda gold: gold[0],
    ),
    "chrf": (["chrf", "chrf(word_order=2, whitespace=True)"], REFERENCES, lambda gold: gold[0]),
    "ter": (["ter", "ter(normalized=True, no_punct=True)"], REFERENCES, lambda gold: gold[0]),
}
