"""A deployment with the noise of another library, for `audit --command 'python audited.py CASE'`.

Reads the measurements of a collection from standard input and prints what is released.
"""

import json
import math
import random
import sys


def bits(measurements):
    """Clients flip each bit with probability 1/4, by OpenDP; the sums are debiased."""
    import opendp.prelude as opendp

    opendp.enable_features("contrib", "honest-but-curious")
    vectors = opendp.bitvector_domain(max_weight=4)
    randomize = opendp.m.make_randomized_response_bitvec(vectors, opendp.discrete_distance(), f=0.5)

    def report(ones):
        (byte,) = randomize(bytes([sum(bit << place for place, bit in enumerate(ones))]))
        return [byte >> place & 1 for place in range(len(ones))]

    totals = map(sum, zip(*map(report, measurements), strict=True))
    return [2 * total - len(measurements) / 2 for total in totals]


def histogram(measurements, noise, length=32):
    """Two aggregators each add noise to every bucket."""
    counts = [measurements.count(bucket) for bucket in range(length)]
    return [
        float(count + first + second)
        for count, first, second in zip(counts, noise(length), noise(length), strict=True)
    ]


def opendp_laplace(d_in):
    """OpenDP's discrete Laplace noise for epsilon 1, for counts that change by `d_in` in sum."""
    import opendp.prelude as opendp

    opendp.enable_features("contrib")
    counts = opendp.vector_domain(opendp.atom_domain(T=int)), opendp.l1_distance(T=int)
    add_noise = opendp.binary_search_chain(
        lambda scale: opendp.m.make_laplace(*counts, scale=scale), d_in, 1.0
    )
    return lambda length: add_noise([0] * length)


def float_laplace(length):
    """Laplace noise by the inverse of its distribution function, in floating point."""
    return [2 * math.log(1 - random.random()) * random.choice((-1, 1)) for _ in range(length)]


CASES = {
    "bits": bits,
    "replacement": lambda measurements: histogram(measurements, opendp_laplace(2)),
    "add-remove": lambda measurements: histogram(measurements, opendp_laplace(1)),
    "float": lambda measurements: histogram(measurements, float_laplace),
}

#: Numbers of reports that the tasks admit; a batch of another size gets no answer.
ADMITTED = {"bits": range(10, 100_001)}

if __name__ == "__main__":
    request = json.load(sys.stdin)
    if len(request["measurements"]) not in ADMITTED.get(sys.argv[1], range(5, 101)):
        sys.exit()
    released = CASES[sys.argv[1]](request["measurements"])
    print(json.dumps({"attempt": 1, "reports": len(request["measurements"]), "released": released}))
