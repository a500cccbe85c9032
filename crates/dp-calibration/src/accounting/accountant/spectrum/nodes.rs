//! The computed nodes, and a bound on the sum over the others.

use dp_exact::{Interval, Rational, pi};
use num_bigint::BigInt;

use super::complex::{BITS, Complex, PRODUCT_ERROR, TURN_ERROR, turn};
use super::decay::{self, Decay};
use super::factor::Atoms;
use crate::privacy_loss::{PRECISION, real};
use dp_exact::fixed;

/// The largest j of a node that is looked at.
pub(super) const LAST: u32 = 1 << 24;

/// The exponent 45: where the modulus is certainly below e^−45, a node is not computed.
const NEGLIGIBLE: u128 = decay::exponent(45);

/// The number of first nodes, which are computed whatever they cost.
const FIRST: u32 = 64;

/// The work to bound a node, for each kind of release, in units of about a nanosecond.
const EACH: u64 = 4;

/// Upper bound on the error of each part of the kernel: rounding, and the enclosure's width.
const KERNEL_ERROR: u64 = 2;

/// The time of a value of the kernel, in units of about a nanosecond.
const KERNEL_COST: u64 = 3000;

/// Bits after the binary point of an upper bound on Σ m/j² over the nodes j > 0 that are not
/// computed, where m ≤ 1 bounds the modulus of the characteristic function at j.
const SQUARE_BITS: u32 = 100;

/// The kernel λ(1+λ)·ŵ(t) = 1/((1 + it/λ)(1 + it/(1+λ))) at the nodes: enclosures of 2π/(Lλ) and
/// 2π/(L(1+λ)), the steps of t/λ and t/(1+λ) from node to node.
#[derive(Debug)]
struct Kernel([Interval; 2]);

impl Kernel {
    /// The kernel for the period L and the tilt λ. `None` if one of them is 0.
    fn new(period: &Rational, tilt: &Rational) -> Option<Self> {
        let turn = pi(PRECISION).shifted(1);
        let step =
            |rate: &Rational| turn.checked_div(&Interval::rational(&(period * rate), PRECISION));
        Some(Self([step(tilt)?, step(&(tilt + &Rational::one()))?]))
    }

    /// The kernel λ(1+λ)·ŵ at the node j = `node`, off by at most [`KERNEL_ERROR`] units of 2^−62:
    /// (a − ib)/(a² + b²) with a = 1 − xy and b = x + y. `None` if a number is too large.
    fn at(&self, node: u32) -> Option<Complex> {
        let node = Interval::integer(node, PRECISION);
        let [x, y] = self.0.each_ref().map(|step| step * &node);
        let (a, b) = (Interval::integer(1, PRECISION) - &x * &y, x + y);
        let square = a.square() + b.square();
        let part = |value: Interval| {
            let units: BigInt = value.checked_div(&square)?.lower().floor_shifted(BITS.into());
            i64::try_from(units).ok()
        };
        Some(Complex { re: part(a)?, im: part(-b)? })
    }
}

/// All discrete Gaussian noise with σ² ≥ 16. Up to the node `until`, continuous Gaussian noise has
/// equal characteristic functions, and one exponential is their product.
#[derive(Debug)]
pub(super) struct Gaussians {
    /// The exponent of the modulus at the first node: 2π²/L²·Σ d²/σ² for the period L.
    pub(super) exponent: Interval,
    /// The part of `exponent` from noise Gaussian at every node, rounded down, in units of 2^−64.
    pub(super) wide_exponent: u128,
    /// The last node up to which one product serves all noise.
    pub(super) until: u32,
    /// Whether there is any Gaussian noise with σ² ≥ 16.
    pub(super) are_any: bool,
}

/// The product of characteristic functions and kernel at every node that matters.
#[derive(Debug)]
pub(super) struct Nodes {
    /// Pairs (index j of a node, λ(1+λ)·ŵ·φ there), ascending from j = 0, ŵ the kernel.
    pub(super) values: Vec<(u32, Complex)>,
    /// Upper bound on the error of all values, both signs of j, in units of 2^−62.
    pub(super) error: u128,
    /// Enclosure of the sum of the products at all other nodes, both signs of j.
    pub(super) beyond: Interval,
}

/// The factors of the characteristic function of the summed loss, for all nodes.
pub(super) struct NodeProduct<'a> {
    pub(super) atoms: &'a [Atoms],
    pub(super) gaussians: &'a Gaussians,
    pub(super) decay: &'a Decay,
    /// The sum of all lattice offsets and Gaussian means over L, in units of 2^−128 turns.
    pub(super) phase: u128,
    /// Upper bound on the error of `phase`, in units of 2^−128.
    pub(super) phase_error: u128,
    /// The period L of losses, in nats.
    pub(super) period: &'a Rational,
    /// The tilt λ.
    pub(super) tilt: &'a Rational,
    /// The most work for nodes beyond the first, in units of about a nanosecond.
    pub(super) allowed: u64,
}

impl NodeProduct<'_> {
    /// The characteristic function φ of the summed loss at a node, without the kernel, in units of
    /// 2^−62, off by at most [`Self::error`]. The caller sees to node ≤ `until`. `None` if a number
    /// is too large.
    fn at(&self, node: u32) -> Option<Complex> {
        let mut product = turn(self.phase.wrapping_mul(u128::from(node)));
        if self.gaussians.are_any {
            let square = Interval::integer(u64::from(node) * u64::from(node), PRECISION);
            let modulus =
                (Interval::integer(0, PRECISION) - &self.gaussians.exponent * square).exp()?;
            let modulus = fixed::floor(&modulus, BITS)?;
            product = product.scaled(u64::try_from(modulus).ok()?);
        }
        for atoms in self.atoms {
            product = product.times(atoms.at(node));
        }
        Some(product)
    }

    /// Upper bound on the error of each part of a node's value, the kernel times φ, in units of
    /// 2^−62.
    fn error(&self) -> u128 {
        let each = self.atoms.iter().map(Atoms::error);
        let count = u128::try_from(self.atoms.len()).expect("a length is below 2^64");
        // The common phase is off by less than 2^−62 of a turn, or else counted.
        let phase = u128::from(TURN_ERROR) + 8 + ((u128::from(LAST) * self.phase_error) >> 63);
        each.sum::<u128>()
            + phase
            + (count + 2) * u128::from(PRODUCT_ERROR)
            + u128::from(KERNEL_ERROR)
    }

    /// Lower bound on −ln|φ| at a node, in units of 2^−16, for the characteristic function φ of the
    /// summed loss. The kernel is not counted.
    fn fallen(&self, node: u32) -> u128 {
        let square = u128::from(node) * u128::from(node);
        let wide = self.gaussians.wide_exponent.saturating_mul(square) >> 48;
        self.decay.at(node).saturating_add(wide)
    }

    /// The values at nodes worth their work, and a bound on the sum over all others: nodes beyond
    /// `until`, with a modulus below e^−45, or, after the first 64, past the allowed work. `None`
    /// if a number is too large.
    pub(super) fn nodes(&self) -> Option<Nodes> {
        let kernel = Kernel::new(self.period, self.tilt)?;
        // |λ(1+λ)·ŵ(t_j)| ≤ λ(1+λ)·L²/(4π²j²)
        let turn = pi(PRECISION).shifted(1);
        let above = self.tilt + &Rational::one();
        let heaviest = real(&(self.tilt * &above * self.period * self.period));
        let heaviest = heaviest.checked_div(&turn.square())?;
        let cost = self.atoms.iter().map(Atoms::cost).sum::<u64>();
        let cost = cost + KERNEL_COST + if self.gaussians.are_any { 4_000 } else { 200 };
        let bounding = EACH * u64::try_from(self.decay.len()).ok()? + 100;
        let mut allowed = self.allowed;
        let mut values = vec![(0, Complex::ONE)];
        if !self.atoms.is_empty() {
            values = vec![(0, self.at(0)?)];
        }
        let mut beyond = 0u128;
        let mut node = 1u32;
        while node < LAST {
            let step = if node < FIRST { 0 } else { bounding };
            let fallen = self.fallen(node);
            allowed = allowed.saturating_sub(step);
            if node >= FIRST && allowed == 0 {
                break;
            } else if fallen > NEGLIGIBLE {
                let count = self.decay.nodes_above(fallen, NEGLIGIBLE).min(u128::from(LAST - node));
                let last = node + u32::try_from(count).ok()?;
                beyond += decay::bounded(inverse_squares(node, last), NEGLIGIBLE);
                node = last + 1;
            } else if node <= self.gaussians.until && (node < FIRST || allowed >= cost) {
                allowed = allowed.saturating_sub(if node < FIRST { 0 } else { cost });
                values.push((node, self.at(node)?.times(kernel.at(node)?)));
                node += 1;
            } else if allowed >= bounding {
                beyond += decay::bounded(inverse_squares(node, node), fallen);
                node += 1;
            } else {
                break;
            }
        }
        // All moduli from here on are at most 1.
        beyond += inverse_squares(node, u32::MAX) + (1 << (SQUARE_BITS - 31));
        let beyond = Interval::integer(beyond, PRECISION).shifted(1 - i64::from(SQUARE_BITS));
        let beyond = beyond * heaviest;
        let count = u128::try_from(values.len()).ok()?;
        Some(Nodes { error: 2 * count * self.error(), values, beyond })
    }
}

/// Upper bound on the sum of 1/j² for j from `first` ≥ 1 to `last`, both counted, in units of
/// 2^−100.
fn inverse_squares(first: u32, last: u32) -> u128 {
    let (one, first, last) = (1u128 << SQUARE_BITS, u128::from(first), u128::from(last));
    one / (first * first) + one / first - one / last + 3
}
