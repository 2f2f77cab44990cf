"""``karat list``, ``doctor`` and ``setup``: what there is, what is missing, and how to add it."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import Any

import click

from karat.cli.common.options import PRINT_JSON, QUIET
from karat.cli.common.printing import print_hanging, warn, with_flags
from karat.core import catalog
from karat.core.catalog import Row
from karat.core.files.writing import indented_json, refuse_replacing
from karat.core.plugins import COMMANDS, FORMATS, METRICS, clashes, rows, version_of
from karat.errors import KaratError, OptionError, counted
from karat.version import VERSION


def _rows(what: str) -> list[Row]:
    for clash in clashes(f"karat.{what}").values():
        warn([clash.headline])
    return [
        row if row.package == "karat" else _described(row, what)
        for row in rows(f"karat.{what}").values()
    ]


def _described(row: Row, what: str) -> Row:
    """A plug-in with the first line of its docstring; what does not load says so."""
    import msgspec

    from karat.core.registry import can_write, format_class, metric_class

    try:
        cls = (metric_class if what == "metrics" else format_class)(row.name)
    except KaratError as error:
        return msgspec.structs.replace(row, summary=f"{error.headline} ({row.summary})")
    # A docstring of its own: that of a base class says nothing about it.
    text = inspect.cleandoc(vars(cls).get("__doc__") or "").partition("\n\n")[0]
    told = " ".join(text.split()).replace("``", "'")
    summary = f"{told} ({row.summary})" if told else row.summary
    return msgspec.structs.replace(
        row, summary=summary, writes=what == "formats" and can_write(row.name)
    )


_WHAT = click.Argument(["what"], type=click.Choice(["metrics", "formats", "datasets"]))


@click.command("list", params=[_WHAT, PRINT_JSON])
def listing(what: str, as_json: bool) -> None:
    """List the metrics, formats and data sets."""
    if what == "datasets":
        show_datasets(as_json)
        return
    found = _rows(what)
    if as_json:
        entries: list[dict[str, Any]] = []
        for row in found:
            common = {name: getattr(row, name) for name in ("name", "kind", "summary", "package")}
            if what == "metrics":
                entries.append({**common, "extra": row.extra or None})
            else:
                own = {"reads": row.reads, "writes": row.writes, "suffixes": row.suffixes}
                entries.append({**common, **own})
        click.echo(indented_json(entries), nl=False)
        return
    wide = max(len(row.name) for row in found)
    texts: list[tuple[str, int]] = []
    for kind in dict.fromkeys(row.kind for row in found):
        texts.append((f"{kind}:", 0))
        for row in (row for row in found if row.kind == kind):
            note = ""
            if what == "formats":
                one_way = " (read only)" if row.reads else " (write only)"
                note = "" if row.reads and row.writes else one_way
            elif row.extra:
                note = f" (needs karat[{row.extra}])"
            texts.append((f"  {row.name:<{wide}}  {row.summary}{note}", wide + 4))
    print_hanging(texts)


def show_datasets(as_json: bool) -> None:
    """The data sets that karat setup dataset converts."""
    from dataclasses import asdict

    from karat.meta.datasets.catalog import DATASETS

    if as_json:
        entries = [
            {name: value for name, value in asdict(row).items() if name != "target"}
            for row in DATASETS
        ]
        click.echo(indented_json(entries), nl=False)
        return
    wide = max(len(row.name) for row in DATASETS)
    texts = [
        (line, wide + 4)
        for row in DATASETS
        for line in (f"  {row.name:<{wide}}  {row.summary}", f"  {'':<{wide}}  from {row.inputs}")
    ]
    print_hanging(texts)


_EXTRAS = (
    ("text", "sacrebleu", "further tokenizers of bleu, normalized ter"),
    ("stemming", "snowballstemmer", "stems in the unicode profile of rouge"),
    ("embedding", "onnxruntime", "language models of bertscore, moverscore and supert"),
    ("embedding", "tokenizers", "tokens of these models"),
    ("embedding", "scipy", "moverscore"),
    ("zstd", "zstandard", "reading .zst files and logs of Inspect (.eval)"),
    ("parquet", "pyarrow", "Parquet files and Arrow tables"),
    ("dask", "distributed", "running on a cluster"),
    ("remote", "fsspec", "files at addresses such as s3://"),
    ("png", "cairosvg", "drawing charts as PNG"),
    ("records", "jsonschema", "checking records against a JSON schema"),
    ("networkx", "networkx", "graphs as networkx objects"),
)

_PIP = "pip install 'karat[{}]'"


def _native_works() -> str:
    import numpy as np

    from karat import _native

    one, offsets = np.array([0, 1, 2], np.int32), np.array([0, 3], np.int64)
    distance = int(_native.edit_distances(one, offsets, one[::-1].copy(), offsets)[0])
    return "" if distance == 2 else f"a test distance is {distance}, expected 2"


def _plugins() -> list[dict[str, str]]:
    from karat.core.commands import command_class
    from karat.core.registry import format_class, metric_class

    loaders = ((METRICS, metric_class), (FORMATS, format_class), (COMMANDS, command_class))
    result = []
    for group, load in loaders:
        for name, clash in clashes(group).items():
            result.append({"name": name, "package": "", "problem": clash.headline})
        for row in rows(group).values():
            if row.package == "karat":
                continue
            try:
                load(row.name)
                result.append({"name": row.name, "package": row.package, "problem": ""})
            except KaratError as error:
                result.append({"name": row.name, "package": row.package, "problem": error.headline})
    return result


@click.command("doctor", params=[PRINT_JSON])
def doctor(as_json: bool) -> int:
    """Show what works here, what is missing, and how to get it."""
    import platform
    from importlib import util

    from karat.core.capabilities import install_hint
    from karat.core.registry import metric_class
    from karat.text.resources import PURPOSES, missing

    found: dict[str, Any] = {
        "karat": VERSION,
        "python": platform.python_version(),
        "platform": platform.platform(),
        "native": _native_works() or "ok",
        "extras": [
            {
                "extra": extra,
                "package": package,
                "purpose": purpose,
                "version": version_of(package) or None if util.find_spec(package) else None,
            }
            for extra, package, purpose in _EXTRAS
        ],
        "resources": [
            {"name": name, "purpose": purpose, "missing": missing(name)}
            for name, purpose in PURPOSES.items()
        ],
        "metrics": [
            {"name": row.name, "missing": install_hint(metric_class(row.name))}
            for row in catalog.METRICS
        ],
        "plugins": _plugins(),
    }
    if as_json:
        click.echo(indented_json(found), nl=False)
    else:
        _show(found)
    is_broken = found["native"] != "ok" or any(each["problem"] for each in found["plugins"])
    return 1 if is_broken else 0


def _show(found: dict[str, Any]) -> None:
    lines = [
        f"karat {VERSION} on Python {found['python']}, {found['platform']}",
        f"native kernels: {found['native']}",
    ]
    for each in found["extras"]:
        state = f"missing: {_PIP.format(each['extra'])}"
        if each["version"]:
            state = f"ok ({each['package']} {each['version']})"
        lines.append(f"{each['purpose']}: {state}")
    for each in found["resources"]:
        missing = with_flags(each["missing"])
        lines.append(f"{each['purpose']}: {f'missing: {missing}' if missing else 'ok'}")
    ready = [each["name"] for each in found["metrics"] if not each["missing"]]
    lines.append(f"metrics that are ready: {', '.join(ready)}")
    lacking: dict[str, list[str]] = {}
    for each in found["metrics"]:
        if each["missing"]:
            lacking.setdefault(with_flags(each["missing"]), []).append(each["name"])
    for advice, names in lacking.items():
        lines.append(f"metric{'s' * (len(names) > 1)} {', '.join(names)}: {advice}")
    for each in found["plugins"]:
        whose = f" of {each['package']}" if each["package"] else ""
        lines.append(f"plug-in {each['name']}{whose}: {each['problem'] or 'ok'}")
    print_hanging([(line, 4) for line in lines])


@click.group("setup")
def setup() -> None:
    """Prepare data sets and metrics from files that you have. Nothing is downloaded."""


@setup.command(
    "dataset",
    short_help="Convert a published data set to files that karat reads.",
    params=[
        click.Argument(["name"], required=False),
        click.Argument(["files"], nargs=-1, metavar="FILE..."),
        click.Option(["-o", "--output"], metavar="FOLDER", help="where the files go"),
        click.Option(["--split-sentences/--no-split-sentences"], default=None, help="divide the lines of English summaries into sentences, where SacreROUGE did (DUC 2004, TAC 2009 to 2011, MultiLing 2013 to 2017)  [default: yes]"),
        QUIET,
    ],
)  # fmt: skip
def dataset(
    name: str | None,
    files: tuple[str, ...],
    output: str | None,
    split_sentences: bool | None,
    quiet: bool,
) -> None:
    """Convert a data set, from its files as published, to the files karat reads.

    Without a name, lists the data sets. Files may be anywhere and may be
    compressed.
    """
    from karat.meta.datasets.catalog import dataset as find
    from karat.meta.datasets.writing import ABOUT, write

    if name is None:
        show_datasets(as_json=False)
        return
    found = find(name)
    outcome = found.convert(files, split_sentences)
    if output is None:
        raise OptionError("where to? give a folder with -o", code="K367")
    inputs = {path: "the data set has" for path in files if not Path(path).is_dir()}
    for file in (*outcome.files, ABOUT):
        refuse_replacing(str(Path(output) / file), "a file in --output,", inputs)
    signature = found.signature(split_sentences)
    for file, count in write(outcome, output, signature).items():
        click.echo(f"{output}/{file}: {counted(count, 'record')}")
    click.echo(f"{output}/{ABOUT}: {signature}")
    warn(outcome.warnings, quiet)


@setup.command("metric", short_help="Keep files of a metric, or how to reach its program.")
@click.argument("name", required=False)
@click.option("--from", "source", metavar="FOLDER", help="where the files of the metric are")
@click.option("--command", metavar="COMMAND", help="the program that computes the metric")
@click.option("--url", metavar="URL", help="the server that computes the metric")
def metric(name: str | None, source: str | None, command: str | None, url: str | None) -> None:
    """Keep what a metric needs in KARAT_HOME: its files, or how to reach its program.

    Without a name, shows what can be set up and what is missing. Files are checked
    against their checksums before they are copied.
    """
    from karat.core.registry import metric_class
    from karat.text.external.programs import remember_program
    from karat.text.resources import FILES, install

    if name is None:
        _show_metrics()
        return
    if name in FILES:
        if source is None or command or url:
            raise OptionError(
                f"{name} is set up from files: karat setup metric {name} --from FOLDER",
                code="K390",
                advice="files: " + ", ".join(wanted.path for wanted in FILES[name]),
            )
        for path in install(name, source):
            click.echo(str(path))
        return
    if name not in _programs():
        metric_class(name)  # an unknown name is another mistake
        raise OptionError(
            f"the metric {name!r} needs no setup",
            code="K390",
            advice="karat setup metric shows what can be set up",
        )
    if source is not None:
        raise OptionError(f"{name} is a program: give --command or --url", code="K390")
    click.echo(str(remember_program(name, command, url)))


def _programs() -> dict[str, str]:
    """The metrics that other programs compute, and what is missing for each."""
    from karat.core.capabilities import install_hint
    from karat.core.registry import metric_class

    modules = ("karat.text.metrics.presets:", "karat.text.metrics.questions:")
    found = [row.name for row in rows(METRICS).values() if row.target.startswith(modules)]
    return {name: install_hint(metric_class(name)) for name in found}


def _show_metrics() -> None:
    from karat.text.resources import FILES, PURPOSES, missing

    for name in FILES:
        state = "ready" if not missing(name) else f"karat setup metric {name} --from FOLDER"
        click.echo(f"{name} ({PURPOSES[name]}): {state}")
    for name, lacking in _programs().items():
        click.echo(f"{name}: {with_flags(lacking) or 'ready'}")
