"""Metrics that need models of their own, each computed by a program that the user has.

``karat setup metric NAME`` says once how to reach the
program; see `external` for the protocol that it speaks.
"""

from __future__ import annotations

from typing import Annotated, ClassVar

from karat.core.capabilities import named_programs
from karat.core.options import Range
from karat.errors import MissingExtra, OptionError, shell
from karat.text.external.carriers import carrier_of
from karat.text.external.programs import program_of, reachable_by
from karat.text.external.protocol import Carrier
from karat.text.metrics.external import ExternalScores


class _Preset(ExternalScores):
    """Base class of metrics with known scores; options or setup say how to reach the program."""

    recipe: ClassVar[str]
    """What a user has to install, in one line."""

    command: Annotated[str | None, "the program with its arguments"] = None
    url: Annotated[str | None, "the address of the server"] = None
    timeout: Annotated[float, Range(0.001), "seconds to wait for an answer"] = 600.0
    cache: Annotated[str | None, "a file to keep answers in"] = None

    def __post_init__(self) -> None:
        if self.command is not None and self.url is not None:
            raise OptionError(f"{self.name}: give a command or a url", code="K390")
        self.hide_password()

    def carrier(self) -> Carrier:
        command, url = self.command, self.address
        if command is None and url is None:
            command, url = reachable_by(self.name)
        if carrier := carrier_of(command, url, self.timeout):
            return carrier
        raise MissingExtra(
            f"{self.name} is computed by a program that is not set up: {self.recipe}",
            code="K402",
            advice=f"then: {self._setup()} (or ``url``)",
        )

    def runs(self) -> str:
        return named_programs(self) or program_of(self.name)

    @classmethod
    def missing(cls) -> str:
        if reachable_by(cls.name) != (None, None):
            return ""
        return f"{cls.recipe}; then {cls._setup()}"

    @classmethod
    def _setup(cls) -> str:
        return shell(f"setup metric {cls.name}", "command", "'...'")


class Bleurt(_Preset):
    """BLEURT (Sellam, Das and Parikh 2020): a fine-tuned BERT, mean and best over references."""

    name = "bleurt"
    wanted = ("bleurt.mean", "bleurt.max")
    recipe = "install google-research/bleurt with a checkpoint behind a JSON-lines program"


class BartScore(_Preset):
    """BARTScore (Yuan, Neubig and Liu 2021): the likelihood of references given the text."""

    name = "bartscore"
    wanted = ("bartscore",)
    recipe = "install neulab/BARTScore with its model behind a JSON-lines program"


class Blanc(_Preset):
    """BLANC (Vasilyev et al. 2020): how much a summary helps a language model with its document."""

    name = "blanc"
    held_against = "documents"
    wanted = ("blanc_help",)
    recipe = "pip install blanc, with a masked language model, behind a JSON-lines program"


class QaEval(_Preset):
    """QAEval (Deutsch and others 2021): questions from references, answered by the text."""

    name = "qa-eval"
    wanted = ("qa-eval.is_answered", "qa-eval.em", "qa-eval.f1")
    shares = frozenset(wanted)
    recipe = "pip install qaeval, with its models, behind a JSON-lines program"


class SumQe(_Preset):
    """Sum-QE (Xenouleas et al. 2019): linguistic quality without references."""

    name = "sumqe"
    held_against = "nothing"
    wanted = tuple(f"SumQE.Q{i}" for i in range(1, 6))
    recipe = "install nlpaueb/SumQE with its model behind a JSON-lines program"


class Lite3Pyramid(_Preset):
    """Lite3Pyramid (Zhang and Bansal 2021): content units in the text, found by inference."""

    name = "lite3pyramid"
    wanted = ("p2c", "l2c", "p3c", "l3c")
    recipe = "install ZhangShiyue/Lite2-3Pyramid with its models behind a JSON-lines program"


class Apes(_Preset):
    """APES (Eyal and others 2019): cloze questions from references, answered by the text."""

    name = "apes"
    wanted = ("APES.accuracy", "APES.num_correct")
    shares = frozenset({"APES.accuracy"})
    recipe = "install mataney/APES with its reader behind a JSON-lines program"


class PyrEval(_Preset):
    """PyrEval (Gao, Sun and Passonneau 2019): a pyramid that is built automatically."""

    name = "pyreval"
    wanted = ("pyreval.raw", "pyreval.quality", "pyreval.coverage", "pyreval.comprehensive")
    recipe = "install serenayj/PyrEval with CoreNLP behind a JSON-lines program"


class BewtE(_Preset):
    """BEwT-E (Tratz and Hovy 2008): basic elements with transformations."""

    name = "bewte"
    wanted = ("BEwTE.precision", "BEwTE.recall", "BEwTE.f1")
    shares = frozenset(wanted)
    recipe = "get igorbrigadir/ROUGE-BEwTE with its models behind a JSON-lines program"
