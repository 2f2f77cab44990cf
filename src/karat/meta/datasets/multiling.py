"""MultiLing 2011 to 2017: clusters of news (MDS) and single articles (SDS) in many languages.

Texts of clusters are ``M0012.english``: cluster ``M001``, text 2; summaries are
``M001.A.english.250``. Names of articles begin with 32 hexadecimal digits, in folders of
language codes.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import PurePosixPath
from typing import Any

from karat.errors import OptionError, Place, counted
from karat.meta.datasets.archives import File, ZipFiles, files, members
from karat.meta.datasets.nist import Task, automatic, three
from karat.meta.datasets.reading import bad, cells_of, lines, numbers, sentences_of, worded
from karat.meta.datasets.writing import Outcome, complete, demand, labelled, summary_record
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
                _take_2011(found, part, File(PurePosixPath(inner), data, place))
    demand(
        {f"MultiLingPilot2011-{part}.zip": value for part, value in seen.items()}, "MultiLing 2011"
    )
    for code in sorted(found):
        outcome.files[f"{code}.jsonl"] = found[code].records()
        found[code].task.fill(outcome, code)
    return outcome


def _take_2011(found: dict[str, Clusters], part: str, file: File) -> None:
    parts, name = file.path.parts, file.path.name
    if part == "EvaluationResults":
        _scores_2011(found, file)
    elif part == "SourceTexts":
        if match := SOURCE.fullmatch(name):
            found[language_code(match[2], file.place)].source(file, match[1])
    elif part == "ModelSummaries":
        if file.path.suffix == ".250":
            found[language_code(parts[-2], file.place)].human(file)
    elif CLUSTER.match(name) and len(parts) > 2:  # .../ID3/english/M001.250
        texts = found[language_code(parts[-2], file.place)].task.texts
        summarizer = parts[-3].removeprefix("ID")
        texts[cluster_name(name, file.place)][summarizer] = lines(file.data)


def _scores_2011(found: dict[str, Clusters], file: File) -> None:
    parts, name = file.path.parts, file.path.name
    if "HumanEvaluation" in parts and name.endswith("Grades.csv"):
        scores = found[language_code(name.removesuffix("Grades.csv"), file.place)].task.scores
        for words, where in _rows(file, 7):
            cell = scores[words[0]][words[1].removeprefix("ID")]
            for score, value in (("grade", words[4]), ("length_aware_grade", words[6])):
                cell.setdefault(score, []).append(numbers([value], where)[0])
    elif "Detailed" not in parts:
        return
    elif "AutoSummENG" in parts and name.endswith("Detailed.csv"):
        scores = found[language_code(name.removesuffix("Detailed.csv"), file.place)].task.scores
        for words, where in _rows(file, 4):
            scores[words[0]][words[1].removeprefix("ID")]["MeMoG"] = numbers([words[3]], where)[0]
    elif "ROUGE" in parts and name.endswith("Detailed.txt"):
        scores = found[language_code(name.removesuffix("Detailed.txt"), file.place)].task.scores
        for match, metric, values in automatic(file, _ROUGE_NAME):
            if match[1] not in _ROUGE_CLUSTERS:
                raise bad(f"{match[0]!r} names no cluster", file.place)
            scores[_ROUGE_CLUSTERS[match[1]]][match[2]][metric] = three(values)


def _rows(file: File, width: int) -> Iterator[tuple[list[str], Place]]:
    """The rows of a table below its header; cells are divided by blanks and may be quoted."""
    for words, _, where in worded(file.data, file.place, 1):
        if len(words) < width:
            raise bad(f"expected {counted(width, 'cell')}, found {len(words)}", where, "K166")
        yield [word.strip('"') for word in words], where


def multiling2013(paths: Sequence[str], *, split_sentences: bool = True) -> Outcome:
    """MultiLing 2013: articles (SDS), and clusters (MDS) with grades of their summaries.

    Which archive is which is told by what is in it. Articles are open to everybody: without
    the archives of clusters they are all that is made.
    """
    outcome = Outcome()
    found, articles = by_language(), Articles()
    graded = peers = False
    for file in files(paths, members):
        parts, place = file.path.parts, file.place
        if articles.take(file):
            continue
        if file.path.suffix == ".csv":
            graded = True
            _grades_2013(found, file)
        elif file.path.suffix == ".250":
            language = found[language_code(file.path.parent.name, place)]
            # Systems have a folder of their own above that of the language.
            if len(parts) > 3:
                peers, system = True, parts[-3]
                if system.isalpha():
                    raise bad(f"systems have numbers, as in ID1, found {system!r}", place)
                language.task.texts[cluster_name(parts[-1], place)][system] = lines(file.data)
            else:
                language.human(file)
        elif match := SOURCE.fullmatch(file.path.name):
            found[language_code(match[2], place)].source(file, match[1])
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


def _grades_2013(found: dict[str, Clusters], file: File) -> None:
    """Cluster, summarizer, language, two cells that are not read, the grade."""
    rows = cells_of(lines(file.data), file.place.file, delimiter="\t")
    for row, where in islice(rows, 1, None):
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
    for file in files(paths, members):
        parts, suffix = file.path.parts, file.path.suffix
        if "mss-submits" in parts:
            # mss-submits/original/TEAM/LANGUAGE/RUN/ARTICLE.txt
            after = parts[parts.index("mss-submits") + 1 :]
            if len(after) != 5 or after[0] != "original" or suffix != ".txt":
                continue
            team, language, run = after[1:4]
            kind: SummarizerType = "reference" if team.startswith("human") else "peer"
            submitted.add(language, file, f"{team}-{run}", kind)
        elif articles.take(file) or len(parts) < 3:
            continue
        elif suffix == ".250":
            train[language_code(parts[1], file.place)].human(file)
        elif match := SOURCE.match(parts[-1]):
            # Training texts lie one folder deeper, beside their summaries.
            part = train if len(parts) > 3 else test
            if part is train or match[1].upper() not in _TRAINING:
                part[language_code(parts[1], file.place)].source(file, match[1])
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
    for file in files(paths, members):
        parts = file.path.parts
        if "MultiLing17_Submissions" not in parts:
            articles.take(file)
            continue
        # TEAM/RUN/LANGUAGE/ARTICLE.txt; of the baselines, the run is the name.
        after = parts[parts.index("MultiLing17_Submissions") + 1 :]
        if len(after) != 4 or file.path.suffix != ".txt" or "simple" in after[:3]:
            continue
        team, run, language, name = after
        if team == "baselines2017" and (run == "2017_summaries" or name.endswith("_body.txt")):
            continue  # the references, and the articles, once more
        peers = True
        submitted.add(language, file, run if team == "baselines2017" else f"{team}-{run}", "peer")
    demand({"2017_test_data.tgz": articles.bodies, "EvaluationML2017.tgz": peers}, "MultiLing 2017")
    if not articles.summaries:
        raise OptionError("there are no references under 2017_summaries", code="K364")
    for code, texts in articles.summaries.items():
        for instance, text in texts.items():
            submitted.texts[code][instance]["reference"] = "reference", text
    articles.fill(outcome, split=split_sentences)
    submitted.fill(outcome, split=split_sentences)
    return outcome


ENGLISH = "en"
_HASH = re.compile(r"[0-9a-fA-F]{32}")


@dataclass(slots=True)
class Articles:
    """Single articles and their summaries, by language and name."""

    bodies: dict[str, dict[str, list[str]]] = field(default_factory=lambda: defaultdict(dict))
    summaries: dict[str, dict[str, list[str]]] = field(default_factory=lambda: defaultdict(dict))

    def take(self, file: File) -> bool:
        """Takes ``body/text/en/HASH_body.txt`` and ``summary/en/HASH_summary.txt``."""
        if file.path.suffix != ".txt" or len(file.path.parts) < 3:
            return False
        *above, folder, language, name = file.path.parts
        if language == "simple":  # no language of the task
            return True
        if folder == "text" and above[-1:] == ["body"]:
            self.bodies[language][article_name(name)] = lines(file.data)
        elif folder in ("summary", "2017_summaries") and "baselines2017" not in above:
            self.summaries[language][article_name(name)] = lines(file.data)
        else:
            return False
        return True

    def fill(self, outcome: Outcome, *, split: bool) -> None:
        """Adds the articles; those without a summary are counted.

        `split` divides the lines of English ones into sentences.
        """
        lacking = 0
        for code in sorted(self.bodies):
            records = []
            for name, text in sorted(self.bodies[code].items()):
                summary = self.summaries.get(code, {}).get(name)
                lacking += summary is None
                if split and code == ENGLISH:
                    text, summary = sentences_of(text), summary and sentences_of(summary)
                document = {"filename": name, "text": text}
                record: dict[str, Any] = {"instance_id": name, "document": document}
                if summary is not None:
                    record["summary"] = {"text": summary}
                records.append(record)
            outcome.files[f"sds/{code}.jsonl"] = records
        outcome.warn_if(lacking, f"{counted(lacking, 'article has', 'articles have')} no summary")


def article_name(name: str) -> str:
    """The identifier of an article, from the name of one of its files."""
    found = _HASH.match(name)
    return found[0] if found else PurePosixPath(name).stem


@dataclass(slots=True)
class Submissions:
    """Summaries of articles: by language, article and summarizer its type and the text."""

    texts: dict[str, dict[str, dict[str, tuple[SummarizerType, Sequence[str]]]]] = field(
        default_factory=lambda: defaultdict(lambda: defaultdict(dict))
    )
    empty: int = 0

    def add(self, language: str, file: File, who: str, kind: SummarizerType) -> None:
        """Takes a summary; one without text is counted only."""
        if text := lines(file.data):
            self.texts[language][article_name(file.path.name)][who] = kind, text
        else:
            self.empty += 1

    def fill(self, outcome: Outcome, *, split: bool = False) -> None:
        """Adds the summaries. The only human of an article is a reference, and not scored.

        `split` divides the lines of English ones into sentences.
        """
        alone = 0
        for code in sorted(self.texts):
            records = []
            for instance, texts in sorted(self.texts[code].items()):
                if split and code == ENGLISH:
                    texts = {who: (kind, sentences_of(text)) for who, (kind, text) in texts.items()}
                humans = [who for who, (kind, _) in sorted(texts.items()) if kind == "reference"]
                for who, (kind, text) in sorted(texts.items()):
                    references = [
                        labelled(other, texts[other][1]) for other in humans if other != who
                    ]
                    if not references:
                        alone += kind == "peer"
                        continue
                    summary = labelled(who, text, kind)
                    records.append(summary_record(instance, who, summary, references, kind))
            outcome.files[f"sds/{code}.summaries.jsonl"] = records
        many = "submitted summary", "submitted summaries"
        outcome.warn_if(alone, f"{counted(alone, *many)} without a reference left out")
        empty = counted(self.empty, "empty submitted summary", "empty submitted summaries")
        outcome.warn_if(self.empty, f"{empty} left out")


LANGUAGES = {
    "arabic": "ar", "bulgarian": "bg", "chinese": "zh", "czech": "cs", "english": "en",
    "french": "fr", "greek": "el", "hebrew": "he", "hindi": "hi", "romanian": "ro",
    "spanish": "es",
}  # fmt: skip
SOURCE = re.compile(r"(M\d{3})\d+\.(\w+)", re.IGNORECASE)
CLUSTER = re.compile(r"(M\d{3})", re.IGNORECASE)


def language_code(name: str, place: Place) -> str:
    """The code of a language that is written out."""
    code = LANGUAGES.get(name.lower())
    if code is None:
        raise bad(f"{name!r} is not a language of MultiLing", place)
    return code


def cluster_name(name: str, place: Place) -> str:
    """The cluster that the name of a file begins with."""
    found = CLUSTER.match(name)
    if not found:
        raise bad(f"{name!r} names no cluster", place)
    return found[1].upper()


@dataclass(slots=True)
class Clusters:
    """Texts and human summaries of the clusters of one language, and the judged summaries."""

    documents: dict[str, list[dict[str, Any]]] = field(default_factory=lambda: defaultdict(list))
    humans: dict[str, list[dict[str, Any]]] = field(default_factory=lambda: defaultdict(list))
    task: Task = field(default_factory=Task)

    def source(self, file: File, cluster: str) -> None:
        """A text of a cluster."""
        text = {"filename": file.path.name, "text": lines(file.data)}
        self.documents[cluster.upper()].append(text)

    def human(self, file: File) -> None:
        """A summary such as ``M001.A.english.250``."""
        cluster, annotator = cluster_name(file.path.name, file.place), file.path.name.split(".")[1]
        self.humans[cluster].append({"annotator": annotator, "text": lines(file.data)})
        self.task.texts[cluster][annotator] = lines(file.data)

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


def by_language() -> dict[str, Clusters]:
    """The clusters of each language code, to be filled."""
    return defaultdict(Clusters)
