"""All outputs of the systems that SummEval and REALSumm judged a part of."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

import msgspec

from karat.core.files.opener import Source
from karat.errors import FormatError, OptionError, Place, quote_some
from karat.meta.datasets.archives import tar_members
from karat.meta.datasets.stories import article, article_and_highlights, read_stories, story
from karat.meta.datasets.writing import Outcome, labelled, summary_record

# Archives hold the outputs of several versions of a model; these were judged.
_JUDGED = {
    "M0": "", "M1": "", "M2": "", "M5": "_rouge", "M8": "_ptrgen+cov", "M9": "_extabs+rl+rerank",
    "M10": "_encdec", "M11": "_novelty", "M12": "", "M13": "", "M14": "", "M15": "_coverage",
    "M17": "_11B", "M20": "_zeroshot", "M22": "_cnndm", "M23": "_c4_cnn_dailymail",
}  # fmt: skip
_ARCHIVE = re.compile(r"M\d+\.(?:tar\.gz|tgz|tar)")


def is_outputs(path: str) -> bool:
    """Whether a file is the archive of a model of SummEval, such as ``M0.tar.gz``."""
    return bool(_ARCHIVE.fullmatch(Path(path).name))


@dataclass(frozen=True, slots=True)
class _Output:
    text: str
    reference: str
    path: str
    place: Place


def summeval_outputs(
    outcome: Outcome,
    archives: Sequence[str],
    stories: Sequence[str],
    judged: Mapping[tuple[str, str], str],
) -> None:
    """``all-summaries-…``: with the references of the outputs, and with those of the stories.

    Of several outputs for one article the first is taken, or the one that was
    judged. Where none is what was judged, the judged text is taken.
    """
    found: dict[tuple[str, str], list[_Output]] = {}
    empty = 0
    for path in archives:
        for key, output in _outputs(path):
            found.setdefault(key, []).append(output)
            empty += not output.text
    texts = read_stories(stories, {each.path for all in found.values() for each in all})
    articles: dict[str, tuple[str, str, str]] = {}
    preproc: list[Mapping[str, Any]] = []
    orig: list[Mapping[str, Any]] = []
    replaced = 0
    for (instance, system), candidates in found.items():
        wanted = judged.get((instance, system))
        output = next((each for each in candidates if each.text == wanted), candidates[0])
        text = output.text
        if wanted is not None and text != wanted:
            text, replaced = wanted, replaced + 1
        if output.path not in articles:
            whole = story(texts, output.path, output.place)
            articles[output.path] = (article(whole), *article_and_highlights(whole))
        plain, full, highlights = articles[output.path]
        for records, document, reference in (
            (preproc, plain, output.reference),
            (orig, full, highlights),
        ):
            records.append(
                {
                    **summary_record(instance, system, text, [labelled("ground-truth", reference)]),
                    "document": {"text": document},
                    "filepath": output.path,
                }
            )
    outcome.files["all-summaries-preproc-refs.jsonl.gz"] = preproc
    outcome.files["all-summaries-orig-refs.jsonl.gz"] = orig
    absent = sorted(set(_JUDGED) - {system for _, system in found}, key=lambda name: int(name[1:]))
    if absent:
        outcome.warnings.append(f"all-summaries lacks the judged systems {', '.join(absent)}")
    lost = [key for key in judged if key not in found and key[1] not in absent]
    if lost:
        shown = quote_some(["/".join(key) for key in lost])
        outcome.warnings.append(f"all-summaries lacks judged summaries: {shown}")
    if empty:
        outcome.warnings.append(f"{empty} outputs are empty")
    if replaced:
        outcome.warnings.append(f"{replaced} outputs are not what was judged: that is taken")


def _outputs(path: str) -> Iterator[tuple[tuple[str, str], _Output]]:
    for name, data in tar_members(path, ".aligned.jsonl"):
        system = next((part for part in PurePosixPath(name).parts if part in _JUDGED), "")
        if not system or PurePosixPath(name).name != f"outputs{_JUDGED[system]}.aligned.jsonl":
            continue
        for number, line in enumerate(data.decode("utf-8", "replace").split("\n"), 1):
            if not line.strip():
                continue
            place = Place(f"{path}:{name}", number)
            try:
                record = msgspec.json.decode(line, type=dict[str, Any])
                instance, story_path = record["id"], record["filepath"]
                reference, text = record["reference"], record.get("decoded") or ""
            except (msgspec.DecodeError, UnicodeDecodeError, RecursionError, KeyError) as error:
                raise FormatError(
                    f"this is no output of a system: {error}", code="K163", place=place
                ) from None
            if not all(isinstance(v, str) for v in (instance, story_path, reference, text)):
                raise FormatError(
                    "id, filepath, reference and decoded must be texts", code="K163", place=place
                )
            yield (_identity(instance), system), _Output(text, reference, story_path, place)


def _identity(instance: str) -> str:
    """One output has the path of its story in place of its id."""
    if not instance.endswith(".story"):
        return instance
    parts = PurePosixPath(instance)
    return f"{'dm' if 'dailymail' in parts.parts else 'cnn'}-test-{parts.stem}"


Lines = tuple[list[str], list[str], list[str]]
"""The sources, the references and the outputs of a system."""


def realsumm_lines(paths: Sequence[str]) -> dict[str, Lines]:
    """The files ``SYSTEM/src.txt``, ``ref.txt`` and ``out.txt``, also below folders."""
    sides: dict[str, dict[str, Path]] = {}
    for given in map(Path, paths):
        for path in sorted(given.rglob("*.txt*")) if given.is_dir() else [given]:
            side = path.name.partition(".")[0]
            if side in ("src", "ref", "out"):
                known = sides.setdefault(path.parent.name, {})
                if side in known:
                    raise OptionError(
                        f"two files are {side} of {path.parent.name!r}: {str(path)!r} and "
                        f"{str(known[side])!r}",
                        code="K368",
                    )
                known[side] = path
            elif not given.is_dir():
                raise OptionError(f"{str(path)!r} is none of src, ref and out", code="K368")
    result: dict[str, Lines] = {}
    for system, files in sides.items():
        if len(files) != 3:
            raise OptionError(f"{system!r} needs src.txt, ref.txt and out.txt", code="K368")
        src, ref, out = (
            [line.strip() for _, line in Source(str(files[side])).lines()]
            for side in ("src", "ref", "out")
        )
        if not len(src) == len(ref) == len(out):
            raise FormatError(
                f"src, ref and out have {len(src)}, {len(ref)} and {len(out)} lines",
                code="K165",
                place=Place(str(files["out"])),
            )
        result[system] = src, ref, out
    return result


def sentences(text: str) -> list[str]:
    """The sentences between ``<t>`` and ``</t>``; the text itself where there are no marks."""
    begun = [each.partition("</t>") for each in text.split("<t>")[1:]]
    found = [inside.strip() for inside, mark, _ in begun if mark]
    return [sentence for sentence in found if sentence] if found else [text.strip()]


_UNALIGNED = ("### NO MATCH FOUND ###", "### IGNORE ###")


def realsumm_outputs(lines: Mapping[str, Lines]) -> tuple[dict[str, list[Any]], int]:
    """All outputs of each system, and how many are left out: not aligned, or empty.

    Numbers of lines are not the ids of the judged articles, and have another form.
    """
    found: dict[str, list[Any]] = {}
    dropped = 0
    for system, (sources, references, outputs) in lines.items():
        records = found.setdefault(system, [])
        for i, output in enumerate(outputs):
            text = [sentence for sentence in sentences(output) if sentence]
            if not text or any(mark in output for mark in _UNALIGNED):
                dropped += 1
                continue
            reference = labelled("ground-truth", sentences(references[i]))
            record = summary_record(f"all-summaries-{i}", system, text, [reference])
            records.append({**record, "document": {"text": sentences(sources[i])}})
    return found, dropped
