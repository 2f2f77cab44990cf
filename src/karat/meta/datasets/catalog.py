"""The data sets that can be converted: one row for each, loaded when used."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from importlib import import_module

from karat.errors import OptionError, did_you_mean, shell
from karat.meta.datasets.writing import Outcome
from karat.version import VERSION


@dataclass(frozen=True, slots=True)
class Dataset:
    """A data set or layout that can be converted: its input and output files."""

    name: str
    summary: str
    inputs: str
    outputs: tuple[str, ...]
    target: str
    splits: bool = False
    """Whether summaries can be divided into sentences, as SacreROUGE did."""

    def signature(self, split_sentences: bool | None = None) -> str:
        """The name, the choice of sentence splitting, and the version."""
        choice = ""
        if self.splits:
            choice = f"split_sentences={split_sentences is not False}"
        return f"{self.name}({choice})|karat:{VERSION}"

    def convert(self, paths: Sequence[str], split_sentences: bool | None = None) -> Outcome:
        """Reads the files as they are published; nothing is written.

        `split_sentences` is for data sets whose rows say so; left out, they are split.
        """
        if not paths:
            raise OptionError(
                f"the data set {self.name!r} needs files: {self.inputs}",
                code="K367",
                advice=shell(f"setup dataset {self.name} FILE...", "output", "FOLDER"),
            )
        module, _, function = self.target.partition(":")
        make: Callable[..., Outcome] = getattr(import_module(module), function)
        if self.splits:
            make = partial(make, split_sentences=split_sentences is not False)
        elif split_sentences:
            raise OptionError(
                f"the texts of {self.name!r} are not split into sentences",
                code="K367",
                advice="those that can be: "
                + ", ".join(row.name for row in DATASETS if row.splits),
            )
        outcome = make(paths)
        outcome.warn_of_undefined()
        return outcome


_HOME = "karat.meta.datasets"
DATASETS: tuple[Dataset, ...] = (
    Dataset("wide-table", "any table of scores, one row per output", "CSV or TSV with instance_id, summarizer_id and columns of scores", ("metrics.jsonl",), f"{_HOME}.generic:wide_table"),
    Dataset("wmt-scores", "scores of the WMT metrics tasks", "NAME.seg.score and NAME.sys.score", ("metrics.jsonl",), f"{_HOME}.generic:wmt_scores"),
    Dataset("mqm", "MQM annotations of translations", "TSV with system, seg_id, rater, category, severity", ("metrics.jsonl",), f"{_HOME}.generic:mqm"),
    Dataset("hf-json", "rows of named columns, as Hugging Face data sets are exported", "JSON or JSON lines with columns such as id, article, summary, prediction, model and scores", ("documents.jsonl", "summaries.jsonl", "metrics.jsonl"), f"{_HOME}.generic:hugging_face"),
    Dataset("summeval", "SummEval (Fabbri et al. 2020): 16 systems, 100 articles", "model_annotations.aligned.jsonl; for all-summaries also cnn_stories.tgz, dailymail_stories.tgz and M0.tar.gz to M23.tar.gz", ("metrics.jsonl", "summaries.jsonl", "summaries-with-crowd.jsonl", "all-summaries-{preproc,orig}-refs.jsonl.gz"), f"{_HOME}.cnn_dailymail:summeval"),
    Dataset("realsumm", "REALSumm (Bhandari et al. 2020): 24 systems, 100 articles", "abs.pkl and ext.pkl, or the same as JSON; for all-summaries also the folder with SYSTEM/src.txt, ref.txt and out.txt", ("metrics-{abs,ext,mix}.jsonl", "summaries-{abs,ext,mix}.jsonl", "all-summaries-{abs,ext,mix}.jsonl.gz"), f"{_HOME}.judged:realsumm"),
    Dataset("chaganty2018", "Chaganty et al. (2018): post-edited and rated summaries", "articles.jsonl, data.tar.gz and lqual.jsonl", ("documents.jsonl", "summaries.jsonl", "metrics.jsonl"), f"{_HOME}.judged:chaganty2018"),
    Dataset("kryscinski2019", "Kryściński et al. (2019): consistent and inconsistent claims", "unpaired_annotated_data.tar.gz, cnn_stories.tgz and dailymail_stories.tgz", ("valid.jsonl", "test.jsonl"), f"{_HOME}.cnn_dailymail:kryscinski2019"),
    Dataset("vasilyev2020", "Vasilyev et al. (2020): rated summaries of the BLANC project", "CNN_DailyMail_555.json, DailyNews_300.json, DailyNews_300_aspects.json", ("NAME.summaries.jsonl", "NAME.metrics.jsonl"), f"{_HOME}.judged:vasilyev2020"),
    Dataset("multiling2011", "MultiLing 2011: summaries of clusters in seven languages, grades and scores", "PublishedCorpusFileSet.zip", ("LANGUAGE.jsonl", "LANGUAGE.summaries.jsonl", "LANGUAGE.metrics.jsonl"), f"{_HOME}.multiling:multiling2011"),
    Dataset("multiling2013", "MultiLing 2013: single articles, and clusters with graded summaries", "multilingpilot2013.tar.bz2; SourceTextsV2b.zip, ModelSummaries- 20130605.zip, PeerSummaries - 20130601.zip and MultiDocument-ManualGrades-20130717.zip", ("sds/LANGUAGE.jsonl", "mds/LANGUAGE.jsonl", "mds/LANGUAGE.summaries.jsonl", "mds/LANGUAGE.metrics.jsonl"), f"{_HOME}.multiling:multiling2013", splits=True),
    Dataset("multiling2015", "MultiLing 2015: single articles with submitted summaries, and clusters", "multilingMss2015Eval.tar.gz and the archive Evaluation_MultiLing2015_MSS; TrainingData2015-20150314.zip and SourceTextsV2b-20150214.zip", ("sds/LANGUAGE.jsonl", "sds/LANGUAGE.summaries.jsonl", "mds/LANGUAGE.{train,test}.jsonl"), f"{_HOME}.multiling:multiling2015", splits=True),
    Dataset("multiling2017", "MultiLing 2017: single articles with submitted summaries", "2017_test_data.tgz and EvaluationML2017.tgz", ("sds/LANGUAGE.jsonl", "sds/LANGUAGE.summaries.jsonl"), f"{_HOME}.multiling:multiling2017", splits=True),
    Dataset("multiling2019", "MultiLing 2019: rated summaries in several languages", "summary_eval_v2.zip", ("LANGUAGE/summaries.jsonl", "LANGUAGE/metrics.jsonl"), f"{_HOME}.judged:multiling2019"),
    Dataset("duc2001", "DUC 2001: news and people's summaries of documents and of sets", "DUC2001_Summarization_Documents.tgz", ("task1.{train,test}.jsonl", "task2.{train,test}.{50,100,200,400}.jsonl"), f"{_HOME}.duc2001_2002:duc2001"),
    Dataset("duc2002", "DUC 2002: summaries of documents and of sets, extracts, judgements of NIST", "duc2002extractsandabstracts.tar.gz, DUC2002_Summarization_Documents.tgz and the folder of results (abstracts/phase1 and extracts)", ("{task1,task2.{10,50,100,200}}{,.summaries,.metrics}.jsonl", "task2.{200e,400e}{,.metrics}.jsonl"), f"{_HOME}.duc2001_2002:duc2002"),
    Dataset("duc2003", "DUC 2003: summaries of documents, events, viewpoints and answers, judgements of NIST", "duc2003.manual.abstracts.tar.gz, DUC2003_Summarization_Documents.tgz and the folder of results (detagged.duc2003.abstracts.tar.gz and tables)", ("{task1,task2,task3,task4}{,.summaries,.metrics}.jsonl", "task4.sentence-labels.jsonl"), f"{_HOME}.duc2003_2004:duc2003"),
    Dataset("duc2004", "DUC 2004: summaries of documents, of sets and about people, judgements of NIST", "duc2004_results.tgz and DUC2004_Summarization_Documents.tgz", ("task1{,.summaries}.jsonl", "{task2,task5}{,.summaries,.metrics}.jsonl"), f"{_HOME}.duc2003_2004:duc2004", splits=True),
    Dataset("duc2005", "DUC 2005: answers to questions from news, judgements, pyramids and ROUGE scores of NIST", "results.tar, DUC2005.tar.gz (pyramids), DUC2005_Summarization_Documents.tgz and duc2005_topics.sgml", ("task1.jsonl", "task1.summaries.jsonl", "task1.metrics.jsonl", "task1.pyramids.jsonl", "task1.pyramid-annotations.jsonl"), f"{_HOME}.evaluations:duc2005"),
    Dataset("duc2006", "DUC 2006: answers to questions from news, judgements, pyramids and ROUGE scores of NIST", "NISTeval.tar.gz, NISTeval2.tar.gz, DUC2006pyramiddata.tar.gz, DUC2006_Summarization_Documents.tgz and duc2006_topics.sgml", ("task1.jsonl", "task1.summaries.jsonl", "task1.metrics.jsonl", "task1.pyramids.jsonl", "task1.pyramid-annotations.jsonl", "task1.d0631.pyramid-annotations.jsonl"), f"{_HOME}.evaluations:duc2006"),
    Dataset("duc2007", "DUC 2007: answers and updates to questions from news, judgements, pyramids and ROUGE scores of NIST", "mainEval.tar.gz, mainPyramidEval.tar.gz, updateEval.tar.gz, DUC2007_Summarization_Documents.tgz and the .sgml topics of both tasks ('update' in the name of the second)", ("{task1,task2.{A,B,C,A-B-C}}.jsonl", "{task1,task2.{A,B,C,A-B-C}}.summaries.jsonl", "{task1,task2.{A,B,C,A-B-C}}.metrics.jsonl", "{task1,task2.{A,B,C,A-B-C}}.pyramids.jsonl", "{task1,task2.{A,B,C,A-B-C}}.pyramid-annotations.jsonl"), f"{_HOME}.evaluations:duc2007"),
    Dataset("tac2008", "TAC 2008: summaries of news, judgements, pyramids and scores of NIST", "UpdateSumm08_eval.tar.gz; for documents also TAC2008_Summarization_Documents.tgz and UpdateSumm08_test_topics.xml.txt", ("task1.{A,B,A-B}.jsonl", "task1.{A,B,A-B}.{summaries,metrics,pyramids,pyramid-annotations}.jsonl"), f"{_HOME}.evaluations:tac2008"),
    Dataset("tac2009", "TAC 2009: summaries of news, judgements, pyramids and scores of NIST", "UpdateSumm09_eval.tar.gz and AESOP09_eval.tar.gz; for documents also TAC2009_Summarization_Documents.tgz and UpdateSumm09_test_topics.xml.txt", ("task1.{A,B,A-B}.jsonl", "task1.{A,B,A-B}.{summaries,metrics,pyramids,pyramid-annotations}.jsonl"), f"{_HOME}.evaluations:tac2009", splits=True),
    Dataset("tac2010", "TAC 2010: summaries of news, judgements, pyramids and scores of NIST", "GuidedSumm2010_eval.tgz and AESOP2010_eval.tgz; for documents also TAC2010_Summarization_Documents.tgz and GuidedSumm10_test_topics.xml.txt", ("task1.{A,B,A-B}.jsonl", "task1.{A,B,A-B}.{summaries,metrics,pyramids,pyramid-annotations}.jsonl"), f"{_HOME}.evaluations:tac2010", splits=True),
    Dataset("tac2011", "TAC 2011: summaries of news, judgements, pyramids and scores of NIST", "GuidedSumm2011_eval.tgz and AESOP2011_eval_V1.2.tgz; for documents also GuidedSumm11_test_topics.xml.txt and the folder of English Gigaword 5 (LDC2011T07)", ("task1.{A,B,A-B}.jsonl", "task1.{A,B,A-B}.{summaries,metrics,pyramids,pyramid-annotations}.jsonl"), f"{_HOME}.evaluations:tac2011", splits=True),
    Dataset("nytimes", "The New York Times Annotated Corpus (LDC2008T19): articles and abstracts", "nyt_corpus_LDC2008T19.tgz and the lists of ids mapping_train.txt, mapping_valid.txt and mapping_test.txt", ("{train,valid,test}.jsonl.gz",), f"{_HOME}.articles:nytimes"),
    Dataset("multi-news", "Multi-News (Fabbri et al. 2019): clusters of articles and their summaries", "SPLIT.src, SPLIT.tgt and, for ids, SPLIT.id; one line each per cluster", ("SPLIT.jsonl.gz", "SPLIT.multi.jsonl.gz"), f"{_HOME}.articles:multi_news"),
    Dataset("wcep", "WCEP (Gholipour Ghalandari et al. 2020): events and their articles", "train, val and test files of JSON lines", ("SPLIT.jsonl.gz",), f"{_HOME}.articles:wcep"),
)  # fmt: skip


_ELSEWHERE = {"bhandari2020": "realsumm", "fabbri2020": "summeval"}
"""The names of data sets in SacreROUGE, where they are others."""


def dataset(name: str) -> Dataset:
    """The data set with this name."""
    known = {row.name: row for row in DATASETS}
    name = _ELSEWHERE.get(name, name)
    if name not in known:
        raise OptionError(
            f"there is no data set {name!r}{did_you_mean(name, known)}",
            code="K367",
            advice="karat list datasets shows them all",
        )
    return known[name]
