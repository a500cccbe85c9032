#!/usr/bin/env bash
# Other libraries, measured and audited. `python/peers/run.sh` prints the table of COMPARE.md,
# `--write` puts it there, `--check` compares it with the one that is there.
set -euo pipefail
cd "$(dirname "$0")"
target=$PWD/../../target
python3 -m venv "$target/peers" && python3 -m venv "$target/peers-old"
"$target/peers-old/bin/pip" install --quiet opendp==0.14.2
export VIRTUAL_ENV=$target/peers PATH=$target/peers/bin:$PATH
pip install --quiet --requirement requirements.txt
(cd .. && maturin develop --quiet --locked --profile "${PROFILE:-dev}" --target-dir ../target)
python compare.py "$@"
python audits.py "$target/peers-old/bin/python"
