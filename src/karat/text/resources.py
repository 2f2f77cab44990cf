"""Files that metrics need beyond the package, kept in KARAT_HOME by ``karat setup metric``."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from karat.core.files.resources import metric_folder
from karat.core.files.writing import whole_file
from karat.errors import FormatError, MissingExtra, Place


@dataclass(frozen=True, slots=True)
class ResourceFile:
    """A file of a resource; without checksum any content will do."""

    path: str
    sha256: str = ""
    needed: bool = True


FILES: dict[str, tuple[ResourceFile, ...]] = {
    "meteor": (
        ResourceFile(
            "meteor-1.5.jar", "1e57b4c72c0830ebe68558f1c799a624e96cbc1b6045c9f6330e26dcff6eafc2"
        ),
        ResourceFile(
            "data/paraphrase-en.gz",
            "c147ac7d2c91f2fbb3ad31e4b352235061eb83145e0434daf217ee9ca5975f48",
        ),
    ),
    "wordnet": tuple(
        ResourceFile(name)
        for part in ("noun", "verb", "adj", "adv")
        for name in (f"index.{part}", f"{part}.exc")
    ),
    "embedding": (
        ResourceFile("tokenizer.json"),
        ResourceFile("model.onnx"),
        *(
            ResourceFile(name, needed=False)
            for name in ("model.onnx_data", "config.json", "tokenizer_config.json")
        ),
    ),
}
"""The resources that are files, by the name that setup knows them by."""

_FOR_TRANSFORMERS = (
    ResourceFile("config.json"),
    ResourceFile("model.safetensors"),
    *(
        ResourceFile(name, needed=False)
        for name in ("tokenizer.json", "tokenizer_config.json", "vocab.txt", "merges.txt")
    ),
)
"""The files of a model without an ONNX file, which needs the package transformers."""

PURPOSES = {
    "meteor": "the Java engine of meteor",
    "wordnet": "the synonyms of meteor",
    "embedding": "the model of bertscore, moverscore and supert",
}


def missing(name: str) -> str:
    """How to install a missing resource, in one line; empty if it is installed."""
    from karat.text.embedding import check_packages, find_model
    from karat.text.external.meteor import find_jar, find_java
    from karat.text.words.wordnet import find_wordnet

    finders: dict[str, tuple[Callable[[], object], ...]] = {
        "meteor": (find_jar, find_java),
        "wordnet": (find_wordnet,),
        "embedding": (lambda: check_packages(find_model()),),
    }
    try:
        for find in finders[name]:
            find()
    except MissingExtra as error:
        return error.advice
    return ""


def install(name: str, source: str) -> list[Path]:
    """Copies the files of a resource from a folder, after checking all of them.

    A file given in place of the folder stands for the folder it is in. What was
    copied before and is intact is left as it is.
    """
    from karat.text.embedding import onnx_file

    folder = Path(source)
    if folder.is_file():
        folder = folder.parent
    files = FILES[name]
    if name == "embedding" and (folder / "model.safetensors").is_file() and not onnx_file(folder):
        files = _FOR_TRANSFORMERS
    found = [
        (wanted, _checked(folder, wanted))
        for wanted in files
        if wanted.needed or _place(folder, wanted)
    ]
    target = metric_folder(name)
    installed = []
    for wanted, path in found:
        place = target / wanted.path
        place.parent.mkdir(parents=True, exist_ok=True)
        if not place.is_file() or _digest(place) != _digest(path):
            with path.open("rb") as origin, whole_file(str(place)) as copy:
                shutil.copyfileobj(origin, copy)
        installed.append(place)
    return installed


def _place(folder: Path, wanted: ResourceFile) -> Path | None:
    """Where a folder has a file, in a folder of its own or not."""
    name = Path(wanted.path).name
    places = (folder / wanted.path, folder / name, folder / "onnx" / name)
    return next((place for place in places if place.is_file()), None)


def _checked(folder: Path, wanted: ResourceFile) -> Path:
    path = _place(folder, wanted)
    if path is None:
        raise FormatError(f"there is no file {wanted.path}", code="K101", place=Place(str(folder)))
    if wanted.sha256 and _digest(path) != wanted.sha256:
        raise FormatError(
            f"the checksum is {_digest(path)[:12]}..., expected {wanted.sha256[:12]}...",
            code="K117",
            place=Place(str(path)),
            advice="get the file again: it is damaged, or another version",
        )
    return path


def _digest(path: Path) -> str:
    digest = hashlib.sha256()
    with path.open("rb") as stream:
        while block := stream.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()
