"""Pyramids: the content units that the reference summaries of one input share.

A summary content unit (SCU) is a statement; its contributors are the places in
the summaries that make it. The more summaries contribute, the more it weighs.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import zip_longest

import msgspec


class Part(msgspec.Struct, frozen=True, gc=False):
    """A stretch of a summary; `end` is exclusive."""

    text: str
    start: int
    end: int


class PeerContributor(msgspec.Struct, frozen=True, gc=False):
    """A place in the summary that an annotation is about."""

    label: str
    parts: tuple[Part, ...] = ()


class PeerScu(msgspec.Struct, frozen=True, gc=False):
    """An SCU that was found in a summary."""

    scu_id: int
    label: str = ""
    contributors: tuple[PeerContributor, ...] = ()


class Annotation(msgspec.Struct, frozen=True, gc=False):
    """The SCUs of a pyramid that a summary expresses."""

    instance_id: str
    summarizer_id: str
    summarizer_type: str = "peer"
    summary: str = ""
    scus: tuple[PeerScu, ...] = ()


class Contributor(msgspec.Struct, frozen=True, gc=False):
    """A place in one of the pyramid's summaries."""

    summary_index: int
    label: str = ""
    parts: tuple[Part, ...] = ()


class Scu(msgspec.Struct, frozen=True, gc=False):
    """A summary content unit."""

    scu_id: int
    label: str = ""
    contributors: tuple[Contributor, ...] = ()

    @property
    def weight(self) -> int:
        """The number of summaries that contribute."""
        return len({contributor.summary_index for contributor in self.contributors})


class Pyramid(msgspec.Struct, frozen=True, gc=False):
    """The SCUs of the reference summaries of one input."""

    instance_id: str
    summaries: tuple[str, ...] = ()
    summarizer_ids: tuple[str, ...] = ()
    scus: tuple[Scu, ...] = ()

    def __post_init__(self) -> None:
        size = len(self.summaries)
        if len(self.summarizer_ids) != size:
            raise ValueError(f"{size} summaries have {len(self.summarizer_ids)} summarizer_ids")
        for scu in self.scus:
            for contributor in scu.contributors:
                if not 0 <= contributor.summary_index < size:
                    raise ValueError(
                        f"SCU {scu.scu_id} has summary_index {contributor.summary_index}, "
                        f"there are {size} summaries"
                    )

    def remove_summary(self, index: int) -> Pyramid:
        """The pyramid of the other summaries; SCUs that only this one made are gone."""
        scus = []
        for scu in self.scus:
            rest = tuple(
                msgspec.structs.replace(
                    contributor,
                    summary_index=contributor.summary_index - (contributor.summary_index > index),
                )
                for contributor in scu.contributors
                if contributor.summary_index != index
            )
            if rest:
                scus.append(msgspec.structs.replace(scu, contributors=rest))
        return Pyramid(
            self.instance_id,
            self.summaries[:index] + self.summaries[index + 1 :],
            self.summarizer_ids[:index] + self.summarizer_ids[index + 1 :],
            tuple(scus),
        )

    def annotation(self, index: int) -> Annotation:
        """A summary of the pyramid as if it had been annotated like a peer."""
        scus = []
        for scu in self.scus:
            own = tuple(
                PeerContributor(contributor.label, contributor.parts)
                for contributor in scu.contributors
                if contributor.summary_index == index
            )
            if own:
                scus.append(PeerScu(scu.scu_id, scu.label, own))
        return Annotation(
            self.instance_id,
            self.summarizer_ids[index],
            "reference",
            self.summaries[index],
            tuple(scus),
        )


def annotation_agreement(annotations: Iterable[Annotation]) -> float | None:
    """The agreement of several annotations of the same summaries, with the distance MASI.

    None where no summary is annotated twice; where all annotations are equal, it is 1.
    """
    from karat.stats.agreement import krippendorff_alpha_of_sets

    by_summary: dict[tuple[str, str], list[frozenset[int]]] = {}
    for annotation in annotations:
        key = annotation.instance_id, annotation.summarizer_id
        units = frozenset(scu.scu_id for scu in annotation.scus)
        by_summary.setdefault(key, []).append(units)
    by_annotator = list(zip_longest(*by_summary.values()))
    found = krippendorff_alpha_of_sets(by_annotator, resamples=0)
    return 1.0 if found.units and found.value is None else found.value
