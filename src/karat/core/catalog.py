"""The metrics and formats that karat comes with, one row each, loaded when used.

The rows hold what ``karat list`` shows, so that listing imports no family.
"""

from __future__ import annotations

import msgspec


class Row(msgspec.Struct, frozen=True):
    """An entry of the registry: a metric, a format or a command, and where its class is."""

    name: str
    kind: str
    target: str
    summary: str
    suffixes: tuple[str, ...] = ()
    reads: bool = True
    writes: bool = False
    extra: str = ""
    package: str = "karat"
    also: str = ""
    """The name of the format of graphs that holds the same files."""
    traces: bool = False
    """Whether a built-in metric has settings for ``karat trace``."""
    binary: bool = False
    """Whether it is a binary format, which `Format.recognizes_file` recognizes."""


class VerbRow(msgspec.Struct, frozen=True):
    """The class by which a family implements a verb; see `karat.core.commands`."""

    verb: str
    kind: str
    target: str


METRICS: tuple[Row, ...] = (
    Row("tool-calls", "record", "karat.records.metrics.tool_calls:ToolCalls", "tool calls: names and arguments, parallel calls in any order", traces=True),
    Row("spans", "span", "karat.records.metrics.spans:Spans", "labelled spans such as named entities: strict, exact, partial, by type", traces=True),
    Row("json", "record", "karat.records.metrics.json:Json", "leaves of JSON shared under the best alignment of lists, by path and type", traces=True),
    Row("exact", "text", "karat.text.metrics.words:Exact", "share of items equal to the gold, token by token", traces=True),
    Row("edit-distance", "text", "karat.text.metrics.words:EditDistance", "Levenshtein distance over tokens: total, mean, normalised", traces=True),
    Row("bleu", "text", "karat.text.metrics.bleu:Bleu", "BLEU, equal to sacreBLEU", traces=True),
    Row("chrf", "text", "karat.text.metrics.chrf:Chrf", "chrF, equal to sacreBLEU", traces=True),
    Row("chrf++", "text", "karat.text.metrics.chrf:ChrfPlusPlus", "chrF++, equal to sacreBLEU"),
    Row("gleu", "text", "karat.text.metrics.gleu:Gleu", "GLEU, the lesser of precision and recall of n-grams, as in nltk", traces=True),
    Row("ter", "text", "karat.text.metrics.ter:Ter", "translation edit rate, equal to sacreBLEU", traces=True),
    Row("wer", "text", "karat.text.metrics.wer:Wer", "word and character error rates, MER and WIL, with hits and kinds of errors", traces=True),
    Row("rouge", "text", "karat.text.metrics.rouge:Rouge", "ROUGE-N, L, W, S, SU: equal to 1.5.5, to rouge-score, or for any language", traces=True),
    Row("meteor", "text", "karat.text.metrics.meteor:Meteor", "METEOR: words aligned by form, stem and meaning; native or by its Java engine", traces=True),
    Row("pyramid-score", "text", "karat.text.metrics.pyramid:PyramidScore", "weight of the content units of a summary, modified and original"),
    Row("autosummeng", "text", "karat.text.metrics.autosummeng:AutoSummEng", "AutoSummENG, MeMoG and NPowER: graphs of character n-grams"),
    Row("simetrix", "text", "karat.text.metrics.divergences:Simetrix", "divergences between a summary and its source documents"),
    Row("js", "text", "karat.text.metrics.divergences:JensenShannon", "Jensen-Shannon divergences of n-grams, as in S3"),
    Row("rouge-we", "text", "karat.text.metrics.rouge_we:RougeWe", "ROUGE with n-grams matched by word vectors that you have"),
    Row("squad", "text", "karat.text.metrics.words:Squad", "answers to questions: exact match and F1 of words", traces=True),
    Row("qa", "text", "karat.text.metrics.questions:QuestionAnswering", "questions from references, answered by a program or function that you have"),
    Row("basic-elements", "text", "karat.text.metrics.basic_elements:BasicElements", "head, modifier and relation shared with references"),
    Row("bertscore", "text", "karat.text.metrics.embeddings:BertScore", "BERTScore with any local language model", extra="embedding"),
    Row("moverscore", "text", "karat.text.metrics.embeddings:MoverScore", "MoverScore with any local language model and exact transport", extra="embedding"),
    Row("supert", "text", "karat.text.metrics.embeddings:Supert", "a summary against sentences of its documents, by a local language model", extra="embedding"),
    Row("external", "text", "karat.text.metrics.external:External", "scores of any program or server that speaks JSON lines"),
    Row("bleurt", "text", "karat.text.metrics.presets:Bleurt", "BLEURT, by a program that you have"),
    Row("bartscore", "text", "karat.text.metrics.presets:BartScore", "BARTScore, by a program that you have"),
    Row("blanc", "text", "karat.text.metrics.presets:Blanc", "BLANC, by a program that you have"),
    Row("qa-eval", "text", "karat.text.metrics.presets:QaEval", "QAEval, by a program that you have"),
    Row("sumqe", "text", "karat.text.metrics.presets:SumQe", "Sum-QE, by a program that you have"),
    Row("lite3pyramid", "text", "karat.text.metrics.presets:Lite3Pyramid", "Lite3Pyramid, by a program that you have"),
    Row("apes", "text", "karat.text.metrics.presets:Apes", "APES, by a program that you have"),
    Row("pyreval", "text", "karat.text.metrics.presets:PyrEval", "PyrEval, by a program that you have"),
    Row("bewte", "text", "karat.text.metrics.presets:BewtE", "BEwT-E, by a program that you have"),
    Row("mrp", "graph", "karat.graphs.metrics.mrp:Mrp", "tuples under the proven best correspondence of nodes", traces=True),
    Row("smatch", "graph", "karat.graphs.metrics.smatch:Smatch", "triples under the proven best mapping of variables", traces=True),
    Row("smatchpp", "amr", "karat.graphs.metrics.smatchpp:SmatchPlusPlus", "Smatch after standardisation, and for aspects of meaning", traces=True),
    Row("s2match", "amr", "karat.graphs.metrics.s2match:S2match", "Smatch with concepts that are similar: by sense, or by word vectors that you have", traces=True),
    Row("amr-fine", "amr", "karat.graphs.metrics.amr_fine:AmrFine", "fine-grained AMR: names, negation, roles, reentrancies", traces=True),
    Row("sembleu", "amr", "karat.graphs.metrics.sembleu:SemBleu", "BLEU on the paths of AMR graphs", traces=True),
    Row("sema", "amr", "karat.graphs.metrics.sema:Sema", "AMR triples whose concepts agree, without a mapping", traces=True),
    Row("edm", "graph", "karat.graphs.metrics.edm:Edm", "elementary dependency match, as mtool or PyDelphin", traces=True),
    Row("ucca", "passage", "karat.graphs.metrics.ucca:Ucca", "UCCA units, the evaluation of its authors", traces=True),
    Row("counter", "drs", "karat.graphs.metrics.counter:ClauseCounter", "clauses of discourse structures under the best mapping"),
    Row("sbn", "sbn", "karat.graphs.metrics.sbn:Sbn", "simplified box notation by Smatch"),
    Row("sbn-fine", "sbn", "karat.graphs.metrics.sbn:SbnFine", "parts of simplified box notation: names, negation, roles, concepts"),
    Row("ucca-mrp", "graph", "karat.graphs.metrics.ucca_mrp:UccaMrp", "UCCA edges between yields, as in the MRP shared tasks", traces=True),
    Row("sdp", "graph", "karat.graphs.metrics.sdp:Sdp", "semantic dependencies: edges, predications, frames", traces=True),
    Row("ned", "tree", "karat.trees.metrics.ned:Ned", "neutral edge direction, with undirected and directed attachment"),
    Row("attachment", "tree", "karat.trees.metrics.attachment:Attachment", "UAS and LAS on equal tokens, complete trees, roots", traces=True),
    Row("ud", "tree", "karat.trees.metrics.ud:Ud", "the CoNLL 2018 metrics of Universal Dependencies: LAS, CLAS, MLAS, BLEX and others", traces=True),
    Row("elas", "tree", "karat.trees.metrics.elas:Elas", "enhanced dependencies (ELAS, EULAS), as in the IWPT shared tasks"),
    Row("derp", "tree", "karat.trees.metrics.derp:Derp", "word order of aligned trees over two sentences, by the paths between words"),
    Row("dted", "tree", "karat.trees.metrics.dted:Dted", "tree edit distance of aligned trees over two sentences"),
    Row("cogs", "logic", "karat.logic.metrics.cogs:Cogs", "logical forms: all of the metrics below in one run", traces=True),
    Row("lf-exact", "logic", "karat.logic.metrics.cogs:LfExact", "logical forms: equality of texts and of tokens"),
    Row("lf-well-formed", "logic", "karat.logic.metrics.cogs:LfWellFormed", "logical forms: well-formedness, tolerant and strict"),
    Row("lf-order-invariant", "logic", "karat.logic.metrics.cogs:LfOrderInvariant", "logical forms: equality up to the order of terms"),
    Row("lf-semantic", "logic", "karat.logic.metrics.cogs:LfSemantic", "logical forms: equality up to order and names of constants"),
    Row("lf-edit-distance", "logic", "karat.logic.metrics.cogs:LfEditDistance", "logical forms: Levenshtein distance over tokens"),
    Row("lf-bleu", "logic", "karat.logic.metrics.cogs:LfBleu", "logical forms: BLEU over tokens"),
    Row("lf-parts", "logic", "karat.logic.metrics.cogs:LfParts", "logical forms: F1 over terms, predicates, arguments"),
    Row("scores", "scores", "karat.logs.metrics.scores:Scores", "item scores that other tools made: logs of language models, tables"),
)  # fmt: skip

FORMATS: tuple[Row, ...] = (
    Row("lines", "text", "karat.text.formats.lines:Lines", "plain text, one item per line", (".txt", ".lines")),
    Row("json-texts", "text", "karat.text.formats.records:JsonTexts", "one JSON array of records with texts and references"),
    Row("tsv-records", "text", "karat.text.formats.csv:TsvRecords", "tab-separated columns with a header", (".tsv",)),
    Row("tsv", "text", "karat.text.formats.lines:Tsv", "tab-separated columns of texts", (".tsv",)),
    Row("squad-json", "text", "karat.text.formats.squad:SquadJson", "questions and answers of SQuAD, and predictions, JSON"),
    Row("jsonl", "text", "karat.text.formats.records:JsonLines", "JSON lines with texts and references", (".jsonl", ".ndjson")),
    Row("csv", "text", "karat.text.formats.csv:Csv", "comma-separated columns with a header", (".csv",)),
    Row("reference-based", "text", "karat.text.formats.records:ReferenceBased", "summaries with references, JSON lines"),
    Row("document-based", "text", "karat.text.formats.records:DocumentBased", "summaries with source documents, JSON lines"),
    Row("split-document-based", "text", "karat.text.formats.records:SplitDocumentBased", "summaries and documents in two files"),
    Row("pyramid-based", "text", "karat.text.formats.records:PyramidBased", "annotations and pyramids in two files"),
    Row("summary-only", "text", "karat.text.formats.records:SummaryOnly", "summaries alone, JSON lines"),
    Row("ducview", "text", "karat.text.formats.ducview:DucView", "pyramids and annotations, DUCView XML", (".pyr", ".pan")),
    Row("mrp", "graph", "karat.graphs.formats.mrp:Mrp", "MRP JSON lines, versions 0.9 to 1.1", (".mrp",), writes=True),
    Row("amr", "graph", "karat.graphs.formats.amr:Amr", "abstract meaning representation, PENMAN", (".amr", ".penman"), writes=True),
    Row("penman", "amr", "karat.graphs.formats.penman:PenmanText", "PENMAN notation as it is written, for Smatch and the like", (".amr", ".penman"), also="amr"),
    Row("triples", "triples", "karat.graphs.formats.triples:TripleLines", "graphs as triples, one a line: source, target, relation", (".triples",), writes=True),
    Row("penman-triples", "triples", "karat.graphs.formats.triples:PenmanTriples", "PENMAN notation read as triples, and triples written in it", (), writes=True),
    Row("ucca-xml", "passage", "karat.graphs.formats.ucca:PassageXml", "UCCA passages in XML, with all that the official evaluation needs", (".xml",)),
    Row("clf", "drs", "karat.graphs.formats.blocks:Clf", "discourse representation structures in clause form", (".clf",)),
    Row("sbn", "sbn", "karat.graphs.formats.blocks:SbnText", "simplified box notation", (".sbn",)),
    Row("camr", "graph", "karat.graphs.formats.amr:Camr", "Chinese AMR, PENMAN with aligned variables", (".camr",), writes=True),
    Row("eds", "graph", "karat.graphs.formats.eds:Eds", "elementary dependency structures, native notation", (".eds",), writes=True),
    Row("ucca", "graph", "karat.graphs.formats.ucca:Ucca", "UCCA passages in XML: a file, a list of files, a folder", (".xml",), writes=True),
    Row("ud", "graph", "karat.graphs.formats.ud:Ud", "basic Universal Dependencies as graphs, CoNLL-U", (".ud", ".conllu"), writes=True),
    Row("eud", "graph", "karat.graphs.formats.ud:Eud", "enhanced Universal Dependencies, CoNLL-U", (".eud", ".conllu"), writes=True),
    Row("pmb", "graph", "karat.graphs.formats.pmb:Pmb", "discourse representations, clauses of the Parallel Meaning Bank", (".pmb", ".clf"), writes=True),
    Row("treex", "graph", "karat.graphs.formats.treex:Treex", "Prague tectogrammatical trees, Treex PML", (".treex",), writes=True),
    Row("norec", "graph", "karat.graphs.formats.norec:Norec", "structured sentiment, JSON", (".norec.json",), writes=True),
    Row("dot", "graph", "karat.graphs.formats.dot:Dot", "Graphviz", (".dot", ".gv"), reads=False, writes=True),
    Row("tikz", "graph", "karat.graphs.formats.drawings:Tikz", "LaTeX with tikz-dependency, bilexical graphs", (".tex",), reads=False, writes=True),
    Row("svg", "graph", "karat.graphs.formats.drawings:Svg", "a drawing of one graph", (".svg",), reads=False, writes=True),
    Row("displacy", "graph", "karat.graphs.formats.drawings:Displacy", "a page of arcs over words, bilexical graphs", (".html",), reads=False, writes=True),
    Row("id", "graph", "karat.graphs.formats.plain:Ids", "ids, one per line", (".ids",), reads=False, writes=True),
    Row("txt", "graph", "karat.graphs.formats.plain:Texts", "ids and inputs, tab-separated", (".txt",), reads=False, writes=True),
    Row("source", "graph", "karat.graphs.formats.plain:Sources", "ids and sources, tab-separated", (), reads=False, writes=True),
    Row("targets", "graph", "karat.graphs.formats.plain:Targets", "ids and targets, tab-separated", (), reads=False, writes=True),
    Row("evaluation", "graph", "karat.graphs.formats.plain:Evaluation", "the input of a shared task: MRP without graphs", (), reads=False, writes=True),
    Row("dm", "graph", "karat.graphs.formats.sdp:Dm", "DELPH-IN dependencies, SDP columns", (".sdp", ".dm"), writes=True),
    Row("psd", "graph", "karat.graphs.formats.sdp:Psd", "Prague dependencies, SDP columns", (".sdp", ".psd"), writes=True),
    Row("pas", "graph", "karat.graphs.formats.sdp:Pas", "predicate-argument structures, SDP columns", (".sdp", ".pas"), writes=True),
    Row("ccd", "graph", "karat.graphs.formats.sdp:Ccd", "CCG dependencies, SDP columns", (".sdp", ".ccd"), writes=True),
    Row("conllu", "tree", "karat.trees.formats.conll:ConllU", "CoNLL-U, the format of Universal Dependencies", (".conllu",), writes=True),
    Row("conllx", "tree", "karat.trees.formats.conll:ConllX", "CoNLL-X, ten columns", (".conll", ".conllx"), writes=True),
    Row("pharaoh", "alignment", "karat.trees.formats.pharaoh:Pharaoh", "word alignments, one sentence per line", (".align",)),
    Row("ned", "tree", "karat.trees.formats.conll:NedColumns", "one, three or ten columns with the head in its own", (".f1", ".f2")),
    Row("json-records", "record", "karat.records.formats.documents:JsonRecords", "JSON lines with an id and a field that holds the document", (".jsonl", ".ndjson"), writes=True),
    Row("json-array", "record", "karat.records.formats.documents:JsonArray", "one array of JSON documents", (".json",), writes=True),
    Row("json-documents", "record", "karat.records.formats.documents:JsonDocuments", "one JSON document per line", (".jsonl", ".ndjson"), writes=True),
    Row("tag-columns", "span", "karat.records.formats.spans:TagColumns", "a token and its tag on each line, sentences between blank lines", (".iob", ".bio", ".conll"), writes=True),
    Row("span-lines", "span", "karat.records.formats.spans:SpanLines", "JSON lines with lists of labelled spans", (".jsonl", ".ndjson"), writes=True),
    Row("opennmt", "logic", "karat.logic.formats:OpenNmt", "sentence, gold form, predicted form, tab-separated", (".tsv",)),
    Row("lf-tsv", "logic", "karat.logic.formats:LfTsv", "sentence, logical form, type, tab-separated", (".tsv",), writes=True),
    Row("lf-lines", "logic", "karat.logic.formats:LfLines", "one logical form per line", (".txt", ".lines", ".lf"), writes=True),
    Row("opennmt-parallel", "logic", "karat.logic.formats:OpenNmtParallel", "logical forms in one file, sentences in another"),
    Row("lf-jsonl", "logic", "karat.logic.formats:LfJsonLines", "JSON lines with logical forms", (".jsonl", ".ndjson"), writes=True),
    Row("lm-eval", "scores", "karat.logs.formats.tools:LmEval", "sample logs of the LM evaluation harness"),
    Row("inspect", "scores", "karat.logs.formats.inspect:Inspect", "logs of inspect_ai, JSON and .eval", (".eval",), binary=True),
    Row("promptfoo", "scores", "karat.logs.formats.tools:Promptfoo", "results of promptfoo, JSON"),
    Row("comet", "scores", "karat.logs.formats.tools:Comet", "segment scores of COMET, JSON or printed lines"),
    Row("lighteval", "scores", "karat.logs.formats.parquet:Lighteval", "details of lighteval, Parquet", binary=True),
    Row("scores-parquet", "scores", "karat.logs.formats.parquet:ScoresParquet", "columns of item scores, Parquet", binary=True),
    Row("scores-jsonl", "scores", "karat.logs.formats.tables:ScoresJsonLines", "objects with item scores, JSON lines or an array"),
    Row("scores-tsv", "scores", "karat.logs.formats.tables:ScoresTsv", "columns of item scores with a header, tab-separated"),
    Row("scores-csv", "scores", "karat.logs.formats.tables:ScoresCsv", "columns of item scores with a header, comma-separated"),
)  # fmt: skip


def tells_format(name: str) -> bool:
    """Whether a file name has an ending of a data format, not of plain text or an output.

    >>> tells_format("data/gold.mrp"), tells_format("README.txt")
    (True, False)
    """
    general = {
        ending for row in FORMATS if row.kind == "text" or not row.reads for ending in row.suffixes
    }
    own = {ending for row in FORMATS for ending in row.suffixes} - general
    return name.lower().endswith(tuple(own))


# Kinds whose formats are told by their content come before those that any text may be.
VERBS: tuple[VerbRow, ...] = (
    VerbRow("convert", "tree", "karat.trees.commands:ConvertTrees"),
    VerbRow("draw", "tree", "karat.trees.commands:DrawTrees"),
    VerbRow("validate", "tree", "karat.trees.commands:ValidateTrees"),
    VerbRow("convert", "graph", "karat.graphs.commands:ConvertGraphs"),
    VerbRow("analyze", "graph", "karat.graphs.commands:AnalyzeGraphs"),
    VerbRow("validate", "graph", "karat.graphs.commands:ValidateGraphs"),
    VerbRow("analyze", "tree", "karat.trees.commands:AnalyzeTrees"),
    VerbRow("inspect", "graph", "karat.graphs.inspect:InspectGraphs"),
    VerbRow("draw", "graph", "karat.graphs.draw:DrawGraphs"),
    VerbRow("convert", "triples", "karat.graphs.commands:ConvertTriples"),
    VerbRow("convert", "record", "karat.records.commands:ConvertDocuments"),
    VerbRow("validate", "record", "karat.records.commands:ValidateDocuments"),
    VerbRow("analyze", "record", "karat.records.commands:AnalyzeDocuments"),
    VerbRow("convert", "span", "karat.records.commands:ConvertSpans"),
    VerbRow("analyze", "span", "karat.records.commands:AnalyzeSpans"),
    VerbRow("convert", "logic", "karat.logic.commands:ConvertForms"),
    VerbRow("validate", "logic", "karat.logic.commands:ValidateForms"),
    VerbRow("analyze", "logic", "karat.logic.commands:AnalyzeForms"),
    VerbRow("draw", "logic", "karat.logic.commands:DrawForms"),
)  # fmt: skip

DOORS = {
    "text": "karat.text.door:TextDoor",
    "graph": "karat.graphs.door:GraphDoor",
    "amr": "karat.graphs.door:PenmanDoor",
    "passage": "karat.graphs.door:PassageDoor",
    "drs": "karat.graphs.door:DrsDoor",
    "sbn": "karat.graphs.door:SbnDoor",
    "tree": "karat.trees.door:TreeDoor",
    "logic": "karat.logic.door:LogicDoor",
    "record": "karat.records.door:RecordDoor",
    "span": "karat.records.door:SpanDoor",
    "scores": "karat.logs.door:ScoresDoor",
}
"""The class that turns values in memory into items, by kind."""

_ROUGE_L = 'write: "rouge(compute_rouge_l=True)"'
_OF_TREES = "write: attachment for trees over the same words, ud for the CoNLL 2018 evaluation"
_OF_WORDS = "write: wer, which also gives CER, MER and WIL"
_OF_ANSWERS = "write: squad for answers to questions, exact for other texts"
_OF_SPANS = "write: spans"

ELSEWHERE = {
    "python-rouge": "write: \"rouge(profile='python-rouge')\"",
    "docker-rouge": "write: rouge, which has the figures of ROUGE-1.5.5 by itself",
    "sent-bleu": "write: bleu, whose score sent-bleu it is",
    "s3": "score its features (karat score rouge,js,rouge-we), learn with karat fit from the feature s3, "
    "and apply that with karat predict",
    **dict.fromkeys(("rouge-l", "rougel", "rougelsum"), _ROUGE_L),
    **dict.fromkeys(("rouge-1", "rouge1"), 'write: "rouge(max_ngram=1)"'),
    **dict.fromkeys(("rouge-2", "rouge2"), 'write: "rouge(max_ngram=2)"'),
    **dict.fromkeys(("las", "uas"), _OF_TREES),
    **dict.fromkeys(("clas", "mlas", "blex"), "write: ud"),
    "eulas": "write: elas",
    **dict.fromkeys(("cer", "mer", "wil", "jiwer"), _OF_WORDS),
    **dict.fromkeys(("em", "exact-match"), _OF_ANSWERS),
    "accuracy": "write: exact",
    "f1": "write: squad for answers, spans for entities, json for records, scores for numbers",
    **dict.fromkeys(("seqeval", "conlleval", "nervaluate", "ner"), _OF_SPANS),
    "sacrebleu": "write: bleu, chrf or ter, which equal sacreBLEU",
    "comet": "write: scores, which reads what COMET writes",
    "levenshtein": "write: edit-distance",
    "anls": "write: \"json(compat='anls')\"",
    "bfcl": "write: tool-calls",
    "mtool": "write: mrp, or the metric's name: edm, sdp, smatch, ucca-mrp",
}
"""Names of metrics in other tools, in lower case with hyphens, and what to write here."""
