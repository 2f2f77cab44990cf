"""Files of changelog.d become a section of the changelog."""

from __future__ import annotations

from pathlib import Path

import pytest

from releasing import changelog

HEAD = "# Changes\n\nWhat changes for users.\n\n"
OLD = "## 0.1.0 (2026-01-01)\n\nThe first version.\n"


def none() -> dict[str, list[str]]:
    return {kind: [] for kind in changelog.KINDS}


def test_kinds_come_in_order_and_entries_by_topic(tmp_path: Path) -> None:
    for name, text in {
        "b.added.md": "Second.\nOn two lines.\n",
        "a.added.md": "First, see [a page](../docs/page.md).\n\n- a list\n",
        "z.numbers.md": "- A figure.\n  Of two lines.\n- Another one.\n",
        "README.md": "how it works",
    }.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    texts = changelog.fragments(tmp_path)
    made, date = changelog.with_release(HEAD + OLD, "0.2.0", "2026-02-03", texts)
    assert date == "2026-02-03"
    assert made == (
        HEAD + "## 0.2.0 (2026-02-03)\n\n"
        "### Figures that changed\n\n- A figure.\n  Of two lines.\n- Another one.\n\n"
        "### Added\n\n- First, see [a page](docs/page.md).\n\n  - a list\n"
        "- Second.\n  On two lines.\n\n" + OLD
    )
    assert changelog.section(made, "0.1.0") == "The first version.\n"


def test_again_changes_nothing_and_more_is_added_below() -> None:
    texts = {**none(), "added": ["One.\n\n- point\n- point"], "fixed": ["Fixed."]}
    made, _ = changelog.with_release(HEAD + OLD, "0.2.0", "2026-02-03", texts)
    assert changelog.with_release(made, "0.2.0", "2027-01-01", none()) == (made, "2026-02-03")
    more, _ = changelog.with_release(made, "0.2.0", "2027-01-01", {**none(), "added": ["Two."]})
    expected = made.replace("  - point\n\n### Fixed", "  - point\n- Two.\n\n### Fixed")
    assert more == expected != made


@pytest.mark.parametrize(
    "name", ["note.md", "topic.improved.md", "topic.fixed.txt", "Big.fixed.md"]
)
def test_a_wrong_name_is_an_error(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text("text", encoding="utf-8")
    with pytest.raises(changelog.ChangelogError, match=r"TOPIC\.KIND\.md"):
        changelog.fragments(tmp_path)


def test_nothing_to_say_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "a.fixed.md").write_text("\n", encoding="utf-8")
    with pytest.raises(changelog.ChangelogError, match="is empty"):
        changelog.fragments(tmp_path)
    with pytest.raises(changelog.ChangelogError, match="nothing to release"):
        changelog.with_release(HEAD + OLD, "0.2.0", "2026-02-03", none())
    with pytest.raises(changelog.ChangelogError, match=r"should be 0\.3\.0"):
        changelog.with_release(HEAD + "## 0.3.0 (soon)\n", "0.3.0", "2026-02-03", none())
