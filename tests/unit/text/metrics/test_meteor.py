"""METEOR: engines, references, synonyms."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from karat.errors import FormatError, LimitExceeded, MissingExtra, OptionError
from karat.text.external.meteor import find_jar
from karat.text.metrics.meteor import Meteor
from karat.text.words.wordnet import WordNet, find_wordnet


def small_wordnet(folder: Path) -> Path:
    """Files in WordNet's layout: buy and purchase share a synset, child has an irregular form."""
    (folder / "index.noun").write_text(
        "  1 a header line\n"
        "child n 1 1 @ 1 1 00000010\n"
        "kid n 2 1 @ 2 1 00000010 00000020\n"
        "box n 1 0 1 0 00000030\n"
    )
    (folder / "index.verb").write_text(
        "buy v 1 1 @ 1 1 00000040\npurchase v 1 1 @ 1 0 00000040\nbox v 1 0 1 0 00000030\n"
    )
    for name in ("index.adj", "index.adv", "verb.exc", "adj.exc", "adv.exc"):
        (folder / name).write_text("")
    (folder / "noun.exc").write_text("children child\n")
    (folder / "verb.exc").write_text("bought buy\n")
    return folder


def test_synsets(tmp_path: Path) -> None:
    wordnet = WordNet(small_wordnet(tmp_path))
    assert wordnet.synsets("children") == wordnet.synsets("child")
    assert set(wordnet.synsets("children")) < set(wordnet.synsets("kids"))
    assert wordnet.synsets("bought") == wordnet.synsets("purchases") == wordnet.synsets("buying")
    assert len(wordnet.synsets("boxes")) == 2  # the noun and the verb have the same place
    assert wordnet.synsets("unknown") == []


def test_synonyms_match(tmp_path: Path) -> None:
    metric = Meteor(synonyms=True, wordnet=str(small_wordnet(tmp_path)))
    matched = metric.explain("children bought", ["kids purchase"])["references"][0]["matched"]
    assert [match["stage"] for match in matched] == ["synonym", "synonym"]
    assert metric.score("children bought", ["kids purchase"])["precision"] == pytest.approx(0.8)
    assert Meteor().score("children bought", ["kids purchase"])["METEOR"] == 0


def test_the_files_of_debian_are_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """car and automobile are in one synset of WordNet 3.0, car and cat are in none."""
    debian = Path("/usr/share/wordnet")
    if not (debian / "index.noun").is_file():
        pytest.skip("wordnet-base is not there")
    monkeypatch.setenv("KARAT_HOME", str(tmp_path))
    assert find_wordnet() == debian
    metric = Meteor(synonyms=True)
    assert metric.score("automobiles", ["car"])["METEOR"] == pytest.approx(0.8)
    assert metric.score("cat", ["car"])["METEOR"] == 0
    (tmp_path / "metrics" / "wordnet").mkdir(parents=True)
    small_wordnet(tmp_path / "metrics" / "wordnet")
    assert find_wordnet() == tmp_path / "metrics" / "wordnet"
    assert metric.score("automobiles", ["car"])["METEOR"] == 0


def test_a_missing_wordnet_is_told(tmp_path: Path) -> None:
    with pytest.raises(MissingExtra, match="wordnet-base"):
        Meteor(synonyms=True, wordnet=str(tmp_path)).score("a", ["b"])
    small_wordnet(tmp_path)
    (tmp_path / "index.adv").write_text("not an index\n")
    with pytest.raises(FormatError, match="not a line of a WordNet index"):
        Meteor(synonyms=True, wordnet=str(tmp_path)).score("a", ["b"])
    (tmp_path / "index.adv").unlink()
    with pytest.raises(FormatError, match=r"index.adv.*cannot be opened"):
        WordNet(tmp_path)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"engine": "java", "synonyms": True}, "its own synonyms"),
        ({"jar": "x"}, "jar is for the java engine"),
        ({"wordnet": "x"}, "wordnet is for synonyms"),
    ],
)
def test_options_that_make_no_sense(options: dict[str, object], message: str) -> None:
    with pytest.raises(OptionError, match=message):
        Meteor(**options)  # type: ignore[arg-type]


def test_a_missing_jar_or_java_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(MissingExtra, match="karat setup metric meteor"):
        Meteor(engine="java", jar=str(tmp_path / "no.jar")).score("a", ["b"])
    monkeypatch.setenv("KARAT_HOME", str(tmp_path))
    folder = tmp_path / "metrics" / "meteor"
    folder.mkdir(parents=True)
    jar = folder / "meteor-1.5.jar"
    jar.write_bytes(b"")
    assert find_jar() == jar
    monkeypatch.setattr(shutil, "which", lambda name: None)
    with pytest.raises(MissingExtra, match="Java runtime"):
        Meteor(engine="java").score("a", ["b"])


def test_references_combine_by_mean_or_by_the_best() -> None:
    one, two = (Meteor().score("a dog barks", [gold])["METEOR"] for gold in ("a cat", "a dog"))
    both = ["a cat", "a dog"]
    assert Meteor().score("a dog barks", both)["METEOR"] == pytest.approx((one + two) / 2)
    assert Meteor(refs="max").score("a dog barks", both)["METEOR"] == max(one, two)


def test_equal_texts_are_perfect_and_empty_ones_are_not() -> None:
    assert Meteor().score("A dog barks.", ["a dog barks ."])["METEOR"] == pytest.approx(1)
    assert Meteor().score("", ["a"])["METEOR"] == 0
    assert Meteor().score("a", [""])["METEOR"] == 0
    assert Meteor().score("", [""])["METEOR"] == 0


def test_texts_too_long_are_refused() -> None:
    with pytest.raises(LimitExceeded, match="too long to be aligned"):
        Meteor().score("word " * 20_000, ["word " * 20_000])
