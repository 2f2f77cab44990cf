"""Data sets on stories of CNN and Daily Mail: SummEval, and the claims of Kryściński (2019)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from karat.errors import OptionError, Place, counted, quote_some
from karat.meta.datasets.archives import tar_members
from karat.meta.datasets.reading import bad, inner_lines, json_lines, need, one_file
from karat.meta.datasets.writing import Outcome, labelled, metrics_record, summary_record

_DIMENSIONS = ("coherence", "consistency", "fluency", "relevance")


def summeval(paths: Sequence[str]) -> Outcome:
    """SummEval (Fabbri et al. 2020), from ``model_annotations.aligned[.paired].jsonl``.

    Judgements are lists: three experts and five workers. The place in a list of
    workers is no person. Where the file has references, the first is the
    published one, the others were written by workers. With the archives of
    stories there are documents; with those of the models as well, all their
    outputs.
    """
    outcome = Outcome()
    metrics, one, crowd = [], [], []
    systems: dict[str, int] = {}
    archives = [path for path in paths if is_outputs(path)]
    sources = [path for path in paths if "stories" in Path(path).name.lower()]
    judged_texts: dict[tuple[str, str], str] = {}
    records = [
        found
        for path in paths
        if path not in archives and path not in sources
        for found in json_lines(path)
    ]
    if archives and not sources:
        raise OptionError(
            "outputs of models need the stories that they summarize",
            code="K364",
            advice="give cnn_stories.tgz and dailymail_stories.tgz as well",
        )
    if sources and not records:
        raise OptionError("there is no model_annotations.aligned.jsonl", code="K364")
    stories = read_stories(sources, {str(record.get("filepath")) for record, _ in records})
    for record, place in records:
        instance = str(need(record, "id", str, place))
        system = str(need(record, "model_id", str, place))
        systems[system] = systems.get(system, 0) + 1
        judged = {
            who: _judgements(record, f"{who}_annotations", place) for who in ("expert", "turker")
        }
        metrics.append(metrics_record(instance, system, judged))
        references = record.get("references", [])
        if not isinstance(references, list) or not all(isinstance(r, str) for r in references):
            raise bad("$.references must be a list of strings", place)
        if references:
            text = need(record, "decoded", str, place)
            written = [
                labelled("ground-truth" if i == 0 else f"turker-{i}", reference)
                for i, reference in enumerate(references)
            ]
            more: dict[str, Any] = {}
            if isinstance(record.get("filepath"), str):
                more["file_path"] = record["filepath"]
            if isinstance(record.get("text"), str):
                more["document"] = {"text": record["text"]}
            elif sources:
                path = need(record, "filepath", str, place)
                more["document"] = {"text": article(story(stories, path, place))}
            judged_texts[instance, system] = text
            one.append({**summary_record(instance, system, text, written[:1]), **more})
            crowd.append({**summary_record(instance, system, text, written), **more})
    outcome.files["metrics.jsonl"] = metrics
    if one:
        outcome.files["summaries.jsonl"] = one
        outcome.files["summaries-with-crowd.jsonl"] = crowd
    else:
        outcome.warnings.append("the files have no references: only judgements are written")
    if archives:
        summeval_outputs(outcome, archives, sources, judged_texts)
    if len(systems) != 16 or set(systems.values()) != {100}:
        outcome.warnings.append(
            f"expected 16 systems with 100 summaries each, found {counted(len(systems), 'system')} "
            f"with {min(systems.values(), default=0)} to {max(systems.values(), default=0)}"
        )
    return outcome


def _judgements(record: Mapping[str, Any], name: str, place: Place) -> dict[str, list[float]]:
    annotations = need(record, name, list, place)
    result: dict[str, list[float]] = {}
    for dimension in _DIMENSIONS:
        values = [a.get(dimension) if isinstance(a, dict) else None for a in annotations]
        if any(isinstance(v, bool) or not isinstance(v, (int, float)) for v in values):
            raise bad(f"$.{name} must have a number {dimension!r} for each annotator", place)
        result[dimension] = values  # type: ignore[assignment]
    return result


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
    outcome.warn_if(absent, f"all-summaries lacks the judged systems {', '.join(absent)}")
    lost = [key for key in judged if key not in found and key[1] not in absent]
    if lost:
        shown = quote_some(["/".join(key) for key in lost])
        outcome.warnings.append(f"all-summaries lacks judged summaries: {shown}")
    outcome.warn_if(empty, f"{counted(empty, 'output is', 'outputs are')} empty")
    outcome.warn_if(replaced, f"{counted(replaced, 'output')} replaced by the text that was judged")


def _outputs(path: str) -> Iterator[tuple[tuple[str, str], _Output]]:
    for name, data in tar_members(path, ".aligned.jsonl"):
        system = next((part for part in PurePosixPath(name).parts if part in _JUDGED), "")
        if not system or PurePosixPath(name).name != f"outputs{_JUDGED[system]}.aligned.jsonl":
            continue
        for record, place in inner_lines(f"{path}:{name}", data):
            record["decoded"] = record.get("decoded") or ""
            instance = need(record, "id", str, place)
            text, reference, story_path = (
                need(record, field, str, place) for field in ("decoded", "reference", "filepath")
            )
            yield (_identity(instance), system), _Output(text, reference, story_path, place)


def _identity(instance: str) -> str:
    """One output has the path of its story in place of its id."""
    if not instance.endswith(".story"):
        return instance
    parts = PurePosixPath(instance)
    return f"{'dm' if 'dailymail' in parts.parts else 'cnn'}-test-{parts.stem}"


def kryscinski2019(paths: Sequence[str]) -> Outcome:
    """Kryściński et al. (2019): claims that are consistent with an article or not.

    From unpaired_annotated_data.tar.gz and the archives of CNN and Daily Mail
    stories. The claim is the summary, the label is kept in the record. Of several claims
    about one article the second and all after it have summarizers with a number, as a
    summarizer has one summary of an article.
    """
    outcome = Outcome()
    annotated = one_file(paths, "unpaired")
    claims: dict[str, list[tuple[dict[str, Any], Place]]] = {}
    for name, data in tar_members(annotated, ".jsonl"):
        split = "valid" if "/val/" in f"/{name}" else "test"
        claims.setdefault(split, []).extend(inner_lines(f"{annotated}:{name}", data))
    stories = read_stories(
        [path for path in paths if path != annotated],
        {need(c, "filepath", str, place) for found in claims.values() for c, place in found},
    )
    for split, found in claims.items():
        seen: Counter[str] = Counter()
        records = []
        for claim, place in found:
            instance = str(need(claim, "id", str, place))
            seen[instance] += 1
            number = f"-{seen[instance]}" if seen[instance] > 1 else ""
            records.append(
                {
                    "instance_id": instance,
                    "summarizer_id": f"kryscinski2019{number}",
                    "summarizer_type": "peer",
                    "summary": {"text": need(claim, "claim", str, place)},
                    "document": {"text": article(story(stories, claim["filepath"], place))},
                    "filepath": claim["filepath"],
                    "label": need(claim, "label", str, place),
                }
            )
        outcome.files[f"{split}.jsonl"] = records
        if further := len(found) - len(seen):
            outcome.warnings.append(
                f"{split}: {counted(further, 'claim')} about an article with an earlier claim: "
                "their summarizers are numbered"
            )
    return outcome


_ENDS = (".", "!", "?", "'", "`", '"', "\u2019", "\u201d", ")")
_MARK = "@highlight"


def read_stories(paths: Sequence[str], wanted: Collection[str]) -> dict[str, str]:
    """The stories that are wanted, by the last parts of their paths."""
    keys = {_tail(path) for path in wanted}
    return {
        _tail(name): data.decode("utf-8", "replace")
        for path in paths
        for name, data in tar_members(path, ".story")
        if _tail(name) in keys
    }


def _tail(path: str) -> str:
    return "/".join(path.split("/")[-3:])


def story(stories: Mapping[str, str], path: str, place: Place) -> str:
    """The story that a record refers to."""
    if _tail(path) not in stories:
        raise bad(
            f"the story {path!r} is in none of the archives",
            place,
            advice="give cnn_stories.tgz and dailymail_stories.tgz as well",
        )
    return stories[_tail(path)]


def article(text: str) -> str:
    """A story without its highlights, in one line."""
    lines = text.partition(_MARK)[0].split("\n")
    return " ".join(line.strip() for line in lines if line.strip())


def article_and_highlights(text: str) -> tuple[str, str]:
    """A story and its highlights, each in one line; lines without an end get a full stop.

    >>> article_and_highlights("It rains\\n\\nToday.\\n\\n@highlight\\n\\nRain")
    ('It rains. Today.', 'Rain.')
    """
    body: list[str] = []
    highlights: list[str] = []
    part = body
    for line in map(str.strip, text.splitlines()):
        if line.startswith(_MARK):
            part = highlights
        elif line:
            part.append(line if line.endswith(_ENDS) else line + ".")
    return " ".join(body), " ".join(highlights)
