"""What kernels say of pairs from the bytes of files, against what metrics say of parsed values."""

from __future__ import annotations

from typing import Any

import msgspec

from karat.core.capabilities import LooksAtMany, has
from karat.core.runs.evaluation import Evaluation
from karat.core.shown import Arcs, Form, ShownPairs
from karat.engine.look import explain, look_in_batches

_encode = msgspec.json.encode


def check_looks(run: Evaluation) -> int:
    """Compares all that a run's metric explains and shows; how many pairs kernels looked at."""
    metric: Any = run.metric
    assert has(metric, LooksAtMany)
    count = 0
    for batch in look_in_batches(run, explained=True):
        if batch.looked is None:
            continue
        count += len(batch)
        told = [explain(metric, pair.system, pair.gold) for pair in batch.pairs]
        assert batch.made_together == list(map(_encode, told))
        found = ShownPairs(*batch.looked.shown())
        expected = [
            metric.shown(pair.system, pair.gold, each)
            for pair, each in zip(batch.pairs, told, strict=True)
        ]
        golds = [_encode(each.source) + b"," + _encode(each.golds) for each in expected]
        assert batch.only_wanted(found.golds) == golds
        assert batch.only_wanted(found.systems) == [_encode(each.system) for each in expected]
        views = [_encode(each.layers) + b",null," + _encode(each.notes) for each in expected]
        assert batch.only_wanted(found.views) == views
        faults: dict[int, list[Any]] = {position: [] for position in batch.positions}
        places = batch.positions_in_chunk().tolist()
        for row, number in zip(
            found.fault_rows.tolist(), found.fault_numbers.tolist(), strict=True
        ):
            faults.setdefault(places[row], []).append(tuple(found.faults[number]))
        faults.pop(-1, None)
        assert list(faults.values()) == [list(map(tuple, each.faults)) for each in expected]
        assert set(found.layers) >= {name for each in expected for name in each.layers}
        contents = [content for each in expected for content in (*each.golds, each.system)]
        assert found.drawn or not any(isinstance(each, (Arcs, Form)) for each in contents)
    return count
