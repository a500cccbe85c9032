#!/usr/bin/env python3
"""Random claims, each made once a little too weak and once a little too strong: random_claims.py TARGET NUMBER [SEED]

The checkers that Coq has proved sound, dp-check and the bounds of dp-cli, whose binaries are in TARGET, have to agree.
Before, proofs/check.sh.
"""

import json
import pathlib
import random
import subprocess
import sys
import tempfile
from fractions import Fraction

# A claimed delta lies so far from the truth, as a part of it.
GAP = Fraction(1, 10**12)


def query(choose):
    """A query, and how many numbers one client changes by how much (docs/certificates.md of dp-check)."""
    size, most = choose.randint(2, 4), choose.randint(1, 5)
    return choose.choice([("count", 1, 1), ("histogram:9", 2, 1), (f"sum:{most}", 1, most),
                          (f"sumvec:{size}:{most}", size, most), (f"multihot:9:{size}", 2 * size, 1)])


def coq(number):
    return f"({number.numerator} # {number.denominator})"


def claims(target, choose):
    """Both claims about random noise, in Coq and with the verdicts of dp-check; None where delta is too small."""
    name, (asked, numbers, change), times = choose.choice(["gaussian", "laplace"]), query(choose), choose.randint(1, 3)
    size, epsilon = Fraction(choose.randint(100, 4000), 100), Fraction(choose.randint(10, 300), 100)
    line = [f"{target}/dp-cli", "calibrate", "compose", "--json", "--mechanism", f"{name}:{size}:{asked}",
            "--times", str(times), "--epsilon", str(epsilon)]
    bounds = json.loads(subprocess.run(line, check=True, capture_output=True).stdout)["answer"]
    lower, upper = (Fraction(bounds[f"delta_{side}"]) for side in ("lower", "upper"))
    if upper < Fraction(1, 10**12):
        return None
    assert upper - lower < upper * GAP, line
    both = []
    for delta, is_true in (upper * (1 + GAP), True), (lower * (1 - GAP), False):
        release = {"mechanism": name, "query": asked, "times": times,
                   "variance" if name == "gaussian" else "scale": str(size)}
        claim = {"epsilon": str(epsilon), "delta": str(delta), "adjacency": "replacement", "trust_model": "OAOC",
                 "releases": [release]}
        text = json.dumps({"format": "dp-check certificate", "version": 1, "claim": claim})
        checked = subprocess.run([f"{target}/dp-check", "-"], input=text.encode(), capture_output=True, check=False)
        assert checked.returncode == (0 if is_true else 1), (text, checked.stderr)
        both.append(f"{name}_accepted {numbers * times} {change} {coq(size)} {coq(epsilon)} {coq(delta)}")
    return both


if __name__ == "__main__":
    folder, choose, lines = pathlib.Path(__file__).parent, random.Random(*map(int, sys.argv[3:])), []
    while len(lines) < int(sys.argv[2]):
        if both := claims(sys.argv[1], choose):
            lines.append("({} && negb ({}))%bool".format(*both))
    text = "From Coq Require Import QArith Bool List.\nFrom PrivacyProofs Require Import Certificates.\nImport ListNotations.\n" \
        "Goal forallb (fun agreed => agreed) [\n  {}\n]%Q = true.\nProof. vm_compute. reflexivity. Qed.\n".format(";\n  ".join(lines))
    with tempfile.TemporaryDirectory() as made:
        file = pathlib.Path(made, "claims.v")
        file.write_text(text, encoding="utf-8")
        subprocess.run(["coqc", "-q", "-Q", folder, "PrivacyProofs", file], check=True)
    print(f"{len(lines)} pairs of claims: agreed")
