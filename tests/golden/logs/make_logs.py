"""Writes the logs in this folder, or another, with the tools themselves.

    pip install inspect-ai==0.3.285 && python make_logs.py inspect [FOLDER]
    pip install lm-eval==0.4.13 && python make_logs.py lm-eval [FOLDER]

`scripts/logs` does so with the newest versions, and reads what they wrote.
One has fixed answers; the other a model that the tool has for tests, which scores everything at
random, from a fixed seed.
"""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path

HERE = Path(sys.argv[2]) if len(sys.argv) > 2 else Path(__file__).parent


def note(name: str, figures: dict[str, object]) -> None:
    """Keeps what the tool itself says of a log."""
    path = HERE / "figures.json"
    known = json.loads(path.read_text()) if path.exists() else {}
    path.write_text(json.dumps({**known, name: figures}, indent=1, default=str) + "\n")


def inspect_logs() -> None:
    from inspect_ai import Epochs, Task, eval
    from inspect_ai.dataset import Sample
    from inspect_ai.model import ModelOutput
    from inspect_ai.scorer import Score, Scorer, Target, match, mean, scorer
    from inspect_ai.solver import Generate, Solver, TaskState, solver

    @solver
    def fixed() -> Solver:
        async def solve(state: TaskState, generate: Generate) -> TaskState:
            i = int(str(state.sample_id)[1:])
            answer = str(2 * i if (i * state.epoch) % 5 else 7)
            state.output = ModelOutput.from_content("mockllm/model", answer)
            return state

        return solve

    @scorer(metrics={"length": [mean()], "close": [mean()]})
    def judged() -> Scorer:
        async def score(state: TaskState, target: Target) -> Score:
            answer = state.output.completion
            return Score(value={"length": len(answer), "close": answer[:1] == target.text[:1]})

        return score

    samples = [
        Sample(
            id=f"q{i}", input=f"What is {i} + {i}?", target=str(2 * i), metadata={"unit": i // 3}
        )
        for i in range(12)
    ]
    for kind in ("eval", "json"):
        folder = HERE / "made"
        (log,) = eval(
            Task(
                dataset=samples if kind == "eval" else samples[:3],
                solver=fixed(),
                scorer=[match(), judged()],
                name="sums",
            ),
            model="mockllm/model",
            epochs=Epochs(2, "mean"),
            log_dir=str(folder),
            log_format=kind,
            display="none",
        )
        (made,) = folder.glob(f"*.{kind}")
        shutil.move(made, HERE / f"inspect.{kind}")
        assert log.results is not None
        told = {
            each.name: {name: metric.value for name, metric in each.metrics.items()}
            for each in log.results.scores
        }
        note(f"inspect.{kind}", told)
        shutil.rmtree(folder)


TASK = """
task: sums
dataset_path: json
dataset_kwargs:
  data_files: {data}
test_split: train
output_type: multiple_choice
doc_to_text: "What is {{{{x}}}} + {{{{x}}}}?"
doc_to_choice: ["{{{{x + x}}}}", "{{{{x + 1}}}}"]
doc_to_target: 0
metric_list:
  - metric: acc
  - metric: acc_norm
"""


def lm_eval_logs() -> None:
    import random

    import lm_eval
    from lm_eval.loggers import EvaluationTracker
    from lm_eval.tasks import TaskManager

    folder = HERE / "made"
    folder.mkdir(exist_ok=True)
    data = folder / "sums.jsonl"
    data.write_text("".join(json.dumps({"x": i, "unit": i // 3}) + "\n" for i in range(12)))
    (folder / "sums.yaml").write_text(TASK.format(data=data))
    manager = TaskManager(include_path=str(folder), include_defaults=False)
    for name, seed in (("a", 1), ("b", 2)):
        random.seed(seed)
        tracker = EvaluationTracker(output_path=str(folder / name))
        results = lm_eval.simple_evaluate(
            model="dummy", tasks=["sums"], task_manager=manager, log_samples=True,
            evaluation_tracker=tracker, random_seed=seed,
        )  # fmt: skip
        tracker.save_results_aggregated(results=results, samples=results["samples"])
        tracker.save_results_samples("sums", results["samples"]["sums"])
        note(f"lm-eval-{name}.jsonl", results["results"]["sums"])
        (made,) = folder.rglob(f"{name}/**/samples_sums_*.jsonl")
        shutil.move(made, HERE / f"lm-eval-{name}.jsonl")
    shutil.rmtree(folder)


if __name__ == "__main__":
    HERE.mkdir(exist_ok=True)
    {"inspect": inspect_logs, "lm-eval": lm_eval_logs}[sys.argv[1]]()
