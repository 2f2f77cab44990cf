"""Pairs for the metrics of texts."""

from __future__ import annotations

import shlex
import sys
import tempfile
from pathlib import Path

import tiny_bert
from karat.text.pyramid import Annotation, Contributor, PeerScu, Pyramid, Scu

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
SENTENCES = [
    ("The dogs barked. Then it slept.", ["The dog barks.", ["A dog was barking.", "It sleeps."]]),
    (["the police killed the gunman", "and left"], ["police kill the gunman and left the scene"]),
    ("", ["nothing came out"]),
    ("the the the end", ["the end of the line", "an end"]),
    ("only-hyphens 1,200 times", ["only hyphens, 1200 times"]),
]
UNITS = [
    Scu(1, "first", (Contributor(0), Contributor(1))),
    Scu(2, "second", (Contributor(1),)),
    Scu(3, "third", (Contributor(0), Contributor(1), Contributor(2))),
]
PYRAMIDS = [
    (
        Annotation("d", str(i), scus=tuple(PeerScu(unit) for unit in units)),
        Pyramid("d", ("a", "b", "c"), ("A", "B", "C"), tuple(UNITS[: 1 + i])),
    )
    for i, units in enumerate([(1,), (2, 9), (3, 1)])
]

COMMAND = shlex.join([sys.executable, str(Path(__file__).parents[1] / "servers" / "overlap.py")])

READER = shlex.join([sys.executable, str(Path(__file__).parents[1] / "servers" / "reader.py")])
ASKED = [
    ("the dog barked", [[{"question": "the _ barked", "answers": ["dog"]}]]),
    (["it ran", "home"], [[{"question": "it _ home", "answers": ["went"]}], []]),
    ("", [[{"question": "a _", "answers": ["b"]}], [{"question": "_ c", "answers": ["d", "e"]}]]),
]

VECTORS = str(Path(__file__).parent / "vectors.txt")
ELEMENTS = [
    (["bark|dog|subj", "bark|loud|mod"], [["bark|dog|s", "bark|loud|mod"]]),
    ([], [["sleep||"], ["sleep|cat|subj"]]),
    ("run|dog|subj", ["run|dog|subj"]),
]

MODEL = tiny_bert.make(Path(tempfile.mkdtemp(prefix="karat-tiny-bert-")))
BASELINE = str(Path(MODEL) / "baseline.csv")
Path(BASELINE).write_text("LAYER,P,R,F\n1,0.2,0.3,0.25\n2,0.2,0.3,0.25\n")

# metric -> (its variants, pairs, how to make the perfect system output)
EXAMPLES = {
    "exact": (["exact", "exact(ignore_case=True)"], LINES, lambda gold: gold),
    "wer": (["wer", "wer(compat='jiwer')", "wer(normalize='basic')"], LINES, lambda gold: gold),
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
            "bleu(tokenize='wordpunct', smooth_method='nltk-3', max_ngram_order=1)",
        ],
        REFERENCES,
        lambda gold: gold[0],
    ),
    "chrf": (["chrf", "chrf(word_order=2, whitespace=True)"], REFERENCES, lambda gold: gold[0]),
    "chrf++": (["chrf++", "chrf++(beta=1, lowercase=True)"], REFERENCES, lambda gold: gold[0]),
    "gleu": (["gleu", "gleu(tokenize='13a', lowercase=True)"], REFERENCES, lambda gold: gold[0]),
    "ter": (["ter", "ter(normalized=True, no_punct=True)"], REFERENCES, lambda gold: gold[0]),
    "rouge": (
        [
            "rouge(compute_rouge_l=True, wlcs_weight=1.2, skip_bigram_gap_length=4)",
            "rouge(skip_bigram_gap_length=-1, skip_bigram_unigrams=False, max_ngram=1)",
            "rouge(scoring_function='max', compute_rouge_l=True, remove_stopwords=True)",
            "rouge(max_ngram=2, max_words=4, refs='mean')",
            "rouge(profile='rouge-metric', compute_rouge_l=True, wlcs_weight=1.2)",
            "rouge(profile='coco')",
            "rouge(max_ngram=2, max_bytes=20, refs='best-f', compute_rouge_l=True)",
            "rouge(profile='google', compute_rouge_l=True)",
            "rouge(profile='google', max_ngram=1, use_porter_stemmer=False)",
            "rouge(profile='unicode', compute_rouge_l=True, wlcs_weight=1.5, language='english')",
            "rouge(profile='python-rouge', compute_rouge_l=True)",
        ],
        SENTENCES,
        None,
    ),
    "meteor": (["meteor", "meteor(refs='max')"], SENTENCES, None),
    "pyramid-score": (["pyramid-score", "pyramid-score(legacy=True)"], PYRAMIDS, None),
    "autosummeng": (
        ["autosummeng", "autosummeng(min_n=1, max_n=4, d_window=2, legacy=True)"],
        SENTENCES,
        None,
    ),
    "simetrix": (
        [
            "simetrix",
            "simetrix(use_stemmer=False, remove_stopwords=False)",
            f"simetrix(background={VECTORS!r})",
        ],
        SENTENCES,
        None,
    ),
    "js": (["js", "js(use_stemmer=False)"], SENTENCES, None),
    "external": ([f"external(scores=('length', 's.best'), command={COMMAND!r})"], SENTENCES, None),
    **{
        name: ([f"{name}(command={COMMAND!r})"], SENTENCES, None)
        for name in (
            "bleurt",
            "bartscore",
            "blanc",
            "qa-eval",
            "sumqe",
            "lite3pyramid",
            "apes",
            "pyreval",
            "bewte",
        )
    },
    "rouge-we": ([f"rouge-we(vectors={VECTORS!r})"], SENTENCES, None),
    "squad": (["squad"], SENTENCES, None),
    "qa": ([f"qa(command={READER!r})"], ASKED, None),
    "basic-elements": (["basic-elements", "basic-elements(match='hm')"], ELEMENTS, None),
    "bertscore": (
        [
            f"bertscore(model={MODEL!r})",
            f"bertscore(model={MODEL!r}, num_layers=1)",
            f"bertscore(model={MODEL!r}, idf_corpus={VECTORS!r}, baseline={BASELINE!r})",
        ],
        SENTENCES,
        None,
    ),
    "moverscore": ([f"moverscore(model={MODEL!r})"], SENTENCES, None),
    "supert": ([f"supert(model={MODEL!r}, sentences=2)"], SENTENCES, None),
}
