"""What is to be measured, and where it goes."""

from __future__ import annotations

from typing import Any

import pytest

from karat.cli.common.measuring import Request, open_outputs
from karat.core.registry import parse
from karat.errors import OptionError

STDIN: list[tuple[int, list[str], list[str], bool, bool]] = [
    (1, ["-"], ["g"], False, True),
    (1, ["s"], ["-"], False, True),
    (2, ["-"], ["g"], False, False),
    (1, ["-", "-"], ["g"], False, False),
    (1, ["s", "t"], ["-"], False, False),
    (1, ["-"], ["-"], False, False),
    (1, ["-"], ["g"], True, False),
    (3, ["s", "t"], ["g", "h"], True, True),
]


@pytest.mark.parametrize(("metrics", "systems", "golds", "again", "fine"), STDIN)
def test_standard_input_is_read_once(
    metrics: int, systems: list[str], golds: list[str], again: bool, fine: bool
) -> None:
    request = Request(metrics=[parse("exact")] * metrics, system=systems, gold=golds)
    if fine:
        request.check_stdin(again=again)
        return
    with pytest.raises(OptionError, match="K320"):
        request.check_stdin(again=again)


def test_outputs_for_one_run() -> None:
    exact = parse("exact")
    Request(metrics=[exact], system=["s"]).check_one_run("--save")
    with pytest.raises(OptionError, match="K321: --save holds one run, but there are 4"):
        Request(metrics=[exact, exact], system=["s", "t"]).check_one_run("--save")


def test_outputs_appear_together_or_not_at_all(tmp_path: Any) -> None:
    paths = {"json": str(tmp_path / "a"), "items": str(tmp_path / "b")}
    with open_outputs(paths) as streams:
        assert set(streams) == {"json", "items"}
        streams["json"].write(b"1")
    assert sorted(each.name for each in tmp_path.iterdir()) == ["a", "b"]
    for each in tmp_path.iterdir():
        each.unlink()

    def interrupted() -> None:
        with open_outputs(paths) as streams:
            streams["items"].write(b"1")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert list(tmp_path.iterdir()) == []
