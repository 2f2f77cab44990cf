"""A BERT model of a few numbers, for tests that need some model and not a good one."""

from __future__ import annotations

import json
import struct
from pathlib import Path

import numpy as np

PIECES = [
    "[PAD]", "[UNK]", "[CLS]", "[SEP]", "the", "dog", "##s", "bark", "##ed", "cat", "sleep", "a",
    ".", ",", "!", "end", "it", "then", "only", "times", "1", "200", "-", "left", "##e", "東",
]  # fmt: skip
CONFIG = {
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
    "hidden_size": 8,
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


def write_tensors(path: Path, values: dict[str, np.ndarray]) -> None:
    """The safetensors format: the size of the header, the header, the numbers."""
    header, body = {}, b""
    for name, value in values.items():
        data = value.tobytes()
        places = [len(body), len(body) + len(data)]
        header[name] = {"dtype": "F32", "shape": list(value.shape), "data_offsets": places}
        body += data
    text = json.dumps(header).encode()
    path.write_bytes(struct.pack("<Q", len(text)) + text + body)


def make(folder: Path) -> str:
    """Writes the model; gives back its folder."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.json").write_text(json.dumps(CONFIG))
    (folder / "vocab.txt").write_text("\n".join(PIECES) + "\n", "utf-8")
    write_tensors(folder / "model.safetensors", tensors())
    return str(folder)
