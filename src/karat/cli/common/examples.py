"""Examples of each command, for its help."""

from __future__ import annotations

_JUDGED = "judged.jsonl --dependent human"
EXAMPLES: dict[str, tuple[str, ...]] = {
    "evaluate": (
        "karat evaluate bleu,chrf -g gold.txt -s a.txt b.txt",
        "karat evaluate smatch -g gold.amr -s parser.amr --report page.html",
        "karat evaluate bleu -g gold.txt -s a.txt --save a.karat --json a.json",
    ),
    "compare": (
        "karat compare bleu -g gold.txt -s a.txt b.txt",
        "karat compare a.karat b.karat",
    ),
    "gate": (
        "karat gate a.karat b.karat",
        "karat gate bleu -g gold.txt -s a.txt b.txt --margin 0.5",
    ),
    "run": ("karat run karat.toml", "karat run karat.toml --check"),
    "explain": (
        "karat explain bleu -g gold.txt -s a.txt --item 3",
        "karat explain smatch -g gold.amr -s parser.amr",
    ),
    "repair": (
        "karat repair smatch -g gold.amr -s parser.amr",
        "karat repair ud -g gold.conllu -s a.conllu --classes label",
    ),
    "audit": ("karat audit ud -g gold.conllu -s a.conllu b.conllu c.conllu",),
    "mbr": ("karat mbr chrf -s a.txt b.txt c.txt -o chosen.txt",),
    "trace": (
        "karat trace 'BLEU 50.49' -g gold.txt -s a.txt",
        "karat trace --list-settings chrF",
    ),
    "ned": ("karat ned -gold gold.conllu -if a.conllu --conllu",),
    "report": ("karat report a.karat b.karat -o page.html",),
    "view": ("karat view a.karat b.karat --open",),
    "viewer": ("karat viewer rouge summaries.jsonl -o page.html",),
    "verify": ("karat verify a.karat",),
    "clean": ("karat clean parts",),
    "convert": (
        "karat convert gold.amr --to mrp -o gold.mrp",
        "karat convert gold.amr --to txt",
    ),
    "draw": ("karat draw gold.amr --id harbour.1 -o graph.svg",),
    "analyze": ("karat analyze gold.conllu", "karat analyze gold.amr --json"),
    "validate": ("karat validate parser.amr",),
    "inspect": ("karat inspect -g gold.amr -s parser.amr",),
    "score": (
        "karat score rouge -s summaries.jsonl -o scores.jsonl",
        "karat score bleu,chrf -g gold.txt -s a.txt b.txt -o scores.jsonl",
    ),
    "correlate": (
        "karat correlate scores.jsonl human.jsonl --metrics rouge-2_recall overall",
        f"karat correlate {_JUDGED} -m 'rouge-*' --level system",
    ),
    "significance": (f"karat significance {_JUDGED} --metrics chrf bleu",),
    "conjunction": ("karat conjunction test.json",),
    "compare-metrics": (f"karat compare-metrics {_JUDGED} -m 'rouge-*_f1'",),
    "correlation-table": ("karat correlation-table news.json --level system",),
    "fit": ("karat fit scores.jsonl human.jsonl -f 'rouge-*' --target overall -o fit.json",),
    "predict": ("karat predict fit.json scores.jsonl -o predicted.jsonl",),
    "agreement": ("karat agreement human.jsonl --score overall",),
    "power": (
        "karat power systems a.karat b.karat",
        f"karat power metrics {_JUDGED} --metrics chrf bleu",
    ),
    "pairwise": ("karat pairwise pairs.csv --scores scores.jsonl -m rouge-1_recall",),
    "list": ("karat list metrics", "karat list formats --json"),
    "doctor": ("karat doctor",),
    "setup": (
        "karat setup dataset summeval model_annotations.aligned.jsonl -o summeval",
        "karat setup metric wordnet --from FOLDER",
    ),
    "new": ("karat new metric length-ratio",),
}
"""Lines for a shell; the tests run them."""
