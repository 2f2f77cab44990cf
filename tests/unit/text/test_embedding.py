"""Vectors in context, and the metrics made of them."""

from __future__ import annotations

import math
from collections.abc import Iterator
from importlib import util
from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tiny_bert
from karat.errors import FormatError, LimitExceeded, MissingExtra, OptionError
from karat.text.embedding import content_places, find_model, load_model
from karat.text.metrics.embeddings import BertScore, MoverScore, Supert, transport

for package in ("onnx", "onnxruntime", "tokenizers"):
    pytest.importorskip(package)


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[str]:
    yield tiny_bert.make(tmp_path / "model")
    load_model.cache_clear()


def test_a_text_is_tokenized_as_the_folder_says(folder: str) -> None:
    model = load_model(folder)
    found = [tiny_bert.PIECES[n] for n in model.pieces("The DÓGS, barked!東zz\u200b \x00")]
    assert found == ["the", "dog", "##s", ",", "bark", "##ed", "!", "東", "[UNK]"]
    assert model.pieces("x" * 101) == [tiny_bert.PIECES.index("[UNK]")]
    assert model.pieces("") == []
    assert model.pieces("dog\ud800s") == model.pieces("dogs")  # no character at all


def test_marks_of_beginning_and_end_in_a_text_are_text(folder: str) -> None:
    encoded = load_model(folder).encode("[SEP] dog")
    assert encoded.pieces[-2] == tiny_bert.PIECES.index("dog")
    assert list(encoded.pieces).count(tiny_bert.PIECES.index("[SEP]")) == 1


def test_words_of_other_tokenizers(tmp_path: Path) -> None:
    """Words begin where the tokenizer says, and not only where BERT's do."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers

    tiny_bert.make(tmp_path)
    pieces = ["\u2581dog", "s", "\u2581the", "\u2581", ".", "cat"]
    tokenizer = Tokenizer(models.Unigram([("<unk>", -9.0), *((p, -1.0) for p in pieces)], 0))
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    tokenizer.decoder = decoders.Metaspace()
    tokenizer.save(str(tmp_path / "tokenizer.json"))
    model = load_model(str(tmp_path))
    encoded = model.encode("the dogs. cat")
    shown = [tokenizer.id_to_token(n) for n in encoded.pieces]
    assert shown == ["\u2581the", "\u2581dog", "s", ".", "\u2581", "cat"]
    assert len(encoded.inner) == 6  # this tokenizer adds no marks
    assert [shown[place] for place in content_places(model, encoded)] == ["\u2581dog", "cat"]


def forward(text: list[int], layers: int) -> np.ndarray:
    """The definition, one number after the other."""
    weights = tiny_bert.tensors()

    def linear(vector: list[float], name: str) -> list[float]:
        matrix, bias = weights[f"{name}.weight"], weights[f"{name}.bias"]
        return [
            sum(float(w) * v for w, v in zip(row, vector, strict=True)) + float(b)
            for row, b in zip(matrix, bias, strict=True)
        ]

    def norm(vector: list[float], name: str) -> list[float]:
        mean = sum(vector) / len(vector)
        variance = sum((v - mean) ** 2 for v in vector) / len(vector)
        scale, bias = weights[f"{name}.weight"], weights[f"{name}.bias"]
        return [
            float(s) * (v - mean) / math.sqrt(variance + 1e-12) + float(b)
            for v, s, b in zip(vector, scale, bias, strict=True)
        ]

    def plus(a: list[float], b: list[float]) -> list[float]:
        return [x + y for x, y in zip(a, b, strict=True)]

    hidden = [
        norm(
            [
                float(a) + float(b) + float(c)
                for a, b, c in zip(
                    weights["embeddings.word_embeddings.weight"][piece],
                    weights["embeddings.position_embeddings.weight"][place],
                    weights["embeddings.token_type_embeddings.weight"][0],
                    strict=True,
                )
            ],
            "embeddings.LayerNorm",
        )
        for place, piece in enumerate(text)
    ]
    for layer in range(layers):
        name = f"encoder.layer.{layer}"
        query, key, value = (
            [linear(vector, f"{name}.attention.self.{part}") for vector in hidden]
            for part in ("query", "key", "value")
        )
        attended = []
        for i in range(len(hidden)):
            whole: list[float] = []
            for head in (slice(0, 4), slice(4, 8)):
                scores = [
                    math.exp(sum(a * b for a, b in zip(query[i][head], k[head], strict=True)) / 2)
                    for k in key
                ]
                for column in range(*head.indices(8)):
                    total = sum(s * v[column] for s, v in zip(scores, value, strict=True))
                    whole.append(total / sum(scores))
            attended.append(linear(whole, f"{name}.attention.output.dense"))
        hidden = [
            norm(plus(h, a), f"{name}.attention.output.LayerNorm")
            for h, a in zip(hidden, attended, strict=True)
        ]
        inner = [
            [
                0.5 * v * (1 + math.erf(v / math.sqrt(2)))
                for v in linear(h, f"{name}.intermediate.dense")
            ]
            for h in hidden
        ]
        hidden = [
            norm(plus(h, linear(i, f"{name}.output.dense")), f"{name}.output.LayerNorm")
            for h, i in zip(hidden, inner, strict=True)
        ]
    vectors = np.array(hidden)
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


@pytest.mark.parametrize("layer", [1, 2])
def test_the_forward_pass_is_as_defined(folder: str, layer: int) -> None:
    encoded = load_model(folder).encode("the dogs barked.", layer)
    assert [tiny_bert.PIECES[n] for n in encoded.pieces] == [
        "[CLS]", "the", "dog", "##s", "bark", "##ed", ".", "[SEP]",
    ]  # fmt: skip
    assert encoded.vectors == pytest.approx(forward(list(encoded.pieces), layer), abs=1e-5)


def test_a_text_that_is_too_long_is_cut_and_told(folder: str) -> None:
    long = "dog " * 20
    assert load_model(folder).encode(long).cut
    with pytest.warns(UserWarning, match="texts of 1 item cut"):
        BertScore(model=folder).score(long, ["dog"])


def test_bertscore_is_as_defined(folder: str) -> None:
    metric = BertScore(model=folder)
    model = load_model(folder)
    ours, theirs = model.encode("the dog"), model.encode("a cat sleep")
    table = ours.vectors @ theirs.vectors.T
    precision, recall = table.max(axis=1)[1:-1].mean(), table.max(axis=0)[1:-1].mean()
    f1 = 2 * precision * recall / (precision + recall)
    expected = {"precision": precision, "recall": recall, "f1": f1}
    assert metric.score("the dog", ["a cat sleep"])["bertscore"] == pytest.approx(expected)
    assert metric.score("the dog", ["the dog"])["bertscore"]["f1"] == pytest.approx(1)
    # Of two references the best of each value counts.
    both = metric.score("the dog", ["a cat sleep", "the"])["bertscore"]
    other = metric.score("the dog", ["the"])["bertscore"]
    assert both["recall"] == max(recall, other["recall"])
    assert set(metric.score("", ["the"])["bertscore"].values()) == {0.0}
    assert set(metric.score("the", [" "])["bertscore"].values()) == {0.0}


def test_a_layer_that_is_not_there(folder: str) -> None:
    with pytest.raises(OptionError, match="has 2 layers, not 3"):
        BertScore(model=folder, num_layers=3).score("a", ["b"])


def test_a_layer_that_the_file_does_not_give(tmp_path: Path) -> None:
    folder = tiny_bert.make(tmp_path, hidden_states=False)
    last = BertScore(model=folder, num_layers=2).score("a", ["the"])
    assert last == BertScore(model=folder).score("a", ["the"])
    with pytest.raises(OptionError, match="does not give layer 1, only the last") as raised:
        BertScore(model=folder, num_layers=1).score("a", ["the"])
    assert "hidden_states.1" in raised.value.advice


square = st.integers(1, 5).flatmap(
    lambda n: st.lists(st.lists(st.floats(0, 10), min_size=n, max_size=n), min_size=n, max_size=n)
)


@given(square)
def test_transport_of_equal_weights_is_the_best_assignment(costs: list[list[float]]) -> None:
    pytest.importorskip("scipy")
    n = len(costs)
    weights = np.full(n, 1 / n)
    best = min(sum(costs[i][j] for i, j in enumerate(p)) for p in permutations(range(n))) / n
    assert transport(weights, weights, np.array(costs))[0] == pytest.approx(best, abs=1e-7)


def test_transport_splits_weights() -> None:
    pytest.importorskip("scipy")
    costs = np.array([[0.0, 1.0, 4.0]])
    assert transport(np.array([1.0]), np.array([0.5, 0.25, 0.25]), costs)[0] == pytest.approx(1.25)
    with pytest.raises(LimitExceeded):
        transport(np.ones(600), np.ones(600), np.ones((600, 600)))


def test_moverscore(folder: str, tmp_path: Path) -> None:
    pytest.importorskip("scipy")
    metric = MoverScore(model=folder)
    assert metric.score("dog bark", ["dog bark"])["MoverScore"] == pytest.approx(1)
    model = load_model(folder)
    a, b = model.encode("the dog.").vectors[2], model.encode("cat").vectors[1]
    expected = 1 - np.linalg.norm(a - b)
    assert metric.score("the dog.", ["cat"])["MoverScore"] == pytest.approx(expected)
    assert metric.score("the .", ["cat"])["MoverScore"] == 0
    corpus = tmp_path / "corpus.txt"
    corpus.write_text("dog cat\ndog\ndog bark\n")
    weighted = MoverScore(model=folder, idf_corpus=str(corpus))
    # A word of every text weighs nothing, so that only bark and cat are left.
    left = weighted.score("dog bark", ["dog cat"])["MoverScore"]
    x, y = model.encode("dog bark").vectors[2], model.encode("dog cat").vectors[2]
    assert left == pytest.approx(1 - np.linalg.norm(x - y))
    assert "|idf:" in weighted.signature()


def test_supert(folder: str) -> None:
    metric = Supert(model=folder, sentences=1)
    documents: list[Any] = [["dog bark .", "cat sleep ."], "Dog sleep. Cat bark."]
    assert metric.score(["dog bark .", "dog sleep."], documents)["supert"] == pytest.approx(1)
    assert metric.score("", documents)["supert"] == 0
    assert metric.score("cat sleep .", documents)["supert"] < 1


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("config.json", '{"num_hidden_layers": "x"}', "does not describe a model"),
        ("tokenizer_config.json", "{", "does not describe a model"),
        ("model.onnx", "short", "the model cannot be used"),
        ("model.onnx", "", "the model cannot be used"),
        ("tokenizer.json", "{}", "the model cannot be used"),
    ],
)
def test_broken_models(folder: str, name: str, content: str, message: str) -> None:
    (Path(folder) / name).write_text(content, "latin-1")
    with pytest.raises(FormatError, match=message):
        BertScore(model=folder).score("a", ["b"])


def test_a_model_without_tokenizer(folder: str) -> None:
    (Path(folder) / "tokenizer.json").unlink()
    with pytest.raises(FormatError, match=r"there is no tokenizer\.json"):
        BertScore(model=folder).score("a", ["b"])


def write_graph(folder: str, inputs: list[str], outputs: dict[str, list[str | int]]) -> None:
    """A model that gives its first input as numbers in the shapes asked for."""
    from onnx import TensorProto, helper, save

    nodes = [helper.make_node("Cast", [inputs[0]], ["numbers"], to=TensorProto.FLOAT)]
    for name, shape in outputs.items():
        axes = helper.make_tensor(
            f"{name}_axes", TensorProto.INT64, [len(shape) - 2], [2][: len(shape) - 2]
        )
        nodes.append(helper.make_node("Constant", [], [f"{name}_axes"], value=axes))
        nodes.append(helper.make_node("Unsqueeze", ["numbers", f"{name}_axes"], [name]))
    graph = helper.make_graph(
        nodes,
        "numbers",
        [helper.make_tensor_value_info(n, TensorProto.INT64, ["batch", "tokens"]) for n in inputs],
        [helper.make_tensor_value_info(n, TensorProto.FLOAT, s) for n, s in outputs.items()],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    save(model, str(Path(folder) / "model.onnx"))


def test_a_model_may_name_its_output_as_it_likes(folder: str) -> None:
    write_graph(folder, ["input_ids"], {"flat": ["b", "t"], "vectors": ["b", "t", 1]})
    assert load_model(folder).encode("dog").vectors.tolist() == [[1], [1], [1]]


def test_a_model_that_wants_more_than_a_text(folder: str) -> None:
    write_graph(folder, ["input_ids", "pixel_values"], {"last_hidden_state": ["b", "t", 1]})
    with pytest.raises(FormatError, match="wants 'pixel_values'"):
        load_model(folder).encode("dog")


def test_a_model_without_vectors_of_tokens(folder: str) -> None:
    write_graph(folder, ["input_ids"], {"sentence": ["b", "t"]})
    with pytest.raises(FormatError, match="gives sentence, and none of it has a vector"):
        load_model(folder).encode("dog")


def test_a_model_may_lie_in_a_folder_of_its_own(folder: str) -> None:
    before = load_model(folder).encode("dog").vectors
    load_model.cache_clear()
    (Path(folder) / "onnx").mkdir()
    (Path(folder) / "model.onnx").rename(Path(folder) / "onnx" / "model.onnx")
    assert (load_model(folder).encode("dog").vectors == before).all()


def test_a_model_without_settings(folder: str) -> None:
    """It has as many layers as it gives, and takes as many tokens as models usually do."""
    (Path(folder) / "config.json").unlink()
    model = load_model(folder)
    assert (model.layers, model.most_tokens) == (None, 512)
    assert (model.encode("dog", 2).vectors == model.encode("dog").vectors).all()
    with pytest.raises(OptionError, match="does not give layer 3, only the layers 1, 2 and the"):
        model.encode("dog", 3)


def test_transformers_runs_models_without_an_onnx_file(folder: str) -> None:
    pytest.importorskip("torch")
    pytest.importorskip("transformers")
    expected = [load_model(folder).encode("the dogs barked.", layer) for layer in (0, 1)]
    load_model.cache_clear()
    (Path(folder) / "model.onnx").unlink()
    tiny_bert.write_tensors(Path(folder) / "model.safetensors", tiny_bert.tensors())
    found = [load_model(folder).encode("the dogs barked.", layer) for layer in (0, 1)]
    for ours, theirs in zip(found, expected, strict=True):
        assert ours.pieces == theirs.pieces
        assert ours.vectors == pytest.approx(theirs.vectors, abs=1e-5)


@pytest.mark.parametrize(
    ("absent", "kept", "message"),
    [
        ("onnxruntime", "model.onnx", "needs the Python package 'onnxruntime'"),
        ("tokenizers", "model.onnx", "needs the Python package 'tokenizers'"),
        ("torch", "model.safetensors", r"no model\.onnx in .* 'transformers' and 'torch'"),
    ],
)
def test_missing_packages_are_told(
    folder: str, monkeypatch: pytest.MonkeyPatch, absent: str, kept: str, message: str
) -> None:
    (Path(folder) / "model.onnx").rename(Path(folder) / kept)
    monkeypatch.setattr(
        "karat.text.embedding.find_spec",
        lambda name: None if name == absent else util.find_spec(name),
    )
    with pytest.raises(MissingExtra, match=message) as raised:
        BertScore(model=folder).score("a", ["b"])
    assert raised.value.code == "K401"
    assert "pip install" in raised.value.advice


def test_a_missing_model_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(MissingExtra, match="name it with ``model``"):
        BertScore(model=str(tmp_path)).score("a", ["b"])
    monkeypatch.setenv("KARAT_HOME", str(tmp_path))
    tiny_bert.make(tmp_path / "metrics" / "embedding")
    assert find_model() == tmp_path / "metrics" / "embedding"


def test_tokens_weigh_by_how_rare_they_are(folder: str, tmp_path: Path) -> None:
    corpus = tmp_path / "corpus.txt"
    corpus.write_text("the dog\nthe cat\nthe cat sleeps\n")
    metric = BertScore(model=folder, idf_corpus=str(corpus))
    assert "|idf:" in metric.signature()
    model = load_model(folder)
    own, other = model.encode("the dog barked"), model.encode("a cat the sleep")
    seen = {"the": 3, "dog": 1, "cat": 2, "sleep": 1, "##s": 1}

    def idf(number: int) -> float:
        return math.log(4 / (1 + seen.get(tiny_bert.PIECES[number], 0)))

    # The definition: idf-weighted means of the largest cosines, marks matched but not counted.
    table = own.vectors @ other.vectors.T
    precision, recall = (
        sum(idf(n) * row.max() for n, row in zip(side.pieces[1:-1], rows[1:-1], strict=True))
        / sum(idf(n) for n in side.pieces[1:-1])
        for side, rows in ((own, table), (other, table.T))
    )
    score = metric.score("the dog barked", ["a cat the sleep"])["bertscore"]
    assert score["precision"] == pytest.approx(precision, abs=1e-12)
    assert score["recall"] == pytest.approx(recall, abs=1e-12)
    assert score["f1"] == pytest.approx(2 * precision * recall / (precision + recall))
    assert metric.score("the the", ["the"])["bertscore"]["f1"] == 0  # in every text: no weight


def test_values_are_rescaled_by_those_of_unrelated_texts(folder: str, tmp_path: Path) -> None:
    table = tmp_path / "baseline.csv"
    table.write_text("LAYER,P,R,F\n0,0.1,0.1,0.1\n1,0.5,0.25,0.4\n")
    plain = BertScore(model=folder, num_layers=1).score("the dog", ["a cat", "cats"])["bertscore"]
    metric = BertScore(model=folder, num_layers=1, baseline=str(table))
    score = metric.score("the dog", ["a cat", "cats"])["bertscore"]
    for name, unrelated in (("precision", 0.5), ("recall", 0.25), ("f1", 0.4)):
        assert score[name] == pytest.approx((plain[name] - unrelated) / (1 - unrelated))
    assert metric.score("", ["a cat"])["bertscore"] == {"precision": 0, "recall": 0, "f1": 0}
    with pytest.raises(OptionError, match="no baseline for layer 2, only for 0, 1"):
        BertScore(model=folder, baseline=str(table)).score("the dog", ["a cat"])


@pytest.mark.parametrize(
    "line",
    [
        "1,0.5,0.5", "1,a,b,c", "1,1,0.5,0.5", "1,nan,0,0", "nan,0,0,0", "inf,0,0,0", "1.5,0,0,0",
        "",
    ],
)  # fmt: skip
def test_tables_that_are_no_baselines(folder: str, tmp_path: Path, line: str) -> None:
    table = tmp_path / "baseline.csv"
    table.write_text(f"LAYER,P,R,F\n{line}\n")
    with pytest.raises(FormatError, match=r"baselines|expected a layer"):
        BertScore(model=folder, baseline=str(table)).score("the dog", ["a cat"])


def test_a_text_is_encoded_once_and_a_model_loaded_once(
    folder: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = load_model(folder)
    assert load_model(folder) is model
    encoded = []
    run = model._run
    monkeypatch.setattr(model, "_run", lambda *given: encoded.append(1) or run(*given))
    metric = BertScore(model=folder)
    metric.score_all(["the dog"] * 5, [["a cat"]] * 5)
    metric.score("a cat", ["the dog"])
    assert len(encoded) == 2


def test_bertscore_takes_the_layer_that_is_asked_for(folder: str) -> None:
    model = load_model(folder)
    ours, theirs = model.encode("the dog", 1), model.encode("a cat sleep", 1)
    table = ours.vectors @ theirs.vectors.T
    score = BertScore(model=folder, num_layers=1).score("the dog", ["a cat sleep"])["bertscore"]
    assert score["precision"] == pytest.approx(table.max(axis=1)[1:-1].mean())
    assert score["recall"] == pytest.approx(table.max(axis=0)[1:-1].mean())


def test_moverscore_is_a_mean_over_references_and_of_whole_words(folder: str) -> None:
    metric = MoverScore(model=folder)
    one, two = (metric.score("dog", [gold])["MoverScore"] for gold in ("cat", "bark"))
    assert one != two
    both = metric.score("dog", ["cat", "bark"])["MoverScore"]
    assert both == pytest.approx((one + two) / 2)
    # Of "dogs" the piece "dog" counts, as it stands in its context, and not "##s".
    model = load_model(folder)
    distance = np.linalg.norm(model.encode("dogs").vectors[1] - model.encode("cat").vectors[1])
    assert metric.score("dogs", ["cat"])["MoverScore"] == pytest.approx(1 - distance)


def test_supert_is_the_f_of_content_words_of_first_sentences(folder: str) -> None:
    model = load_model(folder)
    # The first sentences of both documents; "the" is a stop word and marks do not count.
    own = model.encode("the dog bark.").vectors[[2, 3]]
    other = np.concatenate(
        [model.encode("cat sleep.").vectors[[1, 2]], model.encode("left!").vectors[[1]]]
    )
    table = own @ other.T
    precision, recall = table.max(axis=1).mean(), table.max(axis=0).mean()
    documents = ["cat sleep. dog bark.", ["left!", "dog"]]
    score = Supert(model=folder, sentences=1).score("the dog bark.", documents)["supert"]
    assert score == pytest.approx(2 * precision * recall / (precision + recall))
    more = Supert(model=folder, sentences=2).score("the dog bark.", documents)["supert"]
    assert more > score


def test_supert_refuses_whole_collections(folder: str) -> None:
    with pytest.raises(LimitExceeded, match=r"at most 5,000 sentences, got 5,001"):
        Supert(model=folder).score(["dog"] * 5001, ["dog"])
