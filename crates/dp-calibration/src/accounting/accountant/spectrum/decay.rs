//! Lower bounds on the decay of the product of all characteristic functions: −ln of the modulus at
//! the node j is at least S(j) = Σ C·f² over the kinds of release, with f the distance of j·α from
//! the nearest integer (`docs/characteristic-functions.md`). From one node to the next S changes by
//! at most Σ C·‖α‖, ‖α‖ the distance from the nearest integer: where S is large, many nodes are
//! bounded at once.

use dp_exact::Rational;

use super::complex::BITS;
use super::factor::{Atoms, turns};

/// Bits after the binary point of an exponent S, for a modulus of at most e^−S.
const EXPONENT_BITS: u32 = 16;

/// The largest strength C of a wave that is counted, in units of 2^−16.
const MOST: u64 = 1 << 48;

/// The waves C·f² of all kinds of release, whose sum S(j) bounds −ln of the modulus at node j from
/// below. The distance of j·α from the nearest integer is f.
#[derive(Debug, Default)]
pub(super) struct Decay {
    /// Of each kind C in units of 2^−16 and α in units of 2^−128 turns, both rounded down.
    waves: Vec<(u64, u128)>,
    /// Upper bound on the change of the exponent S from one node to the next, in units of 2^−16: Σ
    /// C·‖α‖, with ‖α‖ the distance from the nearest integer.
    steepest: u128,
}

impl Decay {
    /// Adds `times` = n values of discrete Gaussian noise with σ² = `variance` ≥ 16 and the change
    /// d = `step`, for the period L = `period`: C = nπ²σ², counted as 9nσ² and at most [`MOST`],
    /// and α = d/(σ²L). `None` if the variance or the period is 0.
    pub(super) fn add_gaussian(
        &mut self,
        variance: &Rational,
        step: &Rational,
        times: u32,
        period: &Rational,
    ) -> Option<()> {
        // π² > 9.
        let units = Rational::from((9 * u64::from(times)) << EXPONENT_BITS);
        let strength = (variance * &units).floor();
        // A wave may be counted with less strength.
        let strength = u64::try_from(&strength).unwrap_or(MOST);
        self.add(strength, turns(&step.checked_div(variance)?, period)?);
        Some(())
    }

    /// Adds n equal losses on a lattice: C = 4nc and α = m·step/L for pairs m points apart with
    /// harmonic weights c, as 1 − c·sin²(πf) ≤ e^(−4cf²). `None` if a number is too large.
    pub(super) fn add_atoms(&mut self, atoms: &Atoms, period: &Rational) -> Option<()> {
        let (lag, harmonic) = atoms.pairs();
        let strength =
            (u128::from(harmonic) * 4 * u128::from(atoms.times)) >> (BITS - EXPONENT_BITS);
        let apart = &atoms.law.step * &Rational::from(u64::try_from(lag).ok()?);
        // A wave may be counted with less strength.
        self.add(u64::try_from(strength).unwrap_or(MOST), turns(&apart, period)?);
        Some(())
    }

    /// Adds the wave with C = `strength` in units of 2^−16, of which at most [`MOST`] count, and α
    /// = `phase` in units of 2^−128 turns. The bound on the change of S from node to node grows
    /// with it.
    fn add(&mut self, strength: u64, phase: u128) {
        let strength = strength.min(MOST);
        let distance = phase.min(phase.wrapping_neg()) >> 64;
        self.steepest += ((u128::from(strength) * (distance + 1)) >> 64) + 1;
        self.waves.push((strength, phase));
    }

    /// S(j) at j = `node`, rounded down, in units of 2^−16: the modulus is at most e^−S(j).
    pub(super) fn at(&self, node: u32) -> u128 {
        let of_wave = |&(strength, phase): &(u64, u128)| {
            let turned = phase.wrapping_mul(u128::from(node));
            let distance = turned.min(turned.wrapping_neg()) >> 96;
            // The phase is rounded down: by less than 2^−96 at every node.
            let distance = distance.saturating_sub(1);
            (u128::from(strength) * ((distance * distance) >> 16)) >> 48
        };
        self.waves.iter().map(of_wave).sum()
    }

    /// How many nodes after one with S = `here` > `target` certainly have S ≥ `target`.
    pub(super) fn nodes_above(&self, here: u128, target: u128) -> u128 {
        (here - target) / self.steepest.max(1)
    }

    /// The number of waves, one for each kind of release.
    pub(super) fn len(&self) -> usize {
        self.waves.len()
    }
}

/// The exponent S = `whole`, converted to units of 2^−16.
pub(super) const fn exponent(whole: u128) -> u128 {
    whole << EXPONENT_BITS
}

/// Upper bound on `value`·e^−S, S = `exponent` in units of 2^−16: shifted by S/ln 2 bits.
pub(super) fn bounded(value: u128, exponent: u128) -> u128 {
    let bits = (exponent.min(1 << 32) * 14_426 / 10_000) >> EXPONENT_BITS;
    (value >> bits.min(127)) + 1
}
