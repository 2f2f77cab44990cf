"""Repairs: gains as predicted and as measured again, and the CPU time beside ``evaluate --errors``.

    python benchmarks/repair.py [FOLDER [METRIC...]]     # FOLDER: the shared data
    python benchmarks/repair.py --cost [--write] [METRIC...]

Each row: the score, the same with the three classes repaired that gain most, predicted and
measured again; what the metric claims, and how far any class or sum of classes is measured below
and above its prediction; the score with everything repaired, from the written file, and whether
that file passes ``karat validate`` (kept: but for items that the system's file has, too, and that
had nothing to repair); then how much CPU time ``karat repair`` takes for each second of ``karat
evaluate --errors`` on the same files, as the median of three runs, both with one job.

It ends with 1 where a claim does not hold, a repaired file is not perfect, or one is not valid.

With `--cost`, only CPU times, on files of `--size` made items (those of items.py), where starting
does not hide what work costs: the least of `--repeats` runs, all with one job. `--write` puts the
rows into docs/performance.md.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import karat
from items import make, seconds
from karat.core.scores import leaves
from tables import put_rows

ROOT = Path(__file__).resolve().parent.parent
PROGRAM = str(Path(sys.executable).parent / "karat")
EXAMPLES = ROOT / "examples"
FRAMEWORKS = ("amr", "dm", "psd", "eds", "ucca")
FORMS = (
    "mixed", "constants", "spacing", "duplicated", "predicates", "broken", "permuted", "renamed",
    "dropped",
)  # fmt: skip
CASES = [
    *(("mrp", f"graphs/sample/{f}/wsj.mrp", f"graphs/perturbed/{f}.wsj.mrp") for f in FRAMEWORKS),
    *(("mrp", "graphs/score/lpps.mrp", f"graphs/perturbed/{f}.lpps.mrp") for f in FRAMEWORKS),
    ("mrp", "graphs/sample/amr/wsj.amr", "graphs/perturbed/wsj.perturbed.amr"),
    ("smatch", "graphs/sample/amr/wsj.amr", "graphs/perturbed/wsj.perturbed.amr"),
    *(
        (metric, f"graphs/sample/{f}/wsj.sdp", f"graphs/perturbed/{f}.wsj.sdp")
        for metric in ("mrp", "sdp")
        for f in ("dm", "psd")
    ),
    *(
        (metric, "graphs/score/eds/wsj.pet.eds", "graphs/perturbed/wsj.pet.eds")
        for metric in ("mrp", "edm")
    ),
    ("ucca-mrp", "graphs/sample/ucca/wsj.mrp", "graphs/perturbed/ucca.wsj.mrp"),
    ("ucca-mrp", "graphs/sample/ucca/xml/files.txt", "graphs/perturbed/ucca-xml/files.txt"),
    ("ud", "dependencies/ud-random.gold.conllu", "dependencies/ud-random.test.conllu"),
    ("attachment", "dependencies/ud-random.gold.conllu", "dependencies/ud-random.test.conllu"),
    *(("cogs", "logical-forms/dev.tsv", f"logical-forms/dev.{name}.tsv") for name in FORMS),
    ("json", f"{EXAMPLES}/records/gold.jsonl", f"{EXAMPLES}/records/b.jsonl"),
    (
        "tool-calls",
        f"{EXAMPLES}/records/calls.gold.jsonl",
        f"{EXAMPLES}/records/calls.system.jsonl",
    ),
    *(
        (metric, f"{EXAMPLES}/translation/gold.txt", f"{EXAMPLES}/translation/hasty.txt")
        for metric in ("wer", "ter", "edit-distance")
    ),
]


def options_of(system: str) -> dict[str, tuple[str]]:
    """Of files with gold of several frameworks, the one that the system's has."""
    name = Path(system).name
    return {"framework": (name.partition(".")[0],)} if ".lpps." in name else {}


def cpu(*args: str) -> float:
    """The CPU seconds that a command takes, those of loading left out."""
    before = os.times()
    subprocess.run([PROGRAM, *args, "-j", "1", "-q"], check=True, capture_output=True)
    after = os.times()
    return (
        after.children_user + after.children_system - before.children_user - before.children_system
    )


def headline(run: karat.Evaluation, name: str) -> float:
    return float(dict(leaves(run.scores()))[tuple(name.split("."))])  # type: ignore[arg-type]


def differences(repair: karat.Repair) -> tuple[float, float]:
    """How far classes and sums of classes are measured below and above their predictions."""
    sign = -1 if repair.score in repair.evaluation.metric.about.lower_is_better else 1
    found = [0.0]
    for each in repair.classes:
        alone = repair.before.f + each.delta.f
        for measured, predicted in (
            (each.remeasured, alone),
            (each.running_remeasured, each.running),
        ):
            assert measured is not None
            found.append(sign * (measured - predicted))
    return max(0.0, -min(found)), max(found)


def row(folder: Path, metric: str, gold: str, system: str) -> tuple[str, float, bool]:
    files = {"gold": str(folder / gold), "system": str(folder / system)}
    options = options_of(system)
    run = karat.evaluate(metric, **files, format_options=options)
    repair = karat.repair(run, check=True)
    third = repair.classes[: min(3, len(repair.classes))][-1]
    below, above = differences(repair)
    assert run.inputs is not None
    format = next(each.format for each in run.inputs.files if each.role == "system")
    with tempfile.TemporaryDirectory() as scratch:
        written = str(Path(scratch) / "repaired")
        repair.write(written)
        all_of_it = karat.evaluate(
            metric, system=written, gold=files["gold"], format=format, format_options=options
        )
        valid = "-" if format == "lines" else validated(written, files["system"], format)
        choice = [word for name, (value,) in options.items() for word in (f"--{name}", value)]
        common = (metric, "-g", files["gold"], "-s", files["system"], *choice)
        errors, document = (str(Path(scratch) / name) for name in ("errors", "repair.json"))
        times = [
            (
                cpu("evaluate", *common, "--errors", errors),
                cpu("repair", *common, "--json", document),
            )
            for _ in range(3)
        ]
    plain, repairing = (statistics.median(each) for each in zip(*times, strict=True))
    ratio = repairing / plain
    everything = headline(all_of_it, repair.score)
    perfect = 0.0 if repair.score in run.metric.about.lower_is_better else 1.0
    holds = {
        "equal": max(below, above) < 1e-9, "at least": below < 1e-9, "estimate": True
    }[repair.claim]  # fmt: skip
    name = f"{metric} {Path(system).parent.name}/{Path(system).name}"
    return (
        f"{name:38.38} {repair.before.f:7.4f} {third.running:9.6f} {third.running_remeasured:9.6f} "
        f"{repair.claim:9} {below:6.4f} {above:6.4f} {everything:6.4f} {valid:5} "
        f"{plain:6.2f} {repairing:6.2f} {ratio:5.2f}"
    ), ratio, holds and valid != "no" and abs(everything - perfect) < 1e-12  # fmt: skip


def validated(written: str, system: str, format: str) -> str:
    """Whether a file passes ``karat validate``; PENMAN notation is read as graphs there."""
    kind = "amr" if format == "penman" else format
    found = []
    for path in (written, system):
        done = subprocess.run(
            [PROGRAM, "validate", "--from", kind, path], capture_output=True, text=True
        )
        if not done.returncode:
            return "no" if found else "yes"
        found.append(set(done.stdout.replace(path, "").splitlines()))
    return "kept" if found[0] <= found[1] else "no"


COSTS = [
    "| metric | items | plain | with errors | repair | repair / errors |",
    "|---|---:|---:|---:|---:|---:|",
]
COSTED = (
    "mrp", "smatch", "edm", "sdp", "ucca-mrp", "ud", "attachment", "cogs", "json", "tool-calls",
    "wer", "ter",
)  # fmt: skip


def costs(metrics: Sequence[str], size: int, repeats: int) -> Iterator[str]:
    """The CPU seconds of plain evaluation, of one with errors, and of repairing."""
    with tempfile.TemporaryDirectory() as scratch:
        out = str(Path(scratch) / "out")
        for metric in metrics:
            gold, system = make(Path(scratch), metric, size)
            files = [metric, "-g", gold, "-s", system, "-j", "1", "-q", "--json", out]
            commands = (
                [PROGRAM, "evaluate", *files],
                [PROGRAM, "evaluate", *files, "--errors", f"{out}.jsonl"],
                [PROGRAM, "repair", *files],
            )
            runs = [[seconds(words) for words in commands] for _ in range(repeats)]
            plain, errors, repairing = (min(each) for each in zip(*runs, strict=True))
            yield (
                f"| `{metric}` | {size:,} | {plain:.2f} s | {errors:.2f} s | {repairing:.2f} s "
                f"| {repairing / errors:.1f} |"
            )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("words", nargs="*", metavar="FOLDER|METRIC")
    parser.add_argument("--cost", action="store_true", help="CPU times on made files only")
    parser.add_argument("--size", type=int, default=5000)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--write", action="store_true", help="put the rows of costs into the page")
    asked = parser.parse_args()
    if not asked.cost:
        check(asked.words)
        return
    print("\n".join(COSTS), flush=True)
    rows = []
    for row in costs(asked.words or COSTED, asked.size, asked.repeats):
        rows.append(row)
        print(row, flush=True)
    if asked.write:
        put_rows("repairing", COSTS[0], rows, keys=2)


def check(words: Sequence[str]) -> None:
    """Claims and files, on the shared data; ends the script."""
    folder = Path(words[0]) if words else ROOT.parent / "shared" / "data"
    print(f"{'':38} {'score':7} predicted     again {'claim':9} {'below':6} {'above':6} {'all':6} "
          f"valid {'errors':>6} {'repair':>6} ratio")  # fmt: skip
    ratios, failed = [], 0
    chosen = words[1:]
    for case in CASES:
        if chosen and case[0] not in chosen:
            continue
        text, ratio, good = row(folder, *case)
        ratios.append(ratio)
        failed += not good
        print(text + ("" if good else "  FAILED"), flush=True)
    print(f"CPU time of repair over evaluate --errors: median {statistics.median(ratios):.2f}, "
          f"most {max(ratios):.2f}; {len(ratios) - failed} of {len(ratios)} hold")  # fmt: skip
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
