"""Files on servers: the same result as from disk, over HTTP and from stores."""

from __future__ import annotations

import gzip
import json
import os
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

import pytest

COUNT = 300
OPTIONS = ("--json", "-", "-q", "--resamples", "20")


def files() -> dict[str, bytes]:
    """Gold, a system in another order and in two parts, and gold that is compressed."""
    golds = [f'{{"id": "{i}", "reference": "a {i % 7} b"}}\n' for i in range(COUNT)]
    system = [f'{{"id": "{i}", "hypothesis": "a {i % 5} b"}}\n' for i in reversed(range(COUNT))]
    return {
        "gold.jsonl": "".join(golds).encode(),
        "gold.jsonl.gz": gzip.compress("".join(golds).encode()),
        "system.jsonl": "".join(system).encode(),
        "part-1.jsonl": "".join(system[:100]).encode(),
        "part-2.jsonl": "".join(system[100:]).encode(),
    }


def scores(gold: str, system: str, **environment: str) -> tuple[Any, str]:
    command = [sys.executable, "-m", "karat", "evaluate", "bleu", "-g", gold, "-s", system]
    done = subprocess.run(
        [*command, *OPTIONS],
        capture_output=True,
        text=True,
        timeout=300,
        env={**os.environ, **environment},
    )
    if done.returncode:
        return None, done.stderr
    found = json.loads(done.stdout)
    return (found["scores"], found["n"], found["confidence"]), done.stderr


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> Any:
    folder = tmp_path_factory.mktemp("local")
    for name in ("gold.jsonl", "system.jsonl"):
        (folder / name).write_bytes(files()[name])
    found, error = scores(str(folder / "gold.jsonl"), str(folder / "system.jsonl"))
    assert found is not None, error
    return found


class Handler(BaseHTTPRequestHandler):
    """Gives files, whole or a range of their bytes."""

    content = files()

    def do_HEAD(self) -> None:
        self._answer(body=False)

    def do_GET(self) -> None:
        self._answer(body=True)

    def _answer(self, *, body: bool) -> None:
        data = self.content.get(self.path.lstrip("/"))
        if data is None:
            self.send_error(404)
            return
        wanted = re.fullmatch(r"bytes=(\d+)-(\d*)", self.headers.get("Range", ""))
        first, last = 0, len(data) - 1
        if wanted:
            first, last = int(wanted[1]), min(last, int(wanted[2] or last))
        part = data[first : last + 1]
        self.send_response(206 if wanted else 200)
        self.send_header("Accept-Ranges", "bytes")
        self.send_header("Content-Length", str(len(part)))
        if wanted:
            self.send_header("Content-Range", f"bytes {first}-{last}/{len(data)}")
        self.end_headers()
        if body:
            self.wfile.write(part)

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing is printed."""


@pytest.fixture(scope="module")
def web() -> Iterator[str]:
    pytest.importorskip("aiohttp")
    pytest.importorskip("fsspec")
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()
    thread.join()


def test_http(web: str, expected: Any) -> None:
    found, error = scores(f"{web}/gold.jsonl", f"{web}/system.jsonl")
    assert found == expected, error
    found, error = scores(f"{web}/gold.jsonl.gz", f"{web}/system.jsonl")
    assert found == expected, error
    found, error = scores(f"{web}/gold.jsonl", f"{web}/none.jsonl")
    assert error.startswith(f"{web}/none.jsonl: FormatError K101: there is no such file"), error


@pytest.fixture(scope="module")
def store() -> Iterator[dict[str, str]]:
    pytest.importorskip("s3fs")
    moto = pytest.importorskip("moto.server")
    server = moto.ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    yield {
        "AWS_ENDPOINT_URL": f"http://{host}:{port}",
        "AWS_ACCESS_KEY_ID": "key",
        "AWS_SECRET_ACCESS_KEY": "secret",
        "AWS_DEFAULT_REGION": "us-east-1",
    }
    server.stop()


UPLOAD = """
import sys
from pathlib import Path
import s3fs
store = s3fs.S3FileSystem()
store.mkdir("karat-bucket")
for path in Path(sys.argv[1]).iterdir():
    store.pipe(f"karat-bucket/{path.name}", path.read_bytes())
"""


def test_s3(store: dict[str, str], expected: Any, tmp_path: Path) -> None:
    for name, data in files().items():
        (tmp_path / name).write_bytes(data)
    command = [sys.executable, "-c", UPLOAD, str(tmp_path)]
    subprocess.run(command, check=True, env={**os.environ, **store}, timeout=300)
    bucket = "s3://karat-bucket"
    found, error = scores(f"{bucket}/gold.jsonl", f"{bucket}/part-*.jsonl", **store)
    assert found == expected, error
    found, error = scores(f"{bucket}/gold.jsonl.gz", f"{bucket}/none.jsonl", **store)
    assert error.startswith(f"{bucket}/none.jsonl: FormatError K101: there is no such file"), error


@pytest.fixture(scope="module")
def google_store() -> Iterator[dict[str, str]]:
    pytest.importorskip("gcsfs")
    emulator = pytest.importorskip("gcp_storage_emulator.server")
    with emulator.create_server("127.0.0.1", 0, in_memory=True, default_bucket="karat") as server:
        address = f"http://127.0.0.1:{server._api._httpd.server_port}"
        for name, data in files().items():
            url = f"{address}/upload/storage/v1/b/karat/o?uploadType=media&name={name}"
            urlopen(Request(url, data, {"Content-Type": "application/octet-stream"}), timeout=300)
        # The emulator speaks no gRPC, which gcsfs would ask first what kind of bucket it is.
        settings = {"FSSPEC_GS_TOKEN": "anon", "GCSFS_EXPERIMENTAL_ZB_HNS_SUPPORT": "false"}
        yield {"STORAGE_EMULATOR_HOST": address, **settings}


def test_google(google_store: dict[str, str], expected: Any) -> None:
    found, error = scores("gs://karat/gold.jsonl.gz", "gs://karat/part-*.jsonl", **google_store)
    assert found == expected, error
    found, error = scores("gs://karat/gold.jsonl", "gs://karat/none.jsonl", **google_store)
    assert error.startswith("gs://karat/none.jsonl: FormatError K101: there is no such file"), error
