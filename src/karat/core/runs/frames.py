"""Results as data frames: a row for each item, or for each score."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any

from karat.errors import MissingExtra


class Tabular(ABC):
    """Base class of results that can be converted to a data frame."""

    @abstractmethod
    def to_columns(self) -> Mapping[str, Sequence[Any]]:
        """The columns by their names, all of one length."""

    def to_pandas(self) -> Any:
        """A `pandas.DataFrame` of the columns."""
        return _made("pandas", "DataFrame", self.to_columns())

    def to_polars(self) -> Any:
        """A `polars.DataFrame` of the columns."""
        return _made("polars", "DataFrame", self.to_columns())

    def to_arrow(self) -> Any:
        """A `pyarrow.Table` of the columns."""
        return _made("pyarrow", "table", self.to_columns())


def _made(package: str, maker: str, columns: Mapping[str, Sequence[Any]]) -> Any:
    try:
        library = import_module(package)
    except ImportError:
        raise MissingExtra(
            f"a frame of {package} needs the Python package '{package}', which is not installed",
            code="K401",
            advice=f"install it with: pip install {package}",
        ) from None
    return getattr(library, maker)(dict(columns))
