"""Repairs: gains as predicted and as measured again, and the CPU time beside ``evaluate --errors``.

    python benchmarks/repair.py [FOLDER [METRIC...]]     # FOLDER: the shared data

Each row: the score, the same with the three classes repaired that gain most, predicted and
measured again, with everything repaired (measured from the written file), and how much CPU time
``karat repair`` takes for each second of ``karat evaluate --errors`` on the same files, as the
median of three runs, both with one job.
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


def row(folder: Path, metric: str, gold: str, system: str) -> tuple[str, float]:
    files = {"gold": str(folder / gold), "system": str(folder / system)}
    options = options_of(system)
    run = karat.evaluate(metric, **files, format_options=options)
    repair = karat.repair(run)
    chosen = [each.name for each in repair.classes[:3]]
    predicted = repair.effects.figures([repair.effects.place[name] for name in chosen]).f
    (measured,) = repair.remeasured([chosen])
    assert run.inputs is not None
    format = next(each.format for each in run.inputs.files if each.role == "system")
    with tempfile.TemporaryDirectory() as scratch:
        written = str(Path(scratch) / "repaired")
        repair.write(written)
        all_of_it = karat.evaluate(
            metric, system=written, gold=files["gold"], format=format, format_options=options
        )
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
    name = f"{metric} {Path(system).parent.name}/{Path(system).name}"
    return (
        f"{name:38.38} {repair.before.f:.4f} {predicted:.6f} {measured:.6f} {repair.claim:9}"
        f"{headline(all_of_it, repair.score):.4f} {plain:6.2f} {repairing:6.2f} {ratio:5.2f}"
    ), ratio


def main() -> None:
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT.parent / "shared" / "data"
    print(f"{'':38} {'score':6} {'predicted':8}  {'again':7} {'claim':9}{'all':6} "
          f"{'errors':>6} {'repair':>6} ratio")  # fmt: skip
    ratios = []
    chosen = sys.argv[2:]
    for case in CASES:
        if chosen and case[0] not in chosen:
            continue
        text, ratio = row(folder, *case)
        ratios.append(ratio)
        print(text, flush=True)
    print(f"CPU time of repair over evaluate --errors: median {statistics.median(ratios):.2f}, "
          f"most {max(ratios):.2f}")  # fmt: skip


if __name__ == "__main__":
    main()
