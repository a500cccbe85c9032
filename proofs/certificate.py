#!/usr/bin/env python3
"""Writes a certificate of dp-check as a file of Coq that ends in the theorem: certificate.py FILE > Certificate.v

What is printed is only a claim until Coq has checked it. Kinds without a theorem are refused.
"""

import json
import math
import sys
from fractions import Fraction


class Refused(Exception):
    """There is no theorem for this kind of claim."""


def rational(number):
    return f"({number.numerator}%Z, {number.denominator}%positive)"


def definitions(**numbers):
    return "".join(f"Definition {name} : rational := {rational(number)}.\n" for name, number in numbers.items())


def note(claim):
    return "(* The certificate also claims every larger variance. *)\n" if claim.get("every_larger_variance") else ""


def radius(variance, bits):
    """Beyond this, noise of the variance has a weight below 2^-bits."""
    return math.ceil(math.sqrt(2 * float(variance) * bits * math.log(2)))


HEAD = """From Coq Require Import Reals List ZArith.
From PrivacyProofs Require Import Probability Privacy Rational Noise Batches Randomizers Samplers
  Tables Changes Certificates.
Import ListNotations.
"""

RELEASE = """Theorem certificate : forall p{parameters} M,{noise_exists}
  (forall batch, prio3_release p {noise} ({result})
    (M batch)) ->
  differentially_private ({neighbours}) (real epsilon) {delta} M.
Proof.
  apply ({theorem}).
  vm_compute. reflexivity.
Qed.
"""


def batch(query, claim):
    """Parameters, result and neighbours of a query; its sensitivity, and the name of its theorems."""
    kind, *sizes = query.split(":")
    if kind == "histogram" and sizes != ["1"]:
        replaced = claim["adjacency"] == "replacement"
        neighbours = "replacement buckets" if replaced else "deletion buckets"
        return " buckets", "counts buckets batch", neighbours, 2 if replaced else 1, \
            "histogram" if replaced else "histogram_deletion"
    if kind == "count":
        return "", "[sum_of_batch batch]", "replaced_number 1", 1, "sum"
    if kind in ("sum", "average"):
        return "", "[sum_of_batch batch]", f"replaced_number {int(sizes[0])}", int(sizes[0]), "sum"
    raise Refused(query)


def gaussian(release, claim):
    if is_several(release):
        return several(release, claim)
    variance, epsilon, delta = (Fraction(text) for text in (release["variance"], claim["epsilon"], claim["delta"]))
    parameters, result, neighbours, _, name = batch(release["query"], claim)
    k, change = changed_numbers(release["query"], claim["adjacency"])
    bits, units, window, first = gaussian_steering(variance, epsilon, delta, k, change)
    max_argument = f" {change}" if name == "sum" else ""
    return definitions(variance=variance, epsilon=epsilon, delta=delta) + note(claim) + RELEASE.format(
        parameters=parameters + " c", noise_exists=" normalizer (s_of (real variance)) c ->",
        noise="(gaussian (s_of (real variance)) c)", result=result, neighbours=neighbours, delta="(real delta)",
        theorem=f"certified_gaussian_{name} {bits} {window} variance epsilon delta{max_argument} {units} {first}")


def is_several(release):
    """Whether the theorem is about any query that changes so many numbers."""
    return release.get("times", 1) > 1 or release["query"].startswith(("sumvec", "multihot"))


def gaussian_steering(variance, epsilon, delta, k, change):
    """Precision, units of the table, its radius, and the place of the first loss that exceeds epsilon."""
    units = math.ceil(-math.log2(delta)) + 80
    window = radius(variance, units)
    # The first loss (k d^2 + 2 d j)/(2 variance) that is at least epsilon.
    low = math.ceil((2 * variance * epsilon - k * change * change) / (2 * change))
    return units + 64, units, window, max(0, low + k * window)


def changed_numbers(query, adjacency):
    """How many numbers one client changes, and by how much at most: k and Delta of docs/certificates.md."""
    kind, *sizes = query.split(":")
    sizes = [int(size) for size in sizes]
    replaced = adjacency == "replacement"
    if kind == "histogram" and sizes != [1]:
        return (2 if replaced else 1), 1
    if kind == "count":
        return 1, 1
    if kind in ("sum", "average"):
        return 1, sizes[0]
    if kind == "sumvec":
        return sizes[0], sizes[1]
    if kind == "multihot":
        return (min(sizes[0], 2 * sizes[1]) if replaced else sizes[1]), 1
    raise Refused(query)


SEVERAL = """Theorem certificate : forall p batches (neighbours : batches -> batches -> Prop) result{parameters} M,\
{noise_exists}
  (forall b b', neighbours b b' -> changes {k} {change} (result b) (result b')) ->
  (forall b, prio3_release p {noise} (result b) (M b)) ->
  differentially_private neighbours (real epsilon) (real delta) M.
Proof.
  apply ({theorem}).
  vm_compute. reflexivity.
Qed.
"""


def several(release, claim):
    """Several numbers or releases, by a table of their losses."""
    gaussian_noise = release["mechanism"] == "gaussian"
    parameter = "variance" if gaussian_noise else "scale"
    size, epsilon, delta = (Fraction(text) for text in (release[parameter], claim["epsilon"], claim["delta"]))
    k, change = changed_numbers(release["query"], claim["adjacency"])
    k *= release.get("times", 1)
    if delta == 0:
        raise Refused("delta = 0 of several numbers or releases")
    if gaussian_noise:
        bits, units, window, first = gaussian_steering(size, epsilon, delta, k, change)
        theorem = f"{bits} {window} variance epsilon delta {k} {change} {units} {first}"
    else:
        units = math.ceil(-math.log2(delta)) + 80
        window = math.ceil(units * math.log(2) * float(size))
        # The first loss (2 j - k d)/scale that is at least epsilon.
        low = math.ceil((epsilon * size + k * change) / 2)
        theorem = f"{units + 64} {k} {change} {units} {window} {low} scale epsilon delta"
    return definitions(**{parameter: size}, epsilon=epsilon, delta=delta) + note(claim) + SEVERAL.format(
        parameters=" c" if gaussian_noise else "", k=k, change=change,
        noise_exists="\n  normalizer (s_of (real variance)) c ->" if gaussian_noise else "",
        noise="(gaussian (s_of (real variance)) c)" if gaussian_noise else "(laplace (real scale))",
        theorem=f"certified_{release['mechanism']}_several {theorem}")


def laplace(release, claim):
    if Fraction(claim["delta"]) != 0 or is_several(release):
        return several(release, claim)
    parameters, result, neighbours, change, name = batch(release["query"], claim)
    max_argument = f" {change}" if name == "sum" else ""
    return definitions(scale=Fraction(release["scale"]), epsilon=Fraction(claim["epsilon"])) + RELEASE.format(
            parameters=parameters, noise_exists="", noise="(laplace (real scale))", result=result,
            neighbours=neighbours, delta="0", theorem=f"certified_laplace_{name} scale epsilon{max_argument}")


def rappor(release, claim):
    if "clients" in release or release.get("noise") or not release["query"].startswith("histogram"):
        raise Refused("rappor of more than one client's histogram")
    head = definitions(epsilon0=Fraction(release["epsilon0"]), epsilon=Fraction(claim["epsilon"]))
    sent, e = "rappor (real epsilon0)", "indistinguishable (real epsilon) 0"
    if claim["adjacency"] == "replacement":
        return head + f"""Theorem certificate : forall n i j, (i < n)%nat -> (j < n)%nat ->
  {e}
    ({sent} (one_hot_bits n i)) ({sent} (one_hot_bits n j)).
Proof. now apply certified_rappor_histogram. Qed.
"""
    return head + f"""Theorem certificate : forall n i, (i < n)%nat ->
  {e}
    ({sent} (one_hot_bits n i)) ({sent} (no_bits n)) /\\
  {e}
    ({sent} (no_bits n)) ({sent} (one_hot_bits n i)).
Proof. now apply certified_rappor_histogram_deletion. Qed.
"""


def draws(claim):
    """The passes of a sampler of the noise's magnitude."""
    if claim["mechanism"] != "gaussian" or not claim.get("signed") or len(claim["passes"]) != 2:
        raise Refused("draws other than two passes of signed Gaussian noise")
    variance = Fraction(claim["variance"])
    first, second = claim["passes"]
    words = [dict(map(tuple, passing["cells"])) for passing in (first, second)]
    rows = [f"({x}, {words[0].get(x, 0)}, {words[1].get(x, 0)})" for x in sorted(set(words[0]) | set(words[1]))]
    lines = [""]
    for row in rows:
        if len(lines[-1]) + len(row) > 95:
            lines.append("")
        lines[-1] += f" {row};"
    table = "\n ".join(lines).rstrip(";")
    arguments = f"{first['bits']} {second['bits']}"
    return f"""Definition variance : rational := {rational(variance)}.
Definition rows : list row := ([
 {table}])%Z.
Theorem certificate : forall c, normalizer (s_of (real variance)) c ->
  let p := magnitude (s_of (real variance)) c in let passes := two_passes {arguments} rows in
  distribution (remainder p passes) /\\ (forall x, drawn passes (remainder p passes) x = p x).
Proof.
  apply (certified_passes 128 {radius(variance, 128)} {arguments} rows variance).
  vm_compute. reflexivity.
Qed.
"""


def theorem(claim):
    if "passes" in claim:
        return HEAD + "Open Scope R_scope.\n" + draws(claim)
    if len(claim.get("releases", ())) != 1:
        raise Refused("a claim about other than one release")
    release, = claim["releases"]
    if release.get("aggregators", 1) != 1:
        raise Refused("several honest aggregators")
    if release.get("times", 1) != 1 and release["mechanism"] not in ("gaussian", "laplace"):
        raise Refused("several releases")
    if release["mechanism"] != "rappor" and claim["trust_model"] == "OC":
        raise Refused("noise of an aggregator that nobody trusts")
    kinds = {"gaussian": gaussian, "laplace": laplace, "rappor": rappor}
    if release["mechanism"] not in kinds:
        raise Refused(release["mechanism"])
    return HEAD + kinds[release["mechanism"]](release, claim)


if __name__ == "__main__":
    with open(sys.argv[1], encoding="utf-8") as file:
        certificate = json.load(file)
    try:
        print(theorem(certificate["claim"]), end="")
    except Refused as kind:
        sys.exit(f"no theorem for this kind: {kind}")
