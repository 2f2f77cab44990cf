"""A Dask cluster of processes on this machine: a scheduler and workers, each to be killed."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path


class DaskCluster:
    """A scheduler and its workers, which run in a folder of their own."""

    def __init__(self, folder: Path, workers: int) -> None:
        self.folder = folder
        folder.mkdir(exist_ok=True)
        place = folder / "scheduler.json"
        place.unlink(missing_ok=True)
        self.processes: list[subprocess.Popen[bytes]] = []
        self.scheduler = self._start(
            "dask_scheduler", "--port", "0", "--host", "127.0.0.1", "--no-dashboard",
            "--scheduler-file", str(place),
        )  # fmt: skip
        while not place.exists() or not place.read_text(encoding="utf-8").strip():
            assert self.scheduler.poll() is None, "the scheduler ended"
            time.sleep(0.02)
        self.address: str = json.loads(place.read_text(encoding="utf-8"))["address"]
        from distributed import Client  # which not everybody has

        self.workers = [self.start_worker() for _ in range(workers)]
        with Client(self.address, timeout=300, set_as_default=False) as client:
            client.wait_for_workers(workers, timeout=300)

    def start_worker(self) -> subprocess.Popen[bytes]:
        """One more worker, which is not among `workers`."""
        return self._start(
            "dask_worker", self.address, "--nthreads", "1", "--no-nanny", "--no-dashboard",
            "--local-directory", str(self.folder),
        )  # fmt: skip

    def _start(self, module: str, *words: str) -> subprocess.Popen[bytes]:
        process = subprocess.Popen(
            [sys.executable, "-m", f"distributed.cli.{module}", *words],
            cwd=self.folder,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        self.processes.append(process)
        return process

    def close(self) -> None:
        for process in self.processes:
            process.kill()
            process.wait()

    def __enter__(self) -> DaskCluster:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
