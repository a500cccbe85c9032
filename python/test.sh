#!/usr/bin/env bash
# Builds the package for Python and tests it, in a virtual environment of its own: `python/test.sh`.
set -euo pipefail
cd "$(dirname "$0")"
venv=$PWD/../target/venv
python3 -m venv "$venv"
export VIRTUAL_ENV=$venv PATH=$venv/bin:$PATH
pip install --quiet --requirement requirements.txt
ruff format --check --quiet . && ruff check --quiet .
cargo fmt --check
cargo clippy --locked --all-targets --target-dir ../target -- -D warnings
maturin develop --quiet --locked --profile dev --target-dir ../target
mypy --strict tests/typed.py
pytest --quiet tests "$@"
