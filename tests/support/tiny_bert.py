"""BERT models in the ONNX format: one of a few random numbers, and any from its weights."""

from __future__ import annotations

import json
import struct
from collections.abc import Mapping
from pathlib import Path

import numpy as np

PIECES = [
    "[PAD]", "[UNK]", "[CLS]", "[SEP]", "the", "dog", "##s", "bark", "##ed", "cat", "sleep", "a",
    ".", ",", "!", "end", "it", "then", "only", "times", "1", "200", "-", "left", "##e", "東",
]  # fmt: skip
CONFIG = {
    "model_type": "bert",
    "vocab_size": len(PIECES),
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
    "hidden_size": 8,
    "intermediate_size": 12,
    "max_position_embeddings": 16,
    "hidden_act": "gelu",
}


def tensors() -> dict[str, np.ndarray]:
    """Random weights, always the same."""
    random = np.random.default_rng(5)
    size, inner = 8, 12
    shapes: dict[str, tuple[int, ...]] = {
        "embeddings.word_embeddings.weight": (len(PIECES), size),
        "embeddings.position_embeddings.weight": (16, size),
        "embeddings.token_type_embeddings.weight": (2, size),
    }
    norms = ["embeddings.LayerNorm"]
    linear = {}
    for layer in range(2):
        name = f"encoder.layer.{layer}"
        norms += [f"{name}.attention.output.LayerNorm", f"{name}.output.LayerNorm"]
        for part in ("query", "key", "value"):
            linear[f"{name}.attention.self.{part}"] = (size, size)
        linear[f"{name}.attention.output.dense"] = (size, size)
        linear[f"{name}.intermediate.dense"] = (inner, size)
        linear[f"{name}.output.dense"] = (size, inner)
    for name in norms:
        shapes |= {f"{name}.weight": (size,), f"{name}.bias": (size,)}
    for name, shape in linear.items():
        shapes |= {f"{name}.weight": shape, f"{name}.bias": shape[:1]}
    return {name: random.normal(size=shape).astype("<f4") for name, shape in shapes.items()}


def read_tensors(path: Path) -> dict[str, np.ndarray]:
    """The tensors of a safetensors file of single-precision numbers."""
    data = path.read_bytes()
    (size,) = struct.unpack("<Q", data[:8])
    header = json.loads(data[8 : 8 + size])
    header.pop("__metadata__", None)
    kinds = {"F32": "<f4", "I64": "<i8"}
    return {
        name: np.frombuffer(
            data[8 + size + entry["data_offsets"][0] : 8 + size + entry["data_offsets"][1]],
            kinds[entry["dtype"]],
        ).reshape(entry["shape"])
        for name, entry in header.items()
    }


def write_tensors(path: Path, values: Mapping[str, np.ndarray]) -> None:
    """The safetensors format: the size of the header, the header, the numbers."""
    header: dict[str, object] = {"__metadata__": {"format": "pt"}}
    body = b""
    for name, value in values.items():
        data = value.tobytes()
        places = [len(body), len(body) + len(data)]
        header[name] = {"dtype": "F32", "shape": list(value.shape), "data_offsets": places}
        body += data
    text = json.dumps(header).encode()
    path.write_bytes(struct.pack("<Q", len(text)) + text + body)


class _Graph:
    """An ONNX graph under construction: methods add nodes and give the names of their results."""

    def __init__(self, weights: Mapping[str, np.ndarray]) -> None:
        from onnx import helper, numpy_helper

        self._helper, self._to_tensor = helper, numpy_helper.from_array
        self._weights = weights
        self.constants: dict[str, object] = {}
        self.nodes: list[object] = []

    def add(self, kind: str, *inputs: str, **settings: object) -> str:
        result = f"{kind}_{len(self.nodes)}"
        self.nodes.append(self._helper.make_node(kind, list(inputs), [result], **settings))
        return result

    def constant(self, value: object, name: str = "") -> str:
        array = np.asarray(value)
        name = name or f"constant_{array.dtype}_{array.tolist()}"
        self.constants[name] = self._to_tensor(array, name)
        return name

    def weight(self, name: str) -> str:
        return self.constant(self._weights[name], name)

    def linear(self, hidden: str, name: str) -> str:
        matrix = self.constant(self._weights[f"{name}.weight"].T.copy(), f"{name}.weight")
        return self.add("Add", self.add("MatMul", hidden, matrix), self.weight(f"{name}.bias"))

    def normalized(self, hidden: str, name: str) -> str:
        parts = (self.weight(f"{name}.weight"), self.weight(f"{name}.bias"))
        return self.add("LayerNormalization", hidden, *parts, axis=-1, epsilon=1e-12)

    def gelu(self, hidden: str) -> str:
        error = self.add("Erf", self.add("Div", hidden, self.constant(np.float32(np.sqrt(2)))))
        half = self.add("Mul", hidden, self.constant(np.float32(0.5)))
        return self.add("Mul", half, self.add("Add", error, self.constant(np.float32(1))))

    def attention(self, hidden: str, name: str, heads: int, size: int) -> str:
        apart = self.constant(np.array([0, 0, heads, size // heads]))
        query, key, value = (
            self.add(
                "Transpose",
                self.add("Reshape", self.linear(hidden, f"{name}.{part}"), apart),
                perm=[0, 2, 3, 1] if part == "key" else [0, 2, 1, 3],
            )
            for part in ("query", "key", "value")
        )
        scale = self.constant(np.float32(np.sqrt(size // heads)))
        scores = self.add("Div", self.add("MatMul", query, key), scale)
        mixed = self.add("MatMul", self.add("Softmax", scores, axis=-1), value)
        together = self.constant(np.array([0, 0, size]))
        return self.add("Reshape", self.add("Transpose", mixed, perm=[0, 2, 1, 3]), together)


def write_onnx(
    path: Path,
    weights: Mapping[str, np.ndarray],
    config: Mapping[str, object] = CONFIG,
    *,
    hidden_states: bool = True,
) -> None:
    """A BERT model as an ONNX file that gives the last layer, or all."""
    from onnx import TensorProto, checker, helper, save

    graph = _Graph({name.removeprefix("bert."): value for name, value in weights.items()})
    layers, heads, size = (
        int(str(config[name]))
        for name in ("num_hidden_layers", "num_attention_heads", "hidden_size")
    )
    words = graph.add("Gather", graph.weight("embeddings.word_embeddings.weight"), "input_ids")
    kinds = graph.add(
        "Gather", graph.weight("embeddings.token_type_embeddings.weight"), "token_type_ids"
    )
    length = graph.add("Shape", "input_ids", start=1, end=2)
    begin, step = graph.constant(np.array([0])), graph.constant(np.array([1]))
    places = graph.add(
        "Slice",
        graph.weight("embeddings.position_embeddings.weight"),
        begin,
        length,
        begin,
        step,
    )
    whole = graph.add("Add", graph.add("Add", words, places), kinds)
    states = [graph.normalized(whole, "embeddings.LayerNorm")]
    for number in range(layers):
        name = f"encoder.layer.{number}"
        mixed = graph.attention(states[-1], f"{name}.attention.self", heads, size)
        attended = graph.linear(mixed, f"{name}.attention.output.dense")
        hidden = graph.normalized(
            graph.add("Add", states[-1], attended), f"{name}.attention.output.LayerNorm"
        )
        inner = graph.gelu(graph.linear(hidden, f"{name}.intermediate.dense"))
        outer = graph.linear(inner, f"{name}.output.dense")
        states.append(graph.normalized(graph.add("Add", hidden, outer), f"{name}.output.LayerNorm"))
    named = {"last_hidden_state": states[-1]}
    if hidden_states:
        named |= {f"hidden_states.{number}": state for number, state in enumerate(states)}
    for name, state in named.items():
        graph.nodes.append(helper.make_node("Identity", [state], [name]))
    shape = ["batch", "tokens"]
    made = helper.make_graph(
        graph.nodes,
        "bert",
        [
            helper.make_tensor_value_info(name, TensorProto.INT64, shape)
            for name in ("input_ids", "token_type_ids")
        ],
        [helper.make_tensor_value_info(n, TensorProto.FLOAT, [*shape, size]) for n in named],
        list(graph.constants.values()),
    )
    model = helper.make_model(made, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    checker.check_model(model)
    save(model, str(path))


def write_tokenizer(path: Path, *, lower: bool = True) -> None:
    """BERT's tokenizer with the few pieces of the small model."""
    from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors

    numbers = {piece: number for number, piece in enumerate(PIECES)}
    tokenizer = Tokenizer(models.WordPiece(numbers, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=lower)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.decoder = decoders.WordPiece()
    marks = [(mark, numbers[mark]) for mark in ("[CLS]", "[SEP]")]
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=marks
    )
    tokenizer.add_special_tokens(["[PAD]", "[UNK]", "[CLS]", "[SEP]"])
    tokenizer.save(str(path))


def make(folder: Path, *, lower: bool = True, hidden_states: bool = True) -> str:
    """Writes the small model; gives back its folder."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.json").write_text(json.dumps(CONFIG))
    write_tokenizer(folder / "tokenizer.json", lower=lower)
    write_onnx(folder / "model.onnx", tensors(), hidden_states=hidden_states)
    return str(folder)


def from_safetensors(folder: Path, target: Path) -> str:
    """The BERT model of a folder with safetensors, its weights in an ONNX file; its new folder."""
    config = json.loads((folder / "config.json").read_text())
    write_onnx(target / "model.onnx", read_tensors(folder / "model.safetensors"), config)
    for name in ("config.json", "tokenizer.json", "tokenizer_config.json"):
        (target / name).write_bytes((folder / name).read_bytes())
    return str(target)
