//! The sum of k independent discrete Gaussians.
//!
//! For W = X₁ + … + X_k the weight of w is a sum over the integer vectors x with total w. Such an
//! x is (w/k, …, w/k) plus a vector v of total 0, orthogonal to it, so |x|² = w²/k + |v|² and
//!
//!   Σ_x e^(−|x|²/(2σ²)) = e^(−w²/(2kσ²))·S_(w mod k),  S_r = Σ_v e^(−|v|²/(2σ²)),
//!
//! the sum over a coset of the lattice A_(k−1), which depends on w mod k only. S₀ = 1 for k = 1;
//! for k = 2 both are [`gaussian_sum`]s. Larger k come from the convolution
//!
//!   S⁽ᵃ⁺ᵇ⁾_w = Σ_u S⁽ᵃ⁾_u·S⁽ᵇ⁾_(w−u)·e^(−(u(a+b) − wa)²/(2ab(a+b)σ²)),
//!
//! whose terms are positive and log-concave in u (convolutions of log-concave sequences are), so
//! that the omitted terms past the mode sum to less than a geometric series of the last ratio.
//!
//! **For large σ² all S_r are nearly equal.** By Poisson summation over the dual lattice
//!
//!   S_r = (2πσ²)^((k−1)/2)/√k·(1 + η_r),  |η_r| ≤ Σ_{ξ ≠ 0} e^(−2π²σ²|ξ|²).
//!
//! The dual lattice consists of the integer vectors n modulo (1, …, 1), with k|ξ|² = Σ_{i<j} (nᵢ −
//! nⱼ)². Take for n a representative of median 0, with P positive and N negative entries, both at
//! most k/2. A positive entry differs by at least itself from the k − P entries that are not
//! positive, and likewise with the signs exchanged (a pair of both counts twice, and (a+b)² ≥ a² +
//! b²), so |ξ|² ≥ (1 − max(P, N)/k)·|n|². Counting the n by their number j of nonzero entries,
//!
//!   |η_r| ≤ Σ_{j=1..k} C(k, j)·(2Σ_{a≥1} r_j^(a²))^j,  r_j = e^(−2π²σ²·(1 − min(j/k, ½))),
//!
//! in which the inner sum is below r_j/(1−r_j), and from j = 9 on all r_j are replaced by the
//! largest, √r₀, which leaves at most x⁹/9!·e^x with x = 2k·√r₀/(1−√r₀).

mod products;

use dp_exact::{Dyadic, Interval, Rational, Shift, gaussian_sum, pi};

use products::{Enclosed, convolved_at};

/// Bits beyond the precision, for roundings in recurrences and sums.
const GUARD: u32 = 32;

/// The most terms that a table of cosets may cost.
const MAX_WORK: f64 = 300_000.0;

/// Whether [`coset_sums`] takes a fraction of a second, by a float estimate.
pub(crate) fn is_affordable(coordinates: u64, variance: &Rational, precision: u32) -> bool {
    let (Ok(count), variance) = (u32::try_from(coordinates), variance.to_f64()) else {
        return false;
    };
    let reach = ((variance + 0.25) * f64::from(count) * f64::from(precision)).sqrt();
    count <= 2 || f64::from(count) * (reach + 4.0) <= MAX_WORK
}

/// An upper bound on every |η_r|, the relative difference of S_r from (2πσ²)^((k−1)/2)/√k, for k =
/// `coordinates` and σ² = `variance`. `None` where it would exceed 1/2.
#[must_use]
pub fn ripple(coordinates: u64, variance: &Rational) -> Option<Interval> {
    let precision = 64;
    let one = Interval::integer(1, precision);
    let rate = (pi(precision).square() * Interval::rational(variance, precision)).shifted(1);
    // 2r/(1−r) for r to the given power.
    let doubled = |power: &Rational| {
        let r = (-(&rate * Interval::rational(power, precision))).exp()?;
        r.shifted(1).checked_div(&(&one - &r))
    };
    let half = Rational::new(1, 2).ok()?;
    let crude = doubled(&half)? * Interval::integer(coordinates, precision);
    if *crude.upper() > Dyadic::new(8, 0) {
        return None;
    }
    let factorial = Interval::integer(362_880, precision);
    let mut ripple = (crude.powi(9) * crude.exp()?).checked_div(&factorial)?;
    let mut choices = one.clone();
    for entries in 1..=coordinates.min(8) {
        let left = Interval::integer(coordinates + 1 - entries, precision);
        choices = (choices * left).checked_div(&Interval::integer(entries, precision))?;
        let part = Rational::new(entries, coordinates).ok()?.min(half.clone());
        let each = doubled(&(Rational::one() - part))?;
        ripple = ripple + &choices * each.powi(u32::try_from(entries).ok()?);
    }
    let upper = ripple.upper().clone();
    (upper <= Dyadic::new(1, -1)).then(|| Interval::point(&upper, precision))
}

/// The coset sums S_r = Σ e^(−|v|²/(2σ²)) for r = 0, …, k − 1, k = `coordinates`, enclosed with
/// `precision` bits. v has k entries of total 0, each an integer less r/k. `None` if a table would
/// be too long.
pub(crate) fn coset_sums(
    coordinates: u64,
    variance: &Rational,
    precision: u32,
) -> Option<Vec<Interval>> {
    let mut sums = vec![Interval::integer(1, precision)];
    // Binary expansion of k from the top: double, and add one.
    for bit in (0..u64::BITS - coordinates.leading_zeros()).rev().skip(1) {
        sums = if sums.len() == 1 {
            pair(variance, precision)?
        } else {
            convolve(&sums, &sums, variance, precision)?
        };
        if coordinates >> bit & 1 == 1 {
            let single = [Interval::integer(1, precision)];
            sums = convolve(&sums, &single, variance, precision)?;
        }
    }
    Some(sums)
}

/// The coset sums S_0 and S_1 for k = 2 coordinates, enclosed. S_0 is over the vectors v = (x, −x),
/// S_1 over v = (x + ½, −x − ½), for all integers x.
fn pair(variance: &Rational, precision: u32) -> Option<Vec<Interval>> {
    let half = variance.checked_div(&Rational::integer(2))?;
    Some(vec![
        gaussian_sum(&half, Shift::Zero, precision)?,
        gaussian_sum(&half, Shift::Half, precision)?,
    ])
}

/// The coset sums of a + b coordinates from the sums `one` of a and `other` of b coordinates.
fn convolve(
    one: &[Interval],
    other: &[Interval],
    variance: &Rational,
    precision: u32,
) -> Option<Vec<Interval>> {
    let (a, b) = (one.len(), other.len());
    let total = a + b;
    let reach = reach(a, b, variance, precision)?;
    let wide = |n: usize| n / 2 + reach + 4;
    let left = bells(one, wide(a), variance, precision)?;
    let right = if a == b { None } else { Some(bells(other, wide(b), variance, precision)?) };
    let right = right.as_deref().unwrap_or(&left);

    // Back from weights of w to S: times e^(w²/(2(a+b)σ²)).
    let mut growth = Bell::new(&rate(total, variance)?, precision + GUARD)?;
    let mut sums: Vec<Interval> = Vec::with_capacity(total);
    for w in 0..=total / 2 {
        let place = |index: usize| i64::try_from(index).ok();
        let weight = convolved_at(&left, right, place(w)?, place(w * a / total)?, precision)?;
        sums.push((weight * growth.next()).at_precision(precision));
    }
    for r in total / 2 + 1..total {
        sums.push(sums[total - r].clone());
    }
    Some(sums)
}

/// An estimate of how far the total of a coordinates may lie from its mean and still matter, given
/// the total of a + b. The estimate only steers: terms beyond the tables are bounded.
fn reach(a: usize, b: usize, variance: &Rational, precision: u32) -> Option<usize> {
    let parts = [a, b, a + b].map(|n| u32::try_from(n).map(f64::from));
    let [a, b, whole] = parts;
    let whole = whole.ok()?;
    // For little noise the entries are 0 and 1, and their split is hypergeometric.
    let spread = variance.to_f64() * a.ok()? * b.ok()? / whole + whole / 16.0;
    let bits = f64::from(precision) + 8.0;
    to_index((2.0 * spread * bits * std::f64::consts::LN_2).sqrt() + 4.0)
}

/// S_(u mod a)·e^(−u²/(2aσ²)) for u = 0, …, `wide`, enclosed; `sums` are S_0, …, S_(a−1), the coset
/// sums of a coordinates.
fn bells(
    sums: &[Interval],
    wide: usize,
    variance: &Rational,
    precision: u32,
) -> Option<Vec<Enclosed>> {
    let bits = precision + GUARD;
    let mut bell = Bell::new(&-rate(sums.len(), variance)?, bits)?;
    (0..=wide).map(|u| Enclosed::new(bell.next() * &sums[u % sums.len()], bits)).collect()
}

/// 1/(2nσ²) for n = `count`.
fn rate(count: usize, variance: &Rational) -> Option<Rational> {
    let count = Rational::from(u64::try_from(count).ok()?);
    ((variance + variance) * count).reciprocal()
}

/// The numbers e^(cu²) for u = 0, 1, 2, …, each computed from the number before.
pub(crate) struct Bell {
    /// e^(cu²) for the next u.
    value: Interval,
    /// e^(c(2u+1))
    ratio: Interval,
    /// e^(2c)
    step: Interval,
}

impl Bell {
    /// The numbers for c = `rate`, from u = 0 on; `None` if e^c is too large.
    pub(crate) fn new(rate: &Rational, precision: u32) -> Option<Self> {
        let ratio = Interval::rational(rate, precision).exp()?;
        Some(Self { value: Interval::integer(1, precision), step: ratio.square(), ratio })
    }

    /// Returns e^(cu²), and moves on to the next u.
    pub(crate) fn next(&mut self) -> Interval {
        let next = &self.value * &self.ratio;
        self.ratio = &self.ratio * &self.step;
        std::mem::replace(&mut self.value, next)
    }
}

/// ⌈value⌉ as an index; `None` if it does not fit.
fn to_index(value: f64) -> Option<usize> {
    let rounded = Rational::from_f64(value.ceil()).ok()?;
    usize::try_from(rounded.numerator()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_are_narrow_at_every_precision_and_meet() {
        for (coordinates, variance) in [(2, "0.4"), (3, "0.4"), (7, "2.5"), (12, "0.1"), (45, "1")]
        {
            let variance: Rational = variance.parse().expect("a number");
            let at = |precision| coset_sums(coordinates, &variance, precision).expect("short");
            let exact = at(320);
            for precision in [90, 160, 224, 300] {
                for (sum, exact) in at(precision).iter().zip(&exact) {
                    assert_eq!(sum.compare(exact), None, "{coordinates} {precision}");
                    let width = (sum - exact).upper().clone();
                    let bits = 12 - i64::from(precision);
                    assert!(
                        width <= *exact.shifted(bits).lower(),
                        "{coordinates} {precision} {sum}"
                    );
                }
            }
        }
    }

    #[test]
    fn sums_are_those_over_all_integer_vectors_of_a_total() {
        // S_r is Σ e^(−|v|²/(2σ²)) over v of total r, over e^(−r²/(2kσ²)).
        let variance = 0.7f64;
        let bell = |x: f64| (-x * x / (2.0 * variance)).exp();
        for coordinates in 2..=5u32 {
            let mut table: Vec<f64> = (-60..=60).map(|total| f64::from(total == 0)).collect();
            for _ in 0..coordinates {
                let at = |total: i32| {
                    let index = usize::try_from(total + 60).ok();
                    index.and_then(|index| table.get(index).copied()).unwrap_or(0.0)
                };
                let sum = |total| (-20..=20).map(|x| bell(f64::from(x)) * at(total - x)).sum();
                table = (-60..=60).map(sum).collect();
            }
            let variance = "0.7".parse().expect("a number");
            let sums = coset_sums(coordinates.into(), &variance, 96).expect("short");
            assert_eq!(u32::try_from(sums.len()), Ok(coordinates));
            for (sum, (total, direct)) in sums.iter().zip((0i32..).zip(&table[60..])) {
                let whole = f64::from(total) / f64::from(coordinates).sqrt();
                let expected = direct / bell(whole);
                assert!((sum.midpoint() / expected - 1.0).abs() < 1e-12, "{coordinates} {total}");
            }
        }
    }
}
