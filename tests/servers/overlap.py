"""A small program of karat's protocol: words that a text shares with what it is held against.

Reads JSON lines and answers them, from standard input or, with ``--port``, by HTTP. The
score called ``length`` is the number of words; every other one is the best share of words
in common with a reference or document. ``--fail`` makes it misbehave in a named way;
``--log`` writes how many items came together into a file, a line for each time.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any


def words(text: Any) -> list[str]:
    return (text if isinstance(text, str) else " ".join(text)).split()


def answer(line: str, fail: str) -> str:
    request = json.loads(line)
    if request.get("health"):
        return json.dumps({"ok": fail != "sick", "name": "overlap", "version": "1"})
    ours = words(request["summary"])
    others = request.get("references") or request.get("documents") or [request["summary"]]
    best = max(len(set(ours) & set(words(o))) / max(1, len({*ours, *words(o)})) for o in others)
    scores = {n: len(ours) if n == "length" else best for n in request["scores"]}
    if fail == "silent":
        time.sleep(60)
    if fail == "crash":
        sys.exit("out of memory")
    if fail == "refuse":
        return json.dumps({"id": request["id"], "error": "too long"})
    if fail == "no-number":
        scores = dict.fromkeys(scores, "high")
    if fail == "nan":
        return f'{{"id": {request["id"]}, "scores": {{"length": 1e999}}}}'
    if fail == "huge":
        return f'{{"id": {request["id"]}, "scores": {{"length": {"9" * 400}}}}}'
    if fail == "wrong-id":
        request["id"] += 7
    if fail == "no-json":
        return "hello"
    return json.dumps({"id": request["id"], "scores": scores})


class Handler(BaseHTTPRequestHandler):
    fail = ""
    log = ""

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"])).decode()
        lines = [answer(line, self.fail) for line in reversed(body.splitlines())]
        if self.log and '"health"' not in body:
            with Path(self.log).open("a") as stream:
                print(len(lines), file=stream)
        data = "\n".join(lines).encode()
        self.send_response(500 if self.fail == "status" else 200)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *args: Any) -> None:
        pass


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--port", type=int)
    parser.add_argument("--fail", default="")
    parser.add_argument("--log", default="")
    options = parser.parse_args()
    if options.port is not None:
        Handler.fail, Handler.log = options.fail, options.log
        server = HTTPServer(("127.0.0.1", options.port), Handler)
        print(server.server_port, flush=True)
        server.serve_forever()
    for line in sys.stdin:
        print(answer(line, options.fail), flush=True)


if __name__ == "__main__":
    main()
