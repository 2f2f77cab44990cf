"""10,000 resamples of 10,000 items with 20 columns, against the matrix product they are."""

from __future__ import annotations

import numpy as np

from karat.stats.resampling import bootstrap_sums
from timing import header, race


def main() -> None:
    header("resampling")
    counts = np.random.default_rng(1).integers(0, 9, (10_000, 20)).astype(float)
    weights = np.random.default_rng(2).random((10_000, 10_000))
    race(
        "10,000 resamples against a given matrix product",
        lambda: bootstrap_sums(counts, 10_000, 1),
        lambda: weights @ counts,
    )

    def with_numpy() -> np.ndarray:
        """The same sums with numpy's generator."""
        generator, sums = np.random.default_rng(3), []
        for _ in range(100):
            drawn = generator.integers(0, 10_000, (100, 10_000), dtype=np.int32)
            cells = drawn + np.arange(100, dtype=np.int32)[:, None] * 10_000
            table = np.bincount(cells.ravel(), minlength=1_000_000).reshape(100, 10_000)
            sums.append(table.astype(float) @ counts)
        return np.concatenate(sums)

    race(
        "10,000 resamples against numpy's generator and bincount",
        lambda: bootstrap_sums(counts, 10_000, 1).mean(axis=0),
        lambda: with_numpy().mean(axis=0),
        lambda a, b: bool(np.allclose(a, b, rtol=1e-3)),
    )


if __name__ == "__main__":
    main()
