"""Files in, scores of single outputs out: what `karat score` does."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from karat.core.files.opener import plain_name
from karat.core.files.shards import one_or_many, source_of
from karat.core.metric import Metric
from karat.core.options import Mode, OnError
from karat.core.pairing.pairs import Report
from karat.core.pairing.sides import Sides
from karat.core.reading.items import place_of
from karat.core.reading.streams import FilePairs
from karat.engine.account import Log, tell_pairing, tell_reading
from karat.engine.jobs import Jobs, Progress
from karat.errors import Place, about
from karat.meta.records import summarizer_type
from karat.meta.scoring import Naming, ScoredItem, Scores, score_all

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from karat.engine.resume import Folder, Parts


@dataclass(frozen=True, slots=True)
class Files:
    """Outputs of systems and what they are held against.

    Without gold files, records hold both sides and say who made them. With gold
    files, each system file is one system that has the file's name, unless its records name
    several.
    """

    system: Sequence[str]
    gold: Sequence[str] = ()
    format: str | None = None
    gold_format: str | None = None
    format_options: Mapping[str, Any] = field(default_factory=dict)
    pair: Mode = "auto"
    on_error: OnError = "auto"
    log: Log | None = None
    """Is told what is read and in which format, and how it is paired."""

    def items(
        self, metric: Metric[Any, Any], warnings: list[str], signatures: list[str]
    ) -> Iterator[ScoredItem]:
        """The outputs of all files, as the metric takes them."""
        for path, name in zip(self.system, _names(self.system), strict=True):
            report = Report(self.on_error)
            pairs = FilePairs(
                metric,
                path,
                self.gold,
                format=self.format,
                gold_format=self.gold_format,
                format_options=self.format_options,
                mode=self.pair,
                report=report,
            )
            signatures.append(f"{metric.signature()}|{pairs.reading()}")
            if self.log is not None:
                tell_reading(self.log, pairs)
            if self.gold:
                plan = pairs.plan(metric.chunk_size)
                if self.log is not None:
                    tell_pairing(self.log, pairs, plan)
                for pair in pairs.pairs(plan):
                    made_by = pairs.systems[place_of(pair)] if pairs.systems else name
                    yield ScoredItem(pair.id, made_by, "peer", pair.system, pair.gold)
            else:
                yield from _self_contained(metric, pairs, name, report)
            warnings += [about(path, warning) for warning in report.warnings]

    def kept(self, metric: Metric[Any, Any], folder: Folder, *, jackknife: bool) -> Parts:
        """The finished chunks of an earlier run of the same files by the same metric."""
        from karat.engine.kept import description

        sources = [one_or_many(source_of(path)) for path in (*self.system, *self.gold)]
        about = description(
            metric,
            sources,
            ", ".join(source.name for source in sources[: len(self.system)]),
            {
                "the formats": f"{self.format}, {self.gold_format}",
                "the way of reading": repr(sorted(self.format_options.items())),
                "pairing": self.pair,
                "the treatment of errors": self.on_error,
                "the number of gold files": str(len(self.gold)),
                "jackknifing": str(jackknife),
            },
        )
        return folder.run(about, metric.chunk_size, sources)


def _self_contained(
    metric: Metric[Any, Any], pairs: FilePairs, name: str, report: Report
) -> Iterator[ScoredItem]:
    sides = Sides(metric)
    for number, item in enumerate(pairs.selection.choose(pairs.items_with_gold()), 1):
        if item.error:
            report.broken(item.error)
            continue
        key = item.key or (str(number),)
        instance = key[0] if key[0] is not None else str(number)
        systems = pairs.system.format.systems_in or "summarizer_id"
        made_by = item.fields.get(systems) or (key[1] if len(key) > 1 else None) or name
        place = Place(pairs.system.source.name, item.line, item=instance)
        kind = summarizer_type(item.fields.get("summarizer_type", "peer"), place)
        yield ScoredItem(
            instance,
            made_by,
            kind,
            sides.system(item.value),
            sides.gold([item.value]),
        )


def _names(paths: Sequence[str]) -> list[str]:
    """What systems are called: their files' names, as short as tells them apart."""
    short = []
    for path in paths:
        name = plain_name(path)
        short.append(name.rpartition(".")[0] or name)
    return short if len(set(short)) == len(short) else [str(path) for path in paths]


def score_files(
    metrics: Sequence[Metric[Any, Any]],
    files: Files,
    *,
    jackknife_peers: bool = True,
    naming: Naming = "auto",
    names: Sequence[str] | None = None,
    allow_duplicates: bool = False,
    jobs: Jobs = 1,
    progress: Progress | None = None,
    executor: Executor | None = None,
    resume: Folder | None = None,
) -> Scores:
    """All outputs in the files by all metrics; finished chunks are kept in `resume`."""
    warnings: list[str] = []
    signatures: list[str] = []
    found = score_all(
        metrics,
        lambda metric: files.items(metric, warnings, signatures),
        jackknife_peers=jackknife_peers,
        naming=naming,
        names=names,
        allow_duplicates=allow_duplicates,
        jobs=jobs,
        progress=progress,
        executor=executor,
        kept_of=lambda metric: (
            None if resume is None else files.kept(metric, resume, jackknife=jackknife_peers)
        ),
    )
    return Scores(
        found.records,
        tuple(dict.fromkeys(signatures)),
        tuple(dict.fromkeys([*warnings, *found.warnings])),
    )
