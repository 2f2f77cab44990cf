"""Names of commands and options in other tools, and what to write here."""

from __future__ import annotations

COMMANDS = {
    "setup-metric": "karat setup metric NAME",
    "setup-dataset": "karat setup dataset NAME FILE... -o FOLDER",
    "stat-sig-test": "karat significance FILE... --dependent NAME --metrics A B",
    "partial-conjunction-test": "karat conjunction TEST.json...",
}
"""SacreROUGE's commands."""

OPTIONS = {
    "--input-files": "-s FILE..., and --format NAME where a reader joins two files",
    "--dataset-reader": "--format NAME",
    "--macro-output-json": "--json PATH",
    "--micro-output-jsonl": "--items PATH",
    "--output-jsonl": "-o PATH",
    "--disable-peer-jackknifing": "--no-jackknife",
    "--include-packages": "nothing: installed packages are found by their entry points",
    "--silent": "-q",
    "--log-file": "2> PATH",
    "--metrics-jsonl-files": "the files alone, as arguments",
    "--confidence-interval-method": "--interval NAME",
    "--confidence-interval-kwargs": "--resamples N",
    "--num-tails": "--one-tailed for correlate, --two-tailed for significance",
    "--skip-summary-level": "--level for each level that is wanted",
    "--skip-system-level": "--level for each level that is wanted",
    "--skip-global": "--level for each level that is wanted",
    "--system-level-output-plot": "--plot-systems PATH",
    "--global-output-plot": "--plot-outputs PATH",
    "--dependent-metric": "--dependent NAME",
    "--metric-a": "--metrics A B",
    "--metric-b": "--metrics A B",
    "--random-seed": "--seed N",
    "--hypothesis-test": "--test NAME",
    "--pvalue-json-files": "the files alone, as arguments",
    "--names": "--name NAME for each",
    "--output-file": "--json PATH",
}
"""SacreROUGE's options, in lower case."""
