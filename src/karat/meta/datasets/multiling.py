"""MultiLing 2011 to 2017: documents and summaries in many languages.

Of clusters of news (MDS), texts are ``M0012.english``: cluster ``M001``, text 2, and
summaries ``M001.A.english.250``. Single articles (SDS) have names that begin with 32
hexadecimal digits, in folders of language codes.
"""

from __future__ import annotations

import csv
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Any

from karat.errors import FormatError, OptionError, Place
from karat.meta.datasets.archives import ZipFiles, members
from karat.meta.datasets.nist import Task, automatic, demand, lines, numbers, three
from karat.meta.datasets.writing import Outcome, labelled

LANGUAGES = {
    "arabic": "ar", "bulgarian": "bg", "chinese": "zh", "czech": "cs", "english": "en",
    "french": "fr", "greek": "el", "hebrew": "he", "hindi": "hi", "romanian": "ro",
    "spanish": "es",
}  # fmt: skip
# The files of ROUGE number the clusters in another way; found by scoring them again.
_ROUGE_CLUSTERS = {
    "1": "M002", "2": "M003", "3": "M001", "4": "M000", "5": "M007",
    "6": "M005", "7": "M004", "8": "M006", "9": "M008", "10": "M009",
}  # fmt: skip
_SOURCE = re.compile(r"(M\d{3})\d+\.(\w+)", re.IGNORECASE)
_CLUSTER = re.compile(r"(M\d{3})", re.IGNORECASE)
_ROUGE_NAME = re.compile(r"(\d+)\.ID(\w+)")
_HASH = re.compile(r"[0-9a-fA-F]{32}")


def _language(name: str, place: Place) -> str:
    code = LANGUAGES.get(name.lower())
    if code is None:
        raise FormatError(f"{name!r} is no language of MultiLing", code="K163", place=place)
    return code


def _cluster(name: str, place: Place) -> str:
    found = _CLUSTER.match(name)
    if not found:
        raise FormatError(f"{name!r} names no cluster", code="K163", place=place)
    return found[1].upper()


@dataclass(slots=True)
class _Clusters:
    """Texts and human summaries of the clusters of one language, and the judged summaries."""

    documents: dict[str, list[dict[str, Any]]] = field(default_factory=lambda: defaultdict(list))
    humans: dict[str, list[dict[str, Any]]] = field(default_factory=lambda: defaultdict(list))
    task: Task = field(default_factory=Task)

    def source(self, name: str, cluster: str, data: bytes) -> None:
        self.documents[cluster].append({"filename": name, "text": lines(data)})

    def human(self, name: str, data: bytes, place: Place) -> None:
        """A summary such as ``M001.A.english.250``."""
        cluster, annotator = _cluster(name, place), name.split(".")[1]
        self.humans[cluster].append({"annotator": annotator, "text": lines(data)})
        self.task.texts[cluster][annotator] = lines(data)

    def records(self) -> list[Mapping[str, Any]]:
        """Documents in the order of their names, summaries in the order of their writers."""
        return [
            {
                "instance_id": cluster,
                "documents": sorted(self.documents[cluster], key=lambda text: text["filename"]),
                "summaries": sorted(self.humans[cluster], key=lambda text: text["annotator"]),
            }
            for cluster in sorted(self.documents)
        ]


def _by_language() -> dict[str, _Clusters]:
    return defaultdict(_Clusters)


def multiling2011(paths: Sequence[str]) -> Outcome:
    """MultiLing 2011, from PublishedCorpusFileSet.zip, which holds the other archives."""
    outcome = Outcome()
    found = _by_language()
    seen: dict[str, bool] = dict.fromkeys(
        ("SourceTexts", "ModelSummaries", "PeerSummaries", "EvaluationResults"), False
    )
    for path in paths:
        archive = ZipFiles(path)
        for name in archive.names:
            part = next((part for part in seen if part in name and name.endswith(".zip")), None)
            if part is None:
                continue
            seen[part] = True
            for inner, data in archive.within(name).members():
                place = Place(f"{path}:{name}:{inner}")
                _READERS_2011[part](found, PurePosixPath(inner), data, place)
    demand(
        {f"MultiLingPilot2011-{part}.zip": value for part, value in seen.items()}, "MultiLing 2011"
    )
    for code in sorted(found):
        outcome.files[f"{code}.jsonl"] = found[code].records()
        found[code].task.fill(outcome, code)
    return outcome


def _source_2011(
    found: dict[str, _Clusters], file: PurePosixPath, data: bytes, place: Place
) -> None:
    if match := _SOURCE.fullmatch(file.name):
        found[_language(match[2], place)].source(file.name, match[1].upper(), data)


def _model_2011(
    found: dict[str, _Clusters], file: PurePosixPath, data: bytes, place: Place
) -> None:
    if file.suffix == ".250":
        found[_language(file.parent.name, place)].human(file.name, data, place)


def _peer_2011(found: dict[str, _Clusters], file: PurePosixPath, data: bytes, place: Place) -> None:
    """``.../ID3/english/M001.250``"""
    if _CLUSTER.match(file.name) and len(file.parts) > 2:
        language, summarizer = file.parent.name, file.parent.parent.name.removeprefix("ID")
        texts = found[_language(language, place)].task.texts
        texts[_cluster(file.name, place)][summarizer] = lines(data)


def _scores_2011(
    found: dict[str, _Clusters], file: PurePosixPath, data: bytes, place: Place
) -> None:
    if "HumanEvaluation" in file.parts and file.name.endswith("Grades.csv"):
        scores = found[_language(file.name.removesuffix("Grades.csv"), place)].task.scores
        for words, where in _rows(data, 7, place):
            cell = scores[words[0]][words[1].removeprefix("ID")]
            for name, value in (("grade", words[4]), ("length_aware_grade", words[6])):
                cell.setdefault(name, []).append(numbers([value], where)[0])
    elif "Detailed" not in file.parts:
        return
    elif "AutoSummENG" in file.parts and file.name.endswith("Detailed.csv"):
        scores = found[_language(file.name.removesuffix("Detailed.csv"), place)].task.scores
        for words, where in _rows(data, 4, place):
            scores[words[0]][words[1].removeprefix("ID")]["MeMoG"] = numbers([words[3]], where)[0]
    elif "ROUGE" in file.parts and file.name.endswith("Detailed.txt"):
        scores = found[_language(file.name.removesuffix("Detailed.txt"), place)].task.scores
        for match, metric, values in automatic(data, _ROUGE_NAME, place):
            if match[1] not in _ROUGE_CLUSTERS:
                raise FormatError(f"{match[0]!r} names no cluster", code="K163", place=place)
            scores[_ROUGE_CLUSTERS[match[1]]][match[2]][metric] = three(values)


_READERS_2011 = {
    "SourceTexts": _source_2011,
    "ModelSummaries": _model_2011,
    "PeerSummaries": _peer_2011,
    "EvaluationResults": _scores_2011,
}


def _rows(data: bytes, width: int, place: Place) -> Iterator[tuple[list[str], Place]]:
    """The rows of a table below its header; cells are divided by blanks and may be quoted."""
    for number, line in enumerate(lines(data)[1:], 2):
        words = [word.strip('"') for word in line.split()]
        where = Place(place.file, number)
        if len(words) < width:
            raise FormatError(
                f"expected {width} cells, found {len(words)}", code="K166", place=where
            )
        yield words, where


def multiling2013(paths: Sequence[str]) -> Outcome:
    """MultiLing 2013: articles (SDS), and clusters (MDS) with grades of their summaries.

    Which archive is which is told by what is in it.
    """
    outcome = Outcome()
    found, articles = _by_language(), _Articles()
    graded = peers = False
    for path in paths:
        for name, data in members(path):
            file, place = PurePosixPath(name), Place(f"{path}:{name}")
            if articles.take(file, data):
                continue
            if file.suffix == ".csv":
                graded = True
                _grades_2013(found, data, place)
            elif file.suffix == ".250":
                language = found[_language(file.parent.name, place)]
                # Systems have a folder of their own above that of the language.
                if len(file.parts) > 3:
                    peers, system = True, file.parent.parent.name
                    if system.isalpha():
                        raise FormatError(
                            f"systems have numbers, as in ID1, found {system!r}",
                            code="K163",
                            place=place,
                        )
                    language.task.texts[_cluster(file.name, place)][system] = lines(data)
                else:
                    language.human(file.name, data, place)
            elif match := _SOURCE.fullmatch(file.name):
                found[_language(match[2], place)].source(file.name, match[1].upper(), data)
    demand(
        {
            "multilingpilot2013.tar.bz2": articles.bodies,
            "SourceTextsV2b.zip": any(each.documents for each in found.values()),
            "ModelSummaries.zip": any(each.humans for each in found.values()),
            "PeerSummaries.zip": peers,
            "MultiDocument-ManualGrades.zip": graded,
        },
        "MultiLing 2013",
    )
    articles.fill(outcome)
    for code in sorted(found):
        outcome.files[f"mds/{code}.jsonl"] = found[code].records()
        found[code].task.fill(outcome, f"mds/{code}")
    return outcome


def _grades_2013(found: dict[str, _Clusters], data: bytes, place: Place) -> None:
    """Cluster, summarizer, language, two cells that are not read, the grade."""
    rows = csv.reader(lines(data)[1:], delimiter="\t")
    for number, row in enumerate(rows, 2):
        where = Place(place.file, number)
        if len(row) != 6:
            raise FormatError(f"expected 6 cells, found {len(row)}", code="K166", place=where)
        scores = found[_language(row[2].strip(), where)].task.scores
        cell = scores[_cluster(row[0], where)][row[1].strip()]
        cell.setdefault("overall_responsiveness", []).append(numbers([row[5]], where)[0])


@dataclass(slots=True)
class _Articles:
    """Single articles and their summaries, by language and name."""

    bodies: dict[str, dict[str, list[str]]] = field(default_factory=lambda: defaultdict(dict))
    summaries: dict[str, dict[str, list[str]]] = field(default_factory=lambda: defaultdict(dict))

    def take(self, file: PurePosixPath, data: bytes) -> bool:
        """Takes ``body/text/en/HASH_body.txt`` and ``summary/en/HASH_summary.txt``."""
        if file.suffix != ".txt" or len(file.parts) < 3:
            return False
        *above, folder, language = file.parts[:-1]
        if language == "simple":  # no language of the task
            return True
        if folder == "text" and above[-1:] == ["body"]:
            self.bodies[language][_article(file.name)] = lines(data)
        elif folder in ("summary", "2017_summaries") and "baselines2017" not in above:
            self.summaries[language][_article(file.name)] = lines(data)
        else:
            return False
        return True

    def fill(self, outcome: Outcome) -> None:
        """Adds the articles; those without a summary are counted."""
        lacking = 0
        for code in sorted(self.bodies):
            records = []
            for name, text in sorted(self.bodies[code].items()):
                summary = self.summaries.get(code, {}).get(name)
                lacking += summary is None
                document = {"filename": name, "text": text}
                record: dict[str, Any] = {"instance_id": name, "document": document}
                if summary is not None:
                    record["summary"] = {"text": summary}
                records.append(record)
            outcome.files[f"sds/{code}.jsonl"] = records
        if lacking:
            outcome.warnings.append(f"{lacking} articles have no summary")


def _article(name: str) -> str:
    found = _HASH.match(name)
    return found[0] if found else PurePosixPath(name).stem


Submitted = dict[str, dict[str, dict[str, tuple[str, list[str]]]]]
"""Language, article and summarizer to the type of the summarizer and the text."""


def _submitted() -> Submitted:
    return defaultdict(lambda: defaultdict(dict))


def _fill_submitted(outcome: Outcome, found: Submitted) -> None:
    """Adds the summaries. The only human of an article is a reference, and not scored."""
    alone = 0
    for code in sorted(found):
        records = []
        for instance, texts in sorted(found[code].items()):
            humans = [who for who, (kind, _) in sorted(texts.items()) if kind == "reference"]
            for who, (kind, text) in sorted(texts.items()):
                references = [labelled(other, texts[other][1]) for other in humans if other != who]
                if not references:
                    alone += kind == "peer"
                    continue
                records.append(
                    {
                        "instance_id": instance,
                        "summarizer_id": who,
                        "summarizer_type": kind,
                        "summary": labelled(who, text, kind),
                        "references": references,
                    }
                )
        outcome.files[f"sds/{code}.summaries.jsonl"] = records
    if alone:
        outcome.warnings.append(f"{alone} submitted summaries have no reference and are left out")


_TRAINING = ("M001", "M002", "M003")


def multiling2015(paths: Sequence[str]) -> Outcome:
    """MultiLing 2015: articles with what was submitted (SDS), and clusters (MDS).

    Clusters for training have human summaries; they are left out of the test.
    """
    outcome = Outcome()
    articles, submitted, empty = _Articles(), _submitted(), 0
    train, test = _by_language(), _by_language()
    for path in paths:
        for name, data in members(path):
            file, place = PurePosixPath(name), Place(f"{path}:{name}")
            if "mss-submits" in file.parts:
                # mss-submits/original/TEAM/LANGUAGE/RUN/ARTICLE.txt
                after = file.parts[file.parts.index("mss-submits") + 1 :]
                if len(after) != 5 or after[0] != "original" or file.suffix != ".txt":
                    continue
                team, language, run = after[1:4]
                text = lines(data)
                empty += not text
                if text:
                    who = f"{team}-{run}"
                    kind = "reference" if team.startswith("human") else "peer"
                    submitted[language][_article(file.name)][who] = kind, text
            elif articles.take(file, data) or len(file.parts) < 3:
                continue
            elif file.suffix == ".250":
                train[_language(file.parts[1], place)].human(file.name, data, place)
            elif match := _SOURCE.match(file.name):
                cluster = match[1].upper()
                # Training texts lie one folder deeper, beside their summaries.
                part = train if len(file.parts) > 3 else test
                if part is train or cluster not in _TRAINING:
                    part[_language(file.parts[1], place)].source(file.name, cluster, data)
    demand(
        {
            "multilingMss2015Eval.tar.gz": articles.bodies,
            "Evaluation_MultiLing2015_MSS": submitted,
            "TrainingData2015.zip": train,
            "SourceTextsV2b.zip": test,
        },
        "MultiLing 2015",
    )
    articles.fill(outcome)
    _fill_submitted(outcome, submitted)
    for code in sorted(train):
        outcome.files[f"mds/{code}.train.jsonl"] = train[code].records()
    for code in sorted(test):
        outcome.files[f"mds/{code}.test.jsonl"] = [
            {name: record[name] for name in ("instance_id", "documents")}
            for record in test[code].records()
        ]
    if empty:
        outcome.warnings.append(f"{empty} submitted summaries are empty and left out")
    return outcome


def multiling2017(paths: Sequence[str]) -> Outcome:
    """MultiLing 2017: articles, their summaries, and what was submitted."""
    outcome = Outcome()
    articles, submitted, empty, peers = _Articles(), _submitted(), 0, False
    for path in paths:
        for name, data in members(path):
            file = PurePosixPath(name)
            if "MultiLing17_Submissions" not in file.parts:
                articles.take(file, data)
                continue
            # TEAM/RUN/LANGUAGE/ARTICLE.txt; of the baselines, the run is the name.
            after = file.parts[file.parts.index("MultiLing17_Submissions") + 1 :]
            if len(after) != 4 or file.suffix != ".txt" or "simple" in after[:3]:
                continue
            team, run, language = after[:3]
            if team == "baselines2017" and (
                run == "2017_summaries" or file.name.endswith("_body.txt")
            ):
                continue  # the references, and the articles, once more
            peers = True
            text = lines(data)
            empty += not text
            if text:
                who = run if team == "baselines2017" else f"{team}-{run}"
                submitted[language][_article(file.name)][who] = "peer", text
    demand({"2017_test_data.tgz": articles.bodies, "EvaluationML2017.tgz": peers}, "MultiLing 2017")
    if not articles.summaries:
        raise OptionError("there are no references under 2017_summaries", code="K364")
    for code, texts in articles.summaries.items():
        for instance, text in texts.items():
            submitted[code][instance]["reference"] = "reference", text
    articles.fill(outcome)
    _fill_submitted(outcome, submitted)
    if empty:
        outcome.warnings.append(f"{empty} submitted summaries are empty and left out")
    return outcome
