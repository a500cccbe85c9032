//! The sum of k independent discrete Gaussians.
//!
//! For W = X₁ + … + X_k the weight of w is a sum over the integer vectors x with total w. Such an
//! x is (w/k, …, w/k) plus a vector v of total 0, orthogonal to it, so |x|² = w²/k + |v|² and
//!
//!   Σ_x e^(−|x|²/(2σ²)) = e^(−w²/(2kσ²))·S_(w mod k),  S_r = Σ_v e^(−|v|²/(2σ²)),
//!
//! the sum over a coset of the lattice A_(k−1), which depends on w mod k only. S₀ = 1 for k = 1;
//! for k = 2 both are [`gaussian_sum`]s.
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

use dp_exact::{Dyadic, Interval, Rational, Shift, directed, gaussian_sum, pi};

/// An upper bound on every |η_r|, the relative difference of S_r from (2πσ²)^((k−1)/2)/√k, for k =
/// `coordinates` and σ² = `variance`. `None` where it would exceed 7/8.
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
    (upper <= Dyadic::new(7, -3)).then(|| Interval::point(&upper, precision))
}

/// The most coordinates for which coset sums are added up.
pub(crate) const MOST: u64 = 12;

/// Enclosures of the coset sums S_0, …, S_(k−1) for k = `coordinates`: the total of k discrete
/// Gaussians is w with a probability in proportion to e^(−w²/(2kσ²))·S_(w mod k). `None` for k
/// above [`MOST`], twelve.
pub(crate) fn coset_sums(
    coordinates: u64,
    variance: &Rational,
    precision: u32,
) -> Option<Vec<Interval>> {
    match coordinates {
        1 => return Some(vec![Interval::integer(1, precision)]),
        3..=MOST => return added_up(coordinates, variance, precision),
        _ => {}
    }
    let half = variance.checked_div(&Rational::integer(2)).filter(|_| coordinates == 2)?;
    let sum = |shift| gaussian_sum(&half, shift, precision);
    Some(vec![sum(Shift::Zero)?, sum(Shift::Half)?])
}

/// Enclosures of the coset sums for k = `coordinates`: sums over all vectors with entries from −R
/// to R, R chosen by `precision`, and a bound on all other vectors, k·Z^(k−1)·Σ_{|x|>R}
/// e^(−x²/(2σ²)), where Z is the sum over all integers.
fn added_up(coordinates: u64, variance: &Rational, precision: u32) -> Option<Vec<Interval>> {
    let rate = (variance + variance).reciprocal()?;
    let bell = |x: u64| Interval::rational(&-(Rational::from(x).pow(2) * &rate), precision).exp();
    // S_r is at least e^(−k/(8σ²)), and the factor e^(r²/(2kσ²)) at most e^(k/(2σ²)).
    let slack = f64::from(precision) * 0.7 + 4.0 * directed::count(coordinates);
    let reach = slack / rate.to_f64() + 1.25 * directed::count(coordinates);
    let reach = directed::floor_to_count(reach.sqrt(), 1 << 10) + 1;
    let half: Vec<Interval> = (0..=reach).map(bell).collect::<Option<_>>()?;
    let one: Vec<Interval> = half.iter().skip(1).rev().chain(&half).cloned().collect();
    // Beyond R terms fall faster than a geometric series of the ratio of the next two.
    let (first, second) = (bell(reach + 1)?, bell(reach + 2)?);
    let whole = Interval::integer(1, precision);
    let beyond = (&first + first.checked_div(&(whole - second.checked_div(&first)?))?).shifted(1);
    let others = u32::try_from(coordinates).ok()? - 1;
    let all = gaussian_sum(variance, Shift::Zero, precision)?.powi(others);
    let beyond = beyond * all * Interval::integer(coordinates, precision);
    let beyond = beyond.hull(&Interval::integer(0, precision));
    // Totals of more and more entries, in the middle of each list the total 0.
    let totals = (0..others).fold(one.clone(), |totals, _| convolved(&totals, &one));
    let middle = totals.len() / 2;
    let sums = (0..coordinates).zip(&totals[middle..]).map(|(total, sum)| {
        let square = Rational::from(total).pow(2).checked_div(&Rational::from(coordinates))?;
        Some((sum + &beyond) * Interval::rational(&(square * &rate), precision).exp()?)
    });
    sums.collect()
}

/// The sums of products of two lists, at each sum of their places.
fn convolved(one: &[Interval], other: &[Interval]) -> Vec<Interval> {
    let mut sums = vec![Interval::integer(0, 64); one.len() + other.len() - 1];
    for (place, x) in one.iter().enumerate() {
        for (sum, y) in sums[place..].iter_mut().zip(other) {
            *sum = &*sum + x * y;
        }
    }
    sums
}

#[cfg(test)]
mod tests {
    use super::*;

    /// S_0, …, S_(k−1) by floats: Σ e^(−|x|²/(2σ²)) over x of total r, over e^(−r²/(2kσ²)).
    fn direct(coordinates: u32, variance: f64) -> Vec<f64> {
        let bell = |x: f64| (-x * x / (2.0 * variance)).exp();
        let mut table: Vec<f64> = (-60..=60).map(|total| f64::from(total == 0)).collect();
        for _ in 0..coordinates {
            let at = |total: i32| {
                let index = usize::try_from(total + 60).ok();
                index.and_then(|index| table.get(index).copied()).unwrap_or(0.0)
            };
            let sum = |total| (-20..=20).map(|x| bell(f64::from(x)) * at(total - x)).sum();
            table = (-60..=60).map(sum).collect();
        }
        let whole = |total: u32| f64::from(total) / f64::from(coordinates).sqrt();
        (0..coordinates).zip(&table[60..]).map(|(total, sum)| sum / bell(whole(total))).collect()
    }

    #[test]
    fn sums_are_those_over_all_integer_vectors_of_a_total() {
        for (coordinates, variance) in
            [(2, "0.1"), (3, "0.02"), (3, "0.4"), (5, "0.7"), (12, "0.2")]
        {
            let variance: Rational = variance.parse().expect("a number");
            let sums = coset_sums(coordinates.into(), &variance, 96).expect("few");
            for (sum, direct) in sums.iter().zip(direct(coordinates, variance.to_f64())) {
                assert!((sum.midpoint() / direct - 1.0).abs() < 1e-12, "{coordinates} {direct}");
                assert!((sum.upper().to_f64() / sum.lower().to_f64() - 1.0).abs() < 1e-15);
            }
        }
    }

    #[test]
    fn the_ripple_bounds_what_the_sums_differ_by() {
        for coordinates in [2u32, 3, 4, 7, 12] {
            for variance in ["0.3", "0.4", "0.7", "1.1"] {
                let variance: Rational = variance.parse().expect("a number");
                let Some(bound) = ripple(coordinates.into(), &variance) else {
                    continue;
                };
                let area = std::f64::consts::TAU * variance.to_f64();
                let mean =
                    area.powf(f64::from(coordinates - 1) / 2.0) / f64::from(coordinates).sqrt();
                for sum in direct(coordinates, variance.to_f64()) {
                    let off = (sum / mean - 1.0).abs();
                    assert!(off <= bound.midpoint() + 1e-11, "{coordinates} {variance} {off}");
                }
            }
        }
    }
}
