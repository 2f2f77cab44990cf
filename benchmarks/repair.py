"""Repairs: gains as predicted and as measured again, and the CPU time beside ``evaluate --errors``.

    python benchmarks/repair.py [FOLDER [METRIC...]]     # FOLDER: the shared data

Each row: the score, the same with the three classes repaired that gain most, predicted and
measured again; what the metric claims, and how far any class or sum of classes is measured below
and above its prediction; the score with everything repaired, from the written file, and whether
that file passes ``karat validate`` (kept: but for items that the system's file has, too, and that
had nothing to repair); then how much CPU time ``karat repair`` takes for each second of ``karat
evaluate --errors`` on the same files, as the median of three runs, both with one job.

It ends with 1 where a claim does not hold, a repaired file is not perfect, or one is not valid.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

import karat
from karat.core.scores import leaves

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


def main() -> None:
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT.parent / "shared" / "data"
    print(f"{'':38} {'score':7} predicted     again {'claim':9} {'below':6} {'above':6} {'all':6} "
          f"valid {'errors':>6} {'repair':>6} ratio")  # fmt: skip
    ratios, failed = [], 0
    chosen = sys.argv[2:]
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
