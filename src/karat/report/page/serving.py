"""The page of runs, served to this machine only; items are explained when they are asked for."""

from __future__ import annotations

import secrets
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Lock
from typing import Annotated, Any, TypeAlias
from urllib.parse import unquote

import msgspec
import numpy as np

from karat.core.capabilities import Explains, has
from karat.core.metric import Explanation
from karat.core.registry import parse
from karat.core.runs.evaluation import Evaluation
from karat.core.scores import find_leaf, leaves
from karat.core.shown import Arcs, Content, Form
from karat.engine.look import explain, look_in_batches, pair_for
from karat.errors import KaratError, OptionError
from karat.report.contract import (
    Found,
    Item,
    Output,
    Page,
    Rescored,
    Selected,
    View,
)
from karat.report.page import html
from karat.report.page.arrangement import Items, about_metric
from karat.report.page.columns import BLOCK, block_of, packed
from karat.report.page.items import shown_pair
from karat.report.page.making import PageMaker
from karat.report.page.statistics import figure_of_items, pair_of, trials_for

ADDRESS = "127.0.0.1"
LARGEST_REQUEST = 20_000_000
EXPLAINED_AT_ONCE = 20_000
"""Up to so many items, errors are counted before the page is shown."""
_PLAIN = {"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff"}


Number: TypeAlias = Annotated[int, msgspec.Meta(ge=0, lt=2**53)]
"""A place in a list, as the page counts."""


class Question(msgspec.Struct):
    """What the page asks: how good two systems are on some rows of a set."""

    set: Number
    metric: Number
    systems: list[Number]
    rows: list[Number]


class Search(msgspec.Struct):
    """What the page looks for: words in the items of some blocks of a set."""

    set: Number
    words: str
    first: Number
    last: Number
    """The block after the last one."""


class ReopenedRun(msgspec.Struct):
    """An item to be scored by another metric, or with other options."""

    set: Number
    row: Number
    metric: str


class Workbench:
    """The page of some runs, and the answers to what it asks."""

    def __init__(self, runs: Sequence[Evaluation], **options: Any) -> None:
        self.maker = PageMaker(runs, page_size=None, **options)
        self.lock = Lock()
        if sum(map(len, runs)) <= EXPLAINED_AT_ONCE:
            self.maker.look()
        self.head: Page = self.maker.head()
        self.head.served = True
        for found in self.head.sets:
            found.blocks = [1] * -(-found.n // BLOCK)
        self.page = html.served(self.head, msgspec.json.encode(self.head))
        self.policy = html.policy_of_served()
        self.block = lru_cache(maxsize=64)(self._block)
        self.texts = lru_cache(maxsize=256)(self._texts)

    def _block(self, number: int, place: int) -> bytes:
        """A block of items, looked at now if they were not before."""
        collector = self.maker.collectors[number]
        rows = range(place * BLOCK, min((place + 1) * BLOCK, len(collector.items)))
        with self.lock:
            for row in collector.items.runs:
                for run in row:
                    if run is not None and not self.maker.has_seen(run):
                        sink = collector.sink(run)
                        if not sink.adds:
                            continue
                        for batch in look_in_batches(run, rows, explained=sink.explains):
                            sink.take(batch)
            return packed(block_of(collector, place))

    def _texts(self, number: int, place: int) -> list[str]:
        """What there is to search in, of each item of a block, in small letters."""
        collector = self.maker.collectors[number]
        self.block(number, place)
        first = place * BLOCK
        rows = range(first, min(first + BLOCK, len(collector.items)))
        ids = collector.items.first.ids
        found = []
        for row in rows:
            item = msgspec.json.decode(collector.joined(range(row, row + 1)), type=Item)
            found.append("\x01".join([str(ids[row]), *texts_of(item)]).lower())
        return found

    def search(self, asked: Search) -> Found:
        """The rows of some blocks that have the words."""
        words = asked.words.strip().lower()
        blocks = len(self.head.sets[asked.set].blocks)
        found = Found([], 0)
        for place in range(asked.first, min(asked.last, blocks)):
            texts = self.texts(asked.set, place)
            found.searched += len(texts)
            found.rows += [place * BLOCK + i for i, text in enumerate(texts) if words in text]
        return found

    def again(self, asked: ReopenedRun) -> Rescored:
        """What a metric says of one item of all systems; the item is read for it."""
        metric = parse(asked.metric)
        items: Items = self.maker.collectors[asked.set].items
        if asked.row >= len(items):
            raise OptionError("there is no such item", code="K391")
        info = about_metric(metric)
        result = Rescored(metric.signature(), info.label, info.digits, [], [], [], [])
        for system in range(len(items.runs[0])):
            run = next((row[system] for row in items.runs if row[system] is not None), None)
            if run is None:
                result.values.append(None)
                result.outputs.append(None)
                continue
            with self.lock:
                pair = pair_for(run, metric, asked.row)
            told: Explanation = (
                explain(metric, pair.system, pair.gold) if has(metric, Explains) else {}
            )
            shown = shown_pair(metric, pair.system, pair.gold, told)
            scores = metric.score(pair.system, pair.gold)
            value = dict(leaves(scores))[find_leaf(scores, metric.about.headline)]
            result.values.append(None if value is None or not np.isfinite(value) else value)
            view = View(shown.layers, shown.overlay, shown.notes, [], shown.units)
            result.outputs.append(Output(shown.system, [view]))
            result.golds = result.golds or shown.golds
            result.layers = list(dict.fromkeys([*result.layers, *shown.layers]))
        return result

    def score(self, question: Question) -> Selected:
        """Scores, intervals and the paired test on some items, from the counts."""
        items: Items = self.maker.collectors[question.set].items
        rows = np.unique(np.array(question.rows, np.int64))
        if not len(rows) or rows[-1] >= len(items):
            raise OptionError("there are no such items", code="K391")
        options = self.maker.statistics
        runs = [items.runs[question.metric][system] for system in question.systems]
        parts = [None if run is None else run.taken(rows.tolist()) for run in runs]
        figures = [None if part is None else figure_of_items(part, options) for part in parts]
        result = Selected(len(rows), figures, None, "")
        if len(parts) == 2 and parts[0] is not None and parts[1] is not None:
            compared = parts[0].compare(
                parts[1],
                trials=trials_for(len(rows)),
                level=options["level"],
                seed=options["seed"],
                cluster=options.get("cluster"),
            )
            p = compared[parts[0].metric.about.headline].p_value
            first, second = question.systems
            result.pair = pair_of(compared, (first, second), p)
            result.test = compared.test
        return result


_QUESTIONS: Mapping[str, tuple[Any, Callable[[Workbench, Any], Any]]] = {
    "score": (Question, Workbench.score),
    "search": (Search, Workbench.search),
    "item": (ReopenedRun, Workbench.again),
}
"""What may be asked, and who answers."""


def texts_of(item: Item) -> Iterator[str]:
    """All texts of an item, as the page has them for its search: source, gold, outputs, labels."""
    if item.source:
        yield item.source
    yield from map(_text, item.golds)
    for output in item.outputs:
        if output is None:
            continue
        if output.content is not None:
            yield _text(output.content)
        for view in output.views:
            if view is not None and view.overlay is not None:
                yield from (line.text for node in view.overlay.nodes for line in node.lines)
                yield from (arrow.label for arrow in view.overlay.arrows)


def _text(content: Content) -> str:
    match content:
        case Form():
            return " ; ".join(content.terms)
        case Arcs():
            return " ".join(word.form for word in content.words)
        case _:
            return content.text


class _Server(ThreadingHTTPServer):
    def handle_error(self, request: Any, client_address: Any) -> None:
        """A browser that leaves before it has its answer is no error."""
        if not isinstance(sys.exc_info()[1], ConnectionError):
            super().handle_error(request, client_address)


def server(
    runs: Sequence[Evaluation], port: int = 0, **options: Any
) -> tuple[ThreadingHTTPServer, str]:
    """A server of the page, ready to `serve_forever`, and its address; port 0 is any free one.

    It answers under a path that cannot be guessed, to requests for this machine alone.
    """
    token = secrets.token_urlsafe(16)
    made: list[Workbench] = []

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            if not self._allowed():
                return
            bench = made[0]
            what = self._path()
            if what == "":
                policy = {"Content-Security-Policy": bench.policy}
                self._send(bench.page, "text/html; charset=utf-8", headers=policy)
                return
            kind, _, rest = what.partition("/")
            try:
                if kind == "c" and rest in bench.maker.stored:
                    self._send(packed(bench.maker.stored.data(rest)), "application/gzip")
                    return
                if kind == "b":
                    number, place = map(int, rest.split("/"))
                    if 0 <= number < len(bench.head.sets) and (
                        0 <= place < len(bench.head.sets[number].blocks)
                    ):
                        self._send(bench.block(number, place), "application/gzip")
                        return
            except ValueError:
                pass
            except KaratError as error:
                self._send(error.headline.encode(), "text/plain; charset=utf-8", 500)
                return
            self._refuse(404)

        def do_POST(self) -> None:
            if not self._allowed(written=True):
                return
            size = self.headers.get("Content-Length", "")
            asked = _QUESTIONS.get(self._path())
            if asked is None or not size.isdecimal() or int(size) > LARGEST_REQUEST:
                self._refuse(404)
                return
            kind, answering = asked
            try:
                question = msgspec.json.decode(self.rfile.read(int(size)), type=kind)
                answer = msgspec.json.encode(answering(made[0], question))
            except KaratError as error:
                self._send(error.headline.encode(), "text/plain; charset=utf-8", 400)
                return
            except (msgspec.MsgspecError, IndexError) as error:
                self._send(str(error).encode(), "text/plain; charset=utf-8", 400)
                return
            self._send(answer, "application/json")

        def _allowed(self, written: bool = False) -> bool:
            """Whether the request is for this machine, knows the token, and comes from the page."""
            host = self.headers.get("Host") or ""
            own = {f"{name}:{self.server.server_port}" for name in (ADDRESS, "localhost")}  # type: ignore[attr-defined]
            origin = self.headers.get("Origin")
            path = unquote(self.path.partition("?")[0])
            known = secrets.compare_digest(path[: len(token) + 4].encode(), f"/k/{token}/".encode())
            good = host in own and known
            if origin is not None or written:
                good = good and origin in {f"http://{each}" for each in own}
            if not good:
                self._refuse(403)
            return good

        def _path(self) -> str:
            return unquote(self.path.partition("?")[0])[len(token) + 4 :]

        def _refuse(self, status: int) -> None:
            self.close_connection = True
            self._send(b"", "text/plain", status)

        def _send(
            self, body: bytes, kind: str, status: int = 200, headers: Mapping[str, str] = _PLAIN
        ) -> None:
            self.send_response(status)
            sent = {**_PLAIN, **headers, "Content-Type": kind, "Content-Length": str(len(body))}
            for name, value in sent.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: Any) -> None:
            """Requests are not reported."""

    serving = _Server((ADDRESS, port), Handler)
    serving.daemon_threads = True
    try:
        made.append(Workbench(runs, **options))
    except BaseException:
        serving.server_close()
        raise
    return serving, f"http://{ADDRESS}:{serving.server_address[1]}/k/{token}/"
