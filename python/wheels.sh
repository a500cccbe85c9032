#!/usr/bin/env bash
# Wheels for Linux, on x86-64 and on aarch64, each for every CPython from 3.10 on, in target/wheels: `python/wheels.sh`.
# Zig links both against a glibc of 2014, so that older systems take them.
set -euo pipefail
cd "$(dirname "$0")"
venv=$PWD/../target/venv-wheels
python3 -m venv "$venv"
export PATH=$venv/bin:$PATH
pip install --quiet maturin==1.16.0 ziglang==0.15.2
for target in x86_64-unknown-linux-gnu aarch64-unknown-linux-gnu; do
  rustup target add "$target"
  maturin build --quiet --release --locked --zig --compatibility manylinux2014 --target "$target" --target-dir ../target --out ../target/wheels
done
ls ../target/wheels
