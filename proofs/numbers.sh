#!/usr/bin/env bash
# Counts what PROOFS.md says in numbers, and writes it there. Every name in its table has to be a
# theorem.
set -euo pipefail
cd "$(dirname "$0")/.."

awk -F '|' '/^\|/ { print $3 }' PROOFS.md | grep -o '`[^`]*`' | grep -v named | tr -d '`' | while read -r name; do
  grep -q "^$name:" proofs/assumptions.txt || { echo "PROOFS.md: no theorem $name" >&2; exit 1; }
done

lines() { cat "$@" | grep -vc '^ *$'; }
counted="Coq: $(grep -vc '\.certificate:' proofs/assumptions.txt) theorems in $(lines proofs/*/*.v) lines, \
$(lines proofs/definitions/*.v) of them definitions to believe; $(grep -c '^lie ' proofs/lies.sh) planted lies are refused. \
Z3: $(sed -n '/^FAULTS/,/^]/p' .ci/masks_z3.py | grep -c '^    (') planted faults are found."
sed -i "/^<!-- counted/{n;s|.*|$counted|}" PROOFS.md
