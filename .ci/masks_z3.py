"""Proves the bit tricks of dp-samplers for all inputs, by Z3: `pip install z3-solver`, `python3 .ci/masks_z3.py`.

The formulas are read from the Rust files and evaluated on bit vectors of the width and the sign that Rust gives them:
a change of the code changes what is proved. Sums and differences that are not `wrapping` are proved not to overflow.
Then faults are planted in the text of the files, and each has to be found.
"""

import pathlib
import re
import sys
from dataclasses import dataclass

import z3

SOURCES = pathlib.Path(__file__).resolve().parent.parent / "crates/dp-samplers/src"
TOKEN = re.compile(r"0x[0-9a-f_]+|\d[\d_]*|[A-Za-z_]\w*(?:::\w+)*|<<|>>|==|[-+!^&|*().,]")


@dataclass
class Number:
    """A number of Rust. A literal has no width until it meets another number."""
    bits: z3.BitVecRef | int
    signed: bool = False

    def like(self, other):
        return Number(z3.BitVecVal(self.bits, other.bits.size()), other.signed) if isinstance(self.bits, int) else self

    def resized(self, width, signed):
        if isinstance(self.bits, int):
            return Number(z3.BitVecVal(self.bits, width), signed)
        more = width - self.bits.size()
        if more <= 0:
            return Number(z3.Extract(width - 1, 0, self.bits), signed)
        return Number(z3.SignExt(more, self.bits) if self.signed else z3.ZeroExt(more, self.bits), signed)


def rust_type(name):
    return int(name[1:]), name[0] == "i"


class Formula:
    """One expression of Rust, by recursive descent."""

    def __init__(self, text, names, safe):
        self.tokens, self.at, self.names, self.safe = TOKEN.findall(re.sub(r"//.*", "", text)), 0, names, safe

    def peek(self):
        return self.tokens[self.at] if self.at < len(self.tokens) else ""

    def take(self, *expected):
        if self.peek() in expected:
            self.at += 1
            return self.tokens[self.at - 1]
        return None

    def binary(self, below, *operators):
        left = below()
        while operator := self.take(*operators):
            right = below()
            if operator in ("<<", ">>"):
                left = self.shifted(operator, left, right)
            else:
                left, right = left.like(right), right.like(left)
                left = self.combined(operator, left, right)
        return left

    def shifted(self, operator, left, right):
        by = right.resized(left.bits.size(), left.signed).bits
        if operator == "<<":
            return Number(left.bits << by, left.signed)
        return Number(left.bits >> by if left.signed else z3.LShR(left.bits, by), left.signed)

    def combined(self, operator, left, right):
        a, b, signed = left.bits, right.bits, left.signed
        assert a.size() == b.size() and signed == right.signed, self.tokens
        if operator == "+":
            self.safe += [z3.BVAddNoOverflow(a, b, signed), z3.BVAddNoUnderflow(a, b)] if signed else \
                [z3.BVAddNoOverflow(a, b, False)]
        if operator == "-":
            self.safe += [z3.BVSubNoUnderflow(a, b, signed)] + ([z3.BVSubNoOverflow(a, b)] if signed else [])
        operations = {"+": a + b, "-": a - b, "&": a & b, "|": a | b, "^": a ^ b}
        if operator == "==":
            return Number(z3.If(a == b, z3.BitVecVal(1, 1), z3.BitVecVal(0, 1)))
        return Number(operations[operator], signed)

    def expression(self):
        sums = lambda: self.binary(self.unary, "+", "-")
        shifts = lambda: self.binary(sums, "<<", ">>")
        ands = lambda: self.binary(shifts, "&")
        xors = lambda: self.binary(ands, "^")
        ors = lambda: self.binary(xors, "|")
        return self.binary(ors, "==")

    def unary(self):
        if self.take("!"):
            number = self.unary()
            return Number(~number.bits, number.signed)
        if self.take("*", "&"):
            return self.unary()
        number = self.primary()
        while True:
            if self.take("as"):
                number = number.resized(*rust_type(self.take("i16", "u64", "i64")))
            elif self.take("."):
                method = self.take(self.peek())
                number = self.method(number, method, self.arguments())
            else:
                return number

    def arguments(self):
        assert self.take("("), self.tokens
        arguments = []
        while not self.take(")"):
            arguments.append(self.expression())
            self.take(",")
        return arguments

    def method(self, number, method, arguments):
        if method == "wrapping_sub":
            return Number(number.bits - arguments[0].like(number).bits, number.signed)
        if method == "wrapping_add":
            return Number(number.bits + arguments[0].like(number).bits, number.signed)
        if method == "wrapping_neg":
            return Number(-number.bits, number.signed)
        if method == "unsigned_abs":
            return Number(z3.If(number.bits < 0, -number.bits, number.bits))
        return Number(number.bits, {"cast_signed": True, "cast_unsigned": False}[method])

    def primary(self):
        if self.take("("):
            number = self.expression()
            assert self.take(")"), self.tokens
            return number
        token = self.take(self.peek())
        if token == "self":
            assert self.take("."), self.tokens
            token = self.take(self.peek())
        if token[0].isdigit():
            return Number(int(token.replace("_", ""), 0))
        if token.endswith("::from"):
            return self.arguments()[0].resized(*rust_type(token.split("::")[0]))
        if token.endswith("::from_le_bytes"):
            return self.arguments()[0]
        if token.endswith(("::MIN", "::MAX")):
            width, signed = rust_type(token.split("::")[0])
            lowest = -(1 << (width - 1)) if signed else 0
            return Number(z3.BitVecVal(lowest if token.endswith("MIN") else lowest - 1, width), signed)
        value = self.names[token]
        return value(*self.arguments()) if callable(value) else value


class Kernels:
    """The formulas of dp-samplers, with texts that may be changed to plant a fault."""

    def __init__(self, fault=("", "", "")):
        self.fault, self.used, self.safe = fault, False, []

    def formula(self, path, function, after, **names):
        """What stands behind `after` in the function, up to the end of the statement or of the function."""
        text = (SOURCES / path).read_text()
        if self.fault[0] == path and self.fault[1] in text:
            self.used, text = True, text.replace(*self.fault[1:])
        body = re.search(rf"^( *)[\w() ]*fn {function}\b.*?\n\1}}\n", text, re.S | re.M)
        _, found, rest = body[0].partition(after) if body else ("", "", "")
        if not found:
            sys.exit(f"{path}: {function} has no text {after!r}: say here where its formula is")
        # The end of a statement, of a closure, or of the function.
        return Formula(re.split(r";\n|\n *}", rest)[0], {**self.functions(), **names}, self.safe).expression()

    def functions(self):
        masks = "masks.rs"

        def two(name):
            return lambda one, other: self.formula(masks, name, "{\n", one=one.like(other), other=other.like(one))

        return {
            "less": two("less"), "equal": two("equal"),
            "either": lambda mask, one, other: self.formula(
                "table_scan/lanes.rs", "either", "{\n", mask=mask, one=one, other=other),
            "narrow": lambda number: self.formula("table_scan/row.rs", "narrow", "{\n", number=number),
            "UNDECIDED": self.constant("table_scan.rs", "UNDECIDED: i16 = "),
        }

    def constant(self, path, after):
        text = (SOURCES / path).read_text().partition(after)[2]
        return Formula(text.split(";")[0], {}, self.safe).expression()


def i16(name):
    return Number(z3.BitVec(name, 16), True)


def u16(name):
    return Number(z3.BitVec(name, 16))


def i64(name):
    return Number(z3.BitVec(name, 64), True)


def u64(name):
    return Number(z3.BitVec(name, 64))


def between(low, number, high):
    return z3.And(number.bits >= low, number.bits <= high) if number.signed else \
        z3.And(z3.UGE(number.bits, low), z3.ULE(number.bits, high))


def mask(condition, width=16):
    return z3.If(condition, z3.BitVecVal(-1, width), z3.BitVecVal(0, width))


def flag(condition, width=64):
    return z3.If(condition, z3.BitVecVal(1, width), z3.BitVecVal(0, width))


def is_mask(number):
    return z3.Or(number.bits == 0, number.bits == -1)


# Each claim: premises and what holds of the formulas.

def comparisons(kernels):
    a, b, one, other, number = i16("a"), i16("b"), u64("one"), u64("other"), u16("number")
    equal, less = (kernels.functions()[name] for name in ("equal", "less"))
    lowest = kernels.formula("masks.rs", "lowest_bit", "{\n", number=number)
    yield "equal", [between(0, a, 2**15 - 1), between(0, b, 2**15 - 1)], equal(a, b).bits == mask(a.bits == b.bits)
    yield "less", [], less(one, other).bits == flag(z3.ULT(one.bits, other.bits))
    yield "lowest_bit", [], lowest.bits == mask(number.bits & 1 == 1)


def thresholds(kernels):
    word, below, undecided = u64("word"), u64("below"), u64("undecided")
    inside = z3.And(z3.ULE(below.bits, word.bits), z3.ULT(word.bits - below.bits, undecided.bits))
    fits = z3.ULE(z3.ZeroExt(1, below.bits) + z3.ZeroExt(1, undecided.bits), z3.BitVecVal(2**64, 65))
    coin = "bernoulli_real.rs"
    tied = kernels.formula(coin, "sample", "if declassify(", word=word, below=below, undecided=undecided)
    yield "sample, undecided", [fits], tied.bits == flag(inside)
    is_below = kernels.formula(coin, "sample", "        }\n        ", word=word, below=below)
    yield "sample, below", [], is_below.bits == flag(z3.ULT(word.bits, below.bits), 1)


def block(kernels):
    """What `digits` of the table scan decides by arithmetic."""
    table = "table_scan.rs"
    any_, position, index, undecided = u16("any"), i16("position"), i16("index"), i16("undecided")
    needed = kernels.formula(table, "digits", "|any, (position, index)| {\n", any=any_, position=position, index=index,
                             undecided=undecided)
    wanted = flag(z3.And(position.bits == -2**15, index.bits < undecided.bits), 16) | any_.bits
    ranges = [between(0, any_, 1), between(0, index, 63), between(0, undecided, 256)]
    yield "needed", ranges, needed.bits == wanted
    spare = Number(z3.BitVec("spare", 8))
    overflow = kernels.formula(table, "digits", "let overflow = ", spare=spare, undecided=undecided)
    yield "overflow", ranges, overflow.bits == flag(z3.ZeroExt(8, spare.bits) < undecided.bits, 16)
    count, full, first = u64("count"), u64("full"), i16("position")
    decided = kernels.formula("table_scan/row.rs", "positions", "let decided = ", count=count, full=full)
    result = kernels.formula("table_scan/row.rs", "positions", "wrapping_neg());\n", count=count, position=first,
                             decided=decided)
    small = [between(0, full, 2**14), z3.ULE(count.bits, full.bits), between(-2**14, first, 2**14 - 1)]
    lane = z3.Extract(15, 0, count.bits) + first.bits
    yield "positions", small, result.bits == z3.If(z3.ULT(count.bits, full.bits), lane, z3.BitVecVal(-2**15, 16))


def places(kernels):
    """A remainder is put into the lane of its rank, and into no other."""
    lanes, rank, number, index = "table_scan/lanes.rs", i16("rank"), i16("number"), i16("index")
    before = kernels.formula(lanes, "place", "let rank = ", rank=rank)
    taken = kernels.formula(lanes, "place", "chosen(eight, rank) & ", rank=before, number=number)
    mine = z3.And(rank.bits >= 1, (rank.bits - 1) >> 3 == number.bits)
    yield "place", [between(0, rank, 256), between(0, number, 7)], taken.bits == mask(mine)
    eight = {letter: i16(letter) for letter in "abcdefgh"}
    shift = lambda by: kernels.formula(lanes, "chosen", "|shift| ", index=index, shift=Number(by))
    bits = dict(zip(("low", "middle", "high"), map(shift, (15, 14, 13))))
    halves = {half: kernels.formula(lanes, "chosen", f"let {half} = ", **eight, **bits) for half in ("first", "last")}
    chosen = kernels.formula(lanes, "chosen", "either(low, g, h));\n", **halves, **bits)
    expected = eight["h"].bits
    for at, letter in enumerate("abcdefg"):
        expected = z3.If(index.bits & 7 == at, eight[letter].bits, expected)
    yield "chosen", [], chosen.bits == expected


def signs(kernels):
    lanes, signed, lane, size = "table_scan/lanes.rs", i16("signed"), i16("lane"), i16("magnitude")
    kept = kernels.formula(lanes, "magnitudes", "let kept = ", signed=signed)
    number = kernels.formula(lanes, "magnitudes", "*word = ", lane=lane, kept=kept)
    expected = z3.If(signed.bits == -1, lane.bits & 0x7FFF, lane.bits)
    yield "magnitudes", [is_mask(signed)], number.bits == expected
    sign = kernels.formula(lanes, "apply_signs", "let sign = ", word=lane)
    result = kernels.formula(lanes, "apply_signs", "*magnitude = ", magnitude=size, sign=sign)
    yield "apply_signs", [], result.bits == z3.If(lane.bits < 0, -size.bits, size.bits)
    table, word, signed, outcome = "table_scan.rs", u64("word"), i64("signed"), i64("outcome")
    negative = kernels.formula(table, "draw_digit", "let negative = ", word=word, signed=signed)
    result = kernels.formula(table, "draw_digit", "// −x = !x + 1\n", outcome=outcome, negative=negative)
    odd = z3.And(signed.bits == -1, word.bits & 1 == 1)
    yield "draw_digit", [is_mask(signed)], result.bits == z3.If(odd, -outcome.bits, outcome.bits)
    upper, signed = Number(z3.BitVec("upper", 8)), i16("signed")
    negative = kernels.formula(table, "exceptional", "let negative = ", upper=upper, signed=signed)
    set_ = z3.And(signed.bits == -1, z3.UGE(upper.bits, 128))
    yield "exceptional", [is_mask(signed)], negative.bits == mask(set_, 64)


def joined(kernels):
    """Two digits make L + 2^b*H, or L - 2^b*H where L is negative, for every width b of the low digit."""
    table = "table_scan.rs"
    for bits in range(1, 15):
        low, digit, low_bits = i64("low"), i64("digit"), Number(bits)
        side = kernels.formula(table, "join", "let side = ", low=low)
        result = kernels.formula(table, "join", "let side = low >> 63;\n", low=low, digit=digit, side=side,
                                 low_bits=low_bits)
        high = digit.bits << bits
        yield f"join, {bits} bits", [], result.bits == z3.If(low.bits >= 0, low.bits + high, low.bits - high)
        lane, digit, origin = i16("lane"), i16("digit"), i16("origin")
        low = kernels.formula(table, "join_lanes", "let low = ", lane=lane, low_origin=origin)
        side = kernels.formula(table, "join_lanes", "let side = ", low=low)
        result = kernels.formula(table, "join_lanes", "*lane = ", low=low, side=side, digit=digit, low_bits=low_bits)
        high = digit.bits << bits
        # The low digit is from -2^b to 2^b - 1, and (H + 1)*2^b fits a lane.
        ranges = [between(0, lane, 2**(bits + 1) - 1), between(-2**bits, origin, 0),
                  lane.bits + origin.bits < 2**bits, between(0, digit, max(0, (2**15 - 1 >> bits) - 1))]
        yield f"join_lanes, {bits} bits", ranges, result.bits == z3.If(low.bits >= 0, low.bits + high, low.bits - high)


CLAIMS = comparisons, thresholds, block, places, signs, joined


def refuted(kernels, claims):
    """The first claim that does not hold, or None."""
    for group in claims:
        start = len(kernels.safe)
        for name, premises, claim in group(kernels):
            solver = z3.SolverFor("QF_BV")
            solver.set("timeout", 120_000)
            solver.add(*premises, z3.Not(z3.And(claim, *kernels.safe[start:])))
            start = len(kernels.safe)
            result = solver.check()
            if result != z3.unsat:
                return f"{name}: {'not true of ' + str(solver.model()) if result == z3.sat else 'not decided'}"
            if kernels.fault == ("", "", ""):
                print(f"{name}: proved")
    return None


FAULTS = [
    ("masks.rs", "(one ^ other).wrapping_sub(1) >> 15", "(one ^ other).wrapping_sub(1) >> 14"),
    ("masks.rs", "(!one | other) & one", "(!one & other) & one"),
    ("bernoulli_real.rs", "word.wrapping_sub(self.below)", "word.wrapping_add(self.below)"),
    ("table_scan.rs", "(index - undecided)", "(undecided - index)"),
    ("table_scan.rs", "(outcome ^ negative).wrapping_sub(negative)\n", "outcome ^ negative\n"),
    ("table_scan.rs", "(digit << self.low_bits)) ^ side", "(digit << self.low_bits)) | side"),
    ("table_scan/lanes.rs", "either(low, c, d)", "either(low, d, c)"),
    ("table_scan/lanes.rs", "(rank >> 3) & 0x7f", "(rank >> 3) & 0x07"),
    ("table_scan/row.rs", "UNDECIDED & !decided", "UNDECIDED & decided"),
]

if __name__ == "__main__":
    if wrong := refuted(Kernels(), CLAIMS):
        sys.exit(wrong)
    for fault in FAULTS:
        kernels = Kernels(fault)
        if not refuted(kernels, CLAIMS) or not kernels.used:
            sys.exit(f"planted and not found: {fault}")
    print(f"{len(FAULTS)} planted faults: found")
