"""Reading model weights from the safetensors format: names, shapes, raw numbers."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt

from karat.errors import FormatError, Place

_KINDS: dict[str, np.dtype[Any]] = {
    "F64": np.dtype("<f8"),
    "F32": np.dtype("<f4"),
    "F16": np.dtype("<f2"),
    "I64": np.dtype("<i8"),
}
_MOST_HEADER = 100 << 20
Tensor = npt.NDArray[Any]


def read_tensors(path: Path) -> dict[str, Tensor]:
    """The tensors of a file by name, as arrays over the file's memory."""
    try:
        data = np.memmap(path, np.uint8, "r")
    except (OSError, ValueError) as error:
        raise FormatError(f"cannot be read: {error}", code="K101", place=Place(str(path))) from None
    try:
        (size,) = struct.unpack("<Q", data[:8].tobytes())
        if size > min(_MOST_HEADER, len(data) - 8):
            raise ValueError("its header is longer than the file")
        header = msgspec.json.decode(data[8 : 8 + size].tobytes(), type=dict[str, Any])
        body = data[8 + size :]
        return {
            name: _tensor(body, entry) for name, entry in header.items() if name != "__metadata__"
        }
    except (struct.error, msgspec.DecodeError, KeyError, TypeError, ValueError) as error:
        raise FormatError(
            f"this is no safetensors file: {error}", code="K108", place=Place(str(path))
        ) from None


def _tensor(body: Tensor, entry: dict[str, Any]) -> Tensor:
    begin, end = entry["data_offsets"]
    if not 0 <= begin <= end <= len(body):
        raise ValueError("a tensor lies outside the file")
    return body[begin:end].view(_KINDS[entry["dtype"]]).reshape(entry["shape"])
