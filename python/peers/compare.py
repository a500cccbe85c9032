"""Asks other libraries the questions of /vectors, and holds their answers to the certified bounds.

`compare.py` prints the table of COMPARE.md, `--write` puts it there, `--check` fails if there is
another one, but for digits and times.
"""

import json
import math
import pathlib
import re
import subprocess
import sys
import time
from fractions import Fraction

import opendp.prelude as opendp
from dp_accounting.dp_event import RandomizedResponseDpEvent, ZCDpEvent
from dp_accounting.pld import PLDAccountant
from dp_accounting.pld import privacy_loss_distribution as pld
from dp_accounting.privacy_accountant import NeighboringRelation
from dp_accounting.rdp import RdpAccountant

import dp_prio3

ROOT = pathlib.Path(__file__).parents[2]
COMPARE = ROOT / "COMPARE.md"
MARKS = ("<!-- written by python/peers/compare.py -->\n", "<!-- end -->\n")

#: The vectors that are asked, by group.
QUESTIONS = {
    "noise": [
        "histogram:12 replacement discrete_laplace 0.906",
        "sumvec:16:4 replacement discrete_laplace 2",
        "histogram:12 replacement discrete_gaussian 0.906 1e-9",
        "sum:4 replacement discrete_gaussian 1 1e-6",
    ],
    "delta": [
        "discrete_laplace 2 histogram:12 epsilon 0.5",
        "discrete_gaussian 72.85 histogram:12 epsilon 0.906",
    ],
    "composition": [
        "discrete_laplace 20 histogram:12 30 delta 1e-6",
        "discrete_gaussian 900 histogram:12 100 delta 1e-6",
        "discrete_laplace 10 histogram:12 4, discrete_gaussian 200 histogram:12 4 delta 1e-6",
        "kary 1 4 100 delta 1e-6",
    ],
    "conversion": ["rho_to_epsilon rho=1/8 delta=1e-9", "pure_to_rho epsilon=1"],
}

#: A daily histogram over a year. No vector has it: the bounds are those of `compose`.
YEAR = {
    "delta": "1e-9",
    "releases": [
        {
            "coordinates": 2,
            "noise": "discrete_laplace",
            "parameter": "20",
            "query": "histogram:12",
            "step": "1",
            "times": 365,
        }
    ],
}


class Google:
    """dp-accounting: privacy-loss distributions, rounded up to its default grid of 1e-4."""

    def noise(self, query, noise, coordinates, step, epsilon, delta):
        if noise == "discrete_laplace":
            return None
        # It calibrates continuous noise alone; a bisection over its distributions does the rest.
        low, high = 1.0, 1000.0
        while high / low > 1 + 1e-9:
            middle = math.sqrt(low * high)
            loss = self._loss(
                {
                    "noise": noise,
                    "parameter": middle**2,
                    "coordinates": coordinates,
                    "step": step,
                    "times": 1,
                }
            )
            low, high = (
                (low, middle) if loss.get_delta_for_epsilon(epsilon) <= delta else (middle, high)
            )
        return Fraction(high) ** 2

    def delta(self, release, epsilon):
        return self._loss(release | {"times": 1}).get_delta_for_epsilon(epsilon)

    def composition(self, releases, delta):
        if "answers" in releases[0]:
            (response,) = releases
            answers = response["answers"]
            # Uniform with this probability, else the truth.
            uniform = answers / (math.exp(float(response["epsilon"])) + answers - 1)
            event = RandomizedResponseDpEvent(uniform, answers)
            accountant = PLDAccountant(NeighboringRelation.REPLACE_ONE)
            return accountant.compose(event, response["times"]).get_epsilon(delta)
        losses = [self._loss(release) for release in releases]
        total = losses[0]
        for loss in losses[1:]:
            total = total.compose(loss)
        return total.get_epsilon_for_delta(delta)

    def rho_to_epsilon(self, rho, delta):
        return RdpAccountant().compose(ZCDpEvent(rho)).get_epsilon(delta)

    def pure_to_rho(self, epsilon):
        return None

    @staticmethod
    def _loss(release):
        step, parameter = int(release["step"]), float(release["parameter"])
        if release["noise"] == "discrete_laplace":
            loss = pld.from_discrete_laplace_mechanism(1 / parameter, sensitivity=step)
        else:
            loss = pld.from_discrete_gaussian_mechanism(math.sqrt(parameter), sensitivity=step)
        # Totals have independent noise: two that change are like two releases.
        return loss.self_compose(release["coordinates"] * release["times"])


class OpenDP:
    """OpenDP: its measurements, their composition, and its conversions."""

    def noise(self, query, noise, coordinates, step, epsilon, delta):
        release = {"noise": noise, "coordinates": coordinates, "step": step}
        d_in = self._distance(release)
        make = lambda scale: self._measurement(release | {"parameter": scale})
        if noise == "discrete_laplace":
            return opendp.binary_search_param(make, d_in=d_in, d_out=epsilon)
        fixed = lambda scale: opendp.c.make_fix_delta(
            opendp.c.make_zCDP_to_approxDP(make(scale)), delta
        )
        return Fraction(opendp.binary_search_param(fixed, d_in=d_in, d_out=(epsilon, delta))) ** 2

    def delta(self, release, epsilon):
        if release["noise"] == "discrete_laplace":
            return None
        return self._profile([release | {"times": 1}]).delta(epsilon)

    def composition(self, releases, delta):
        if "answers" in releases[0]:
            return None
        epsilon = self._profile(releases).epsilon(delta)
        if releases[0]["noise"] == "discrete_laplace":
            # Few releases cost less as a sum of epsilons.
            one = self._measurement(releases[0] | {"parameter": self._scale(releases[0])})
            pure = opendp.c.make_composition([one] * releases[0]["times"])
            epsilon = min(epsilon, pure.map(self._distance(releases[0])))
        return epsilon

    def rho_to_epsilon(self, rho, delta):
        # The noise on a total that changes by 1 with 1/(2·sigma^2) = rho.
        release = {
            "noise": "discrete_gaussian",
            "coordinates": 1,
            "step": "1",
            "parameter": 1 / (2 * rho),
            "times": 1,
        }
        return self._profile([release]).epsilon(delta)

    def pure_to_rho(self, epsilon):
        release = {
            "noise": "discrete_laplace",
            "coordinates": 1,
            "step": "1",
            "parameter": 1 / epsilon,
        }
        return opendp.c.make_pureDP_to_zCDP(self._measurement(release)).map(1)

    def _profile(self, releases):
        """The privacy profile of all releases, in zero-concentrated privacy."""
        d_ins = {self._distance(release) for release in releases}
        if len({release["noise"] for release in releases}) > 1 or len(d_ins) > 1:
            raise NotImplementedError("measurements on one domain, in one metric")
        (d_in,) = d_ins
        one = self._measurement(releases[0] | {"parameter": self._scale(releases[0])})
        if releases[0]["noise"] == "discrete_laplace":
            one = opendp.c.make_pureDP_to_zCDP(one)
        return opendp.c.make_zCDP_to_approxDP(
            opendp.c.make_composition([one] * releases[0]["times"])
        ).map(d_in)

    @staticmethod
    def _scale(release):
        parameter = float(release["parameter"])
        return parameter if release["noise"] == "discrete_laplace" else math.sqrt(parameter)

    @staticmethod
    def _distance(release):
        step, coordinates = int(release["step"]), release["coordinates"]
        if release["noise"] == "discrete_laplace":
            return step * coordinates
        return math.nextafter(step * math.sqrt(coordinates), math.inf)

    @staticmethod
    def _measurement(release):
        domain = opendp.vector_domain(opendp.atom_domain(T=int))
        if release["noise"] == "discrete_laplace":
            return opendp.m.make_laplace(
                domain, opendp.l1_distance(T=int), scale=release["parameter"]
            )
        return opendp.m.make_gaussian(
            domain, opendp.l2_distance(T=float), scale=release["parameter"]
        )


class Libprio:
    """libprio: the noise that it adds to shares by itself, pure Laplace noise."""

    #: The program that adds it, and measures the sensitivity that its scale is for.
    PROGRAM = "cargo run --quiet --locked --package dp-libprio --example own_noise --".split()

    def noise(self, query, noise, coordinates, step, epsilon, delta):
        if noise != "discrete_laplace":
            return None
        words = [*self.PROGRAM, query, str(epsilon)]
        said = subprocess.run(words, cwd=ROOT, capture_output=True, check=True).stdout
        self.measured = json.loads(said)
        return Fraction(self.measured["sensitivity"]) / Fraction(str(epsilon))


class Ours:
    """dp_prio3, for its times: its values are the bounds."""

    def noise(self, query, noise, coordinates, step, epsilon, delta):
        law = noise.removeprefix("discrete_")
        options = {} if law == "laplace" else {"delta": delta}
        answer = dp_prio3.calibrate(law, epsilon=epsilon, query=query, **options)["answer"]
        return Fraction(answer["scale" if law == "laplace" else "variance"].exact)

    def delta(self, release, epsilon):
        if release["noise"] == "discrete_laplace":
            return None
        answer = dp_prio3.calibrate(
            "gaussian",
            delta_at=True,
            variance=release["parameter"],
            epsilon=epsilon,
            query=release["query"],
        )
        return Fraction(answer["answer"]["delta_upper"].exact)

    def composition(self, releases, delta):
        return Fraction(self.bounds(releases, delta)["epsilon_upper"].exact)

    def bounds(self, releases, delta):
        names = [
            ":".join(["k-ary", str(one["answers"]), one["epsilon"]])
            if "answers" in one
            else ":".join([one["noise"].removeprefix("discrete_"), one["parameter"], one["query"]])
            for one in releases
        ]
        return dp_prio3.compose(
            mechanism=names, times=[one["times"] for one in releases], delta=delta
        )["answer"]

    def rho_to_epsilon(self, rho, delta):
        return Fraction(
            dp_prio3.calibrate("convert", rho=rho, delta=delta)["answer"]["epsilon_upper"].exact
        )

    def pure_to_rho(self, epsilon):
        return Fraction(
            dp_prio3.calibrate("convert", epsilon=epsilon)["answer"]["rho_tightest"].exact
        )


#: Totals that a replaced measurement changes, and by how much each.
CHANGES = {
    "histogram:12": (2, "1"),
    "sum:4": (1, "4"),
    "sumvec:16:4": (16, "4"),
}


def asked(peer, group, question):
    """The answer of a library to a vector's input."""
    if group == "noise":
        budget = {name: float(value) for name, value in question["budget"].items()}
        coordinates, step = CHANGES[question["query"]]
        return peer.noise(
            question["query"],
            question["noise"],
            coordinates,
            step,
            budget["epsilon"],
            budget.get("delta", 0.0),
        )
    if group == "delta":
        return peer.delta(question, float(question["epsilon"]))
    if group == "composition":
        return peer.composition(question["releases"], float(question["delta"]))
    if question["conversion"] == "pure_to_rho":
        return peer.pure_to_rho(float(question["epsilon"]))
    return peer.rho_to_epsilon(float(Fraction(question["rho"])), float(question["delta"]))


def timed(peer, group, question):
    """The answer, and the least processor time of three calls in milliseconds."""
    if isinstance(peer, Libprio):
        answer = asked(peer, group, question) if group == "noise" else None
        return (None, None) if answer is None else (answer, peer.measured["milliseconds"])
    times = []
    for _ in range(3):
        start = time.process_time()
        try:
            answer = asked(peer, group, question)
        except NotImplementedError:
            answer = None
        times.append(1000 * (time.process_time() - start))
    return (None, None) if answer is None else (Fraction(answer), min(times))


def verdict(value, lower, upper):
    """Whether an answer is safe: not below the lower bound of the true figure."""
    if value is None:
        return "–"
    text = f"{float(value):.6g}"
    if abs(value / upper - 1) <= Fraction(1, 10**12):
        return f"{text}, equal"
    if value < lower:
        return f"{text}, **below** by {float(1 - value / lower):.1g}"
    excess = float(value / upper - 1)
    if excess < 1e-7:
        return f"{text}, safe"
    return f"{text}, safe, " + (
        f"× {_short(1 + excess)}" if excess > 1 else f"+{_short(100 * excess)} %"
    )


def _short(number):
    """Two significant digits, without an exponent where that is short."""
    return f"{float(f'{number:.2g}'):g}"


def questions():
    """Group, words, input and bounds of every question."""
    for group, names in QUESTIONS.items():
        vectors = json.loads((ROOT / "vectors" / f"{group}.json").read_text(encoding="utf-8"))[
            "vectors"
        ]
        vectors = {vector["name"]: vector for vector in vectors}
        for name in names:
            (figure,) = vectors[name]["figures"]
            bounds = [
                Fraction(figure.get("exact", figure.get(side))) for side in ("lower", "upper")
            ]
            yield group, f"{figure['quantity']}: {name}", vectors[name]["input"], *bounds
    bounds = Ours().bounds(YEAR["releases"], YEAR["delta"])
    words = "epsilon: discrete_laplace 20 histogram:12 365 delta 1e-9"
    yield (
        "composition",
        words,
        YEAR,
        Fraction(bounds["epsilon_lower"].exact),
        Fraction(bounds["epsilon_upper"].exact),
    )


def table():
    """The table as Markdown."""
    lines = [
        "| question | certified | OpenDP | dp-accounting | libprio "
        "| ms: ours, then in this order |",
        "|---|---|---|---|---|---|",
    ]
    for group, words, question, lower, upper in questions():
        answers = [timed(peer, group, question) for peer in (Ours(), OpenDP(), Google(), Libprio())]
        values, times = zip(*answers, strict=True)
        assert values[0] is None or lower <= values[0] <= upper * (1 + Fraction(1, 10**6)), words
        times = ", ".join("–" if one is None else _short(one) for one in times)
        cells = [
            words,
            f"{float(upper):.6g}",
            *(verdict(value, lower, upper) for value in values[1:]),
            times,
        ]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def main():
    """Prints the table, writes it or compares it."""
    head, tail = COMPARE.read_text(encoding="utf-8").split(MARKS[0])
    before, foot = tail.split(MARKS[1])
    after = table()
    print(after)
    if "--write" in sys.argv:
        COMPARE.write_text(head + MARKS[0] + after + MARKS[1] + foot, encoding="utf-8")
    shape = lambda text: [
        re.sub(r"[0-9.e+-]+", "#", line.rsplit("|", 2)[0]) for line in text.splitlines()
    ]
    if "--check" in sys.argv and shape(before) != shape(after):
        sys.exit("COMPARE.md has another table: run python/peers/run.sh --write")


opendp.enable_features("contrib")
if __name__ == "__main__":
    main()
