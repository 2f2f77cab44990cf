#!/usr/bin/env bash
# Starts a Dask scheduler and workers on this machine, runs an evaluation on them, and ends them:
#
#     examples/cluster/run.sh [WORKERS] [karat arguments…]
#
# On machines of your own, start `dask scheduler` on one and `dask worker tcp://HOST:8786` on all,
# and give karat the address of the first: --dask tcp://HOST:8786. It needs pip install 'karat[dask]'.
set -euo pipefail
here=$(cd "$(dirname "$0")/.." && pwd)
workers=${1:-2}
shift || true
scratch=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null; wait 2>/dev/null || true; rm -rf "$scratch"' EXIT

dask scheduler --host 127.0.0.1 --port 0 --no-dashboard --scheduler-file "$scratch/scheduler.json" \
  2>"$scratch/scheduler.log" &
until [ -s "$scratch/scheduler.json" ]; do sleep 0.1; done
for _ in $(seq "$workers"); do
  dask worker --scheduler-file "$scratch/scheduler.json" --nthreads 1 --no-dashboard \
    --local-directory "$scratch" 2>>"$scratch/workers.log" &
done
address=$(sed -n 's/.*"address": "\(tcp:[^"]*\)".*/\1/p' "$scratch/scheduler.json" | head -1)
if [ $# -eq 0 ]; then
  set -- evaluate bleu -g "$here/translation/gold.txt" -s "$here/translation/careful.txt"
fi
karat "$@" --dask "$address" --resume "$scratch/parts"
