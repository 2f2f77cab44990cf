"""A metric of karat as the reward of a model in training, with the signature that TRL asks for.

    from trl import GRPOTrainer
    trainer = GRPOTrainer(model=..., reward_funcs=reward("chrf"), train_dataset=...)

The data set has a column `reference`; TRL hands it to the reward beside the completions.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import karat


def reward(metric: str, score: str | None = None) -> Callable[..., list[float]]:
    """The reward function of a metric: its headline, or the score that is named."""
    measure = karat.reward(metric, score=score)

    def function(
        prompts: Sequence[object],
        completions: Sequence[object],
        reference: Sequence[str],
        **columns: object,
    ) -> list[float]:
        return measure([_text(completion) for completion in completions], reference)

    function.__name__ = measure.__name__
    return function


def _text(completion: object) -> str:
    """What was generated: plain text, or the last message of a chat."""
    return completion if isinstance(completion, str) else completion[-1]["content"]  # type: ignore[index]


if __name__ == "__main__":
    print(
        reward("chrf")(
            prompts=["Translate: der Hund bellt"] * 2,
            completions=["the dog barks", [{"role": "assistant", "content": "a cat"}]],
            reference=["the dog barks"] * 2,
        )
    )
