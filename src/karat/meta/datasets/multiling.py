"""MultiLing 2011 to 2017: clusters of news (MDS) and single articles (SDS) in many languages."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath
from typing import Any

from karat.errors import OptionError, Place
from karat.meta.datasets.archives import ZipFiles, members
from karat.meta.datasets.multiling_articles import Articles, Submissions, article_name
from karat.meta.datasets.multiling_clusters import (
    CLUSTER,
    SOURCE,
    Clusters,
    by_language,
    cluster_name,
    language_code,
)
from karat.meta.datasets.nist import automatic, complete, demand, three
from karat.meta.datasets.reading import bad, lines, numbers
from karat.meta.datasets.writing import Outcome
from karat.meta.records import SummarizerType

# The files of ROUGE number the clusters in another way; found by scoring them again.
_ROUGE_CLUSTERS = {
    "1": "M002", "2": "M003", "3": "M001", "4": "M000", "5": "M007",
    "6": "M005", "7": "M004", "8": "M006", "9": "M008", "10": "M009",
}  # fmt: skip
_SDS = "sds/LANGUAGE.jsonl"
_MDS = "the files in mds"
_ROUGE_NAME = re.compile(r"(\d+)\.ID(\w+)")


def multiling2011(paths: Sequence[str]) -> Outcome:
    """MultiLing 2011, from PublishedCorpusFileSet.zip, which holds the other archives."""
    outcome = Outcome()
    found = by_language()
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
    found: dict[str, Clusters], file: PurePosixPath, data: bytes, place: Place
) -> None:
    if match := SOURCE.fullmatch(file.name):
        found[language_code(match[2], place)].source(file.name, match[1].upper(), data)


def _model_2011(found: dict[str, Clusters], file: PurePosixPath, data: bytes, place: Place) -> None:
    if file.suffix == ".250":
        found[language_code(file.parent.name, place)].human(file.name, data, place)


def _peer_2011(found: dict[str, Clusters], file: PurePosixPath, data: bytes, place: Place) -> None:
    """``.../ID3/english/M001.250``"""
    if CLUSTER.match(file.name) and len(file.parts) > 2:
        language, summarizer = file.parent.name, file.parent.parent.name.removeprefix("ID")
        texts = found[language_code(language, place)].task.texts
        texts[cluster_name(file.name, place)][summarizer] = lines(data)


def _scores_2011(
    found: dict[str, Clusters], file: PurePosixPath, data: bytes, place: Place
) -> None:
    if "HumanEvaluation" in file.parts and file.name.endswith("Grades.csv"):
        scores = found[language_code(file.name.removesuffix("Grades.csv"), place)].task.scores
        for words, where in _rows(data, 7, place):
            cell = scores[words[0]][words[1].removeprefix("ID")]
            for name, value in (("grade", words[4]), ("length_aware_grade", words[6])):
                cell.setdefault(name, []).append(numbers([value], where)[0])
    elif "Detailed" not in file.parts:
        return
    elif "AutoSummENG" in file.parts and file.name.endswith("Detailed.csv"):
        scores = found[language_code(file.name.removesuffix("Detailed.csv"), place)].task.scores
        for words, where in _rows(data, 4, place):
            scores[words[0]][words[1].removeprefix("ID")]["MeMoG"] = numbers([words[3]], where)[0]
    elif "ROUGE" in file.parts and file.name.endswith("Detailed.txt"):
        scores = found[language_code(file.name.removesuffix("Detailed.txt"), place)].task.scores
        for match, metric, values in automatic(data, _ROUGE_NAME, place):
            if match[1] not in _ROUGE_CLUSTERS:
                raise bad(f"{match[0]!r} names no cluster", place)
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
            raise bad(f"expected {width} cells, found {len(words)}", where, "K166")
        yield words, where


def multiling2013(paths: Sequence[str], *, split_sentences: bool = True) -> Outcome:
    """MultiLing 2013: articles (SDS), and clusters (MDS) with grades of their summaries.

    Which archive is which is told by what is in it. Articles are open to everybody: without
    the archives of clusters they are all that is made.
    """
    outcome = Outcome()
    found, articles = by_language(), Articles()
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
                language = found[language_code(file.parent.name, place)]
                # Systems have a folder of their own above that of the language.
                if len(file.parts) > 3:
                    peers, system = True, file.parent.parent.name
                    if system.isalpha():
                        raise bad(f"systems have numbers, as in ID1, found {system!r}", place)
                    language.task.texts[cluster_name(file.name, place)][system] = lines(data)
                else:
                    language.human(file.name, data, place)
            elif match := SOURCE.fullmatch(file.name):
                found[language_code(match[2], place)].source(file.name, match[1].upper(), data)
    clusters = {
        "SourceTextsV2b.zip": any(each.documents for each in found.values()),
        "ModelSummaries.zip": any(each.humans for each in found.values()),
        "PeerSummaries.zip": peers,
        "MultiDocument-ManualGrades.zip": graded,
    }
    groups: dict[str, dict[str, Any]] = {
        _SDS: {"multilingpilot2013.tar.bz2": articles.bodies},
        _MDS: clusters,
    }
    whole = complete(groups, "MultiLing 2013", outcome)
    articles.fill(outcome, split=split_sentences)
    for code in sorted(found) if _MDS in whole else ():
        outcome.files[f"mds/{code}.jsonl"] = found[code].records()
        found[code].task.fill(outcome, f"mds/{code}")
    return outcome


def _grades_2013(found: dict[str, Clusters], data: bytes, place: Place) -> None:
    """Cluster, summarizer, language, two cells that are not read, the grade."""
    rows = csv.reader(lines(data)[1:], delimiter="\t")
    for number, row in enumerate(rows, 2):
        where = Place(place.file, number)
        if len(row) != 6:
            raise bad(f"expected 6 cells, found {len(row)}", where, "K166")
        scores = found[language_code(row[2].strip(), where)].task.scores
        cell = scores[cluster_name(row[0], where)][row[1].strip()]
        cell.setdefault("overall_responsiveness", []).append(numbers([row[5]], where)[0])


_TRAINING = ("M001", "M002", "M003")


def multiling2015(paths: Sequence[str], *, split_sentences: bool = True) -> Outcome:
    """MultiLing 2015: articles with what was submitted (SDS), and clusters (MDS).

    Clusters for training have human summaries; they are left out of the test. Each archive
    gives its own files, so those that are not open to everybody may be left out.
    """
    outcome = Outcome()
    articles, submitted = Articles(), Submissions()
    train, test = by_language(), by_language()
    for path in paths:
        for name, data in members(path):
            file, place = PurePosixPath(name), Place(f"{path}:{name}")
            if "mss-submits" in file.parts:
                # mss-submits/original/TEAM/LANGUAGE/RUN/ARTICLE.txt
                after = file.parts[file.parts.index("mss-submits") + 1 :]
                if len(after) != 5 or after[0] != "original" or file.suffix != ".txt":
                    continue
                team, language, run = after[1:4]
                kind: SummarizerType = "reference" if team.startswith("human") else "peer"
                article = article_name(file.name)
                submitted.add(language, article, f"{team}-{run}", kind, lines(data))
            elif articles.take(file, data) or len(file.parts) < 3:
                continue
            elif file.suffix == ".250":
                train[language_code(file.parts[1], place)].human(file.name, data, place)
            elif match := SOURCE.match(file.name):
                cluster = match[1].upper()
                # Training texts lie one folder deeper, beside their summaries.
                part = train if len(file.parts) > 3 else test
                if part is train or cluster not in _TRAINING:
                    part[language_code(file.parts[1], place)].source(file.name, cluster, data)
    groups: dict[str, dict[str, Any]] = {
        _SDS: {"multilingMss2015Eval.tar.gz": articles.bodies},
        "sds/LANGUAGE.summaries.jsonl": {"Evaluation_MultiLing2015_MSS": submitted.texts},
        "mds/LANGUAGE.train.jsonl": {"TrainingData2015.zip": train},
        "mds/LANGUAGE.test.jsonl": {"SourceTextsV2b.zip": test},
    }
    complete(groups, "MultiLing 2015", outcome)
    articles.fill(outcome, split=split_sentences)
    submitted.fill(outcome)
    for code in sorted(train):
        outcome.files[f"mds/{code}.train.jsonl"] = train[code].records()
    for code in sorted(test):
        outcome.files[f"mds/{code}.test.jsonl"] = [
            {name: record[name] for name in ("instance_id", "documents")}
            for record in test[code].records()
        ]
    return outcome


def multiling2017(paths: Sequence[str], *, split_sentences: bool = True) -> Outcome:
    """MultiLing 2017: articles, their summaries, and what was submitted."""
    outcome = Outcome()
    articles, submitted, peers = Articles(), Submissions(), False
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
            who = run if team == "baselines2017" else f"{team}-{run}"
            submitted.add(language, article_name(file.name), who, "peer", lines(data))
    demand({"2017_test_data.tgz": articles.bodies, "EvaluationML2017.tgz": peers}, "MultiLing 2017")
    if not articles.summaries:
        raise OptionError("there are no references under 2017_summaries", code="K364")
    for code, texts in articles.summaries.items():
        for instance, text in texts.items():
            submitted.texts[code][instance]["reference"] = "reference", text
    articles.fill(outcome, split=split_sentences)
    submitted.fill(outcome, split=split_sentences)
    return outcome
