"""Proves three kernels for all inputs, with the bit vectors of Z3: `pip install z3-solver`, `python3 .ci/kernels.py`.

Each is written down here again. So that what is proved is what is compiled, the Rust function must still have the
text that stands beside it, or nothing is proved. masks_z3.py reads its formulas from the source.
"""

import pathlib
import sys

from z3 import And, BitVec, BitVecVal, Concat, Extract, Implies, LShR, Not, SolverFor, ULE, ULT, ZeroExt, unsat

ROOT = pathlib.Path(__file__).resolve().parent.parent


def source(path, text):
    """Refuses a transcription whose original has changed."""
    found = " ".join((ROOT / path).read_text().split())
    if " ".join(text.split()) not in found:
        sys.exit(f"{path} no longer has the text that is proved here: transcribe it again\n{text}")


def prove(name, claim):
    solver = SolverFor("QF_BV")
    solver.set("timeout", 120_000)
    solver.add(Not(claim))
    result = solver.check()
    if result != unsat:
        sys.exit(f"{name}: {'not true of ' + str(solver.model()) if str(result) == 'sat' else 'not decided'}")
    print(f"{name}: proved")


def spread():
    """The i-th bit of eight is the i-th byte, 0 or 1."""
    source("crates/dp-rappor/src/flip/deposit.rs", """
        let copies = bits as u64 * 0x0101_0101_0101_0101;
        let one_each = copies & 0x8040_2010_0804_0201;
        // The highest bit of a byte shows whether it is not zero.
        ((one_each + 0x7f7f_7f7f_7f7f_7f7f) >> 7) & 0x0101_0101_0101_0101""")
    bits = BitVec("bits", 8)
    one_each = Concat(*[bits] * 8) & BitVecVal(0x8040_2010_0804_0201, 64)
    out = LShR(one_each + 0x7F7F_7F7F_7F7F_7F7F, 7) & 0x0101_0101_0101_0101
    expected = [ZeroExt(7, Extract(i, i, bits)) for i in range(8)]
    return out == Concat(*reversed(expected))


def product():
    """The four partial products, whatever they are, add up to the upper half of the whole, without an overflow."""
    source("crates/dp-exact/src/fixed.rs", """
        let (m1, m2) = (a1 * b0, a0 * b1);
        let carry = ((a0 * b0) >> 64) + (m1 & mask) + (m2 & mask);
        a1 * b1 + (m1 >> 64) + (m2 >> 64) + (carry >> 64)""")
    high, m1, m2, low = (ZeroExt(130, BitVec(name, 128)) for name in ("high", "m1", "m2", "low"))
    mask = BitVecVal(2**64 - 1, 258)
    carry = LShR(low, 64) + (m1 & mask) + (m2 & mask)
    computed = high + LShR(m1, 64) + LShR(m2, 64) + LShR(carry, 64)
    whole = (high << 128) + (m1 << 64) + (m2 << 64) + low
    # A partial product of numbers below 2^64 is at most (2^64 - 1)^2.
    bounds = [ULE(part, BitVecVal((2**64 - 1) ** 2, 258)) for part in (high, m1, m2, low)]
    return Implies(And(*bounds), And(computed == LShR(whole, 128), ULT(carry, BitVecVal(2**128, 258))))


def expand(place):
    """This bit of the result is the bit of as many as there are places set below it, if its own place is set."""
    source("crates/dp-rappor/src/flip/deposit.rs", """
        let mut left = places;
        let mut clear = !places << 1;
        let mut moved = [0; 6];
        for (power, moved) in moved.iter_mut().enumerate() {
            // The parity of the places that are clear below.
            let mut parity = clear;
            for step in 0..6 {
                parity ^= parity << (1 << step);
            }
            *moved = parity & left;
            left = (left ^ *moved) | (*moved >> (1 << power));
            clear &= !parity;
        }
        let mut bits = bits;
        for (power, moved) in moved.iter().enumerate().rev() {
            bits = (bits & !moved) | (bits << (1 << power) & moved);
        }
        bits & places""")
    given, places = BitVec("bits", 64), BitVec("places", 64)
    left, clear, moved = places, ~places << 1, []
    for power in range(6):
        parity = clear
        for step in range(6):
            parity = parity ^ (parity << (1 << step))
        moved.append(parity & left)
        left = (left ^ moved[power]) | LShR(moved[power], 1 << power)
        clear = clear & ~parity
    bits = given
    for power in reversed(range(6)):
        bits = (bits & ~moved[power]) | ((bits << (1 << power)) & moved[power])
    rank = sum((ZeroExt(63, Extract(i, i, places)) for i in range(place)), BitVecVal(0, 64))
    expected = Extract(place, place, places) & Extract(0, 0, LShR(given, rank))
    return Extract(place, place, bits & places) == expected


# Of 64 bits of `expand`, each of which takes Z3 a second.
PLACES = (3, 7, 15, 31, 39, 47, 55, 62, 63)

if __name__ == "__main__":
    for kernel in (spread, product):
        prove(kernel.__name__, kernel())
    for place in range(64) if sys.argv[1:] == ["all"] else PLACES:
        prove(f"expand, bit {place}", expand(place))
