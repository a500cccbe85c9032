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
//! that what is left out past the mode is below a geometric series of the last ratio.
//!
//! **For large σ² all S_r are nearly equal.** By Poisson summation over the dual lattice
//!
//!   S_r = (2πσ²)^((k−1)/2)/√k·(1 + η_r),  |η_r| ≤ Σ_{ξ ≠ 0} e^(−2π²σ²|ξ|²).
//!
//! The dual lattice is that of the integer vectors n modulo (1, …, 1), with k|ξ|² = Σ_{i<j}
//! (nᵢ − nⱼ)². Take for n a representative of median 0, with P positive and N negative entries,
//! both at most k/2. A positive entry differs by at least itself from the k − P others that are not
//! positive, and the same with the signs exchanged (a pair of both counts twice, and (a+b)² ≥
//! a² + b²), so |ξ|² ≥ (1 − max(P, N)/k)·|n|². Counting the n by their number j of nonzero entries,
//!
//!   |η_r| ≤ Σ_{j=1..k} C(k, j)·(2Σ_{a≥1} r_j^(a²))^j,  r_j = e^(−2π²σ²·(1 − min(j/k, ½))),
//!
//! in which the inner sum is below r_j/(1−r_j), and from j = 9 on all r_j are replaced by the
//! largest, √r₀, which leaves at most x⁹/9!·e^x with x = 2k·√r₀/(1−√r₀).

use dp_exact::{Dyadic, Interval, Rational, Shift, gaussian_sum, pi};

/// The most terms that a table of cosets may cost.
const MAX_WORK: f64 = 300_000.0;

/// Whether [`coset_sums`] takes a fraction of a second.
pub(crate) fn is_affordable(coordinates: u64, variance: &Rational, precision: u32) -> bool {
    let (Ok(count), variance) = (u32::try_from(coordinates), variance.to_f64()) else {
        return false;
    };
    let reach = ((variance + 0.25) * f64::from(count) * f64::from(precision)).sqrt();
    count <= 2 || f64::from(count) * (reach + 4.0) <= MAX_WORK
}

/// An upper bound on |η_r|; `None` where it would exceed 1/2.
pub(crate) fn ripple(coordinates: u64, variance: &Rational) -> Option<Interval> {
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
    (upper <= Dyadic::new(1, -1)).then(|| Interval::hull_of(upper.clone(), upper, precision))
}

/// S_r for r = 0, …, `coordinates` − 1.
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

/// k = 2: v = (x, −x), or the same moved by one half.
fn pair(variance: &Rational, precision: u32) -> Option<Vec<Interval>> {
    let half = variance.checked_div(&Rational::integer(2))?;
    Some(vec![
        gaussian_sum(&half, Shift::Zero, precision)?,
        gaussian_sum(&half, Shift::Half, precision)?,
    ])
}

/// S of a + b coordinates from those of a and of b.
fn convolve(
    one: &[Interval],
    other: &[Interval],
    variance: &Rational,
    precision: u32,
) -> Option<Vec<Interval>> {
    let (a, b) = (one.len(), other.len());
    let total = a + b;
    let [a_part, b_part, whole] = [a, b, total].map(|n| u32::try_from(n).map(f64::from));
    let (a_part, whole) = (a_part.ok()?, whole.ok()?);
    // For little noise the entries are 0 and 1, and their split is hypergeometric.
    let spread = variance.to_f64() * a_part * b_part.ok()? / whole + whole / 16.0;
    let bits = f64::from(precision) + 8.0;
    let reach = (2.0 * spread * bits * std::f64::consts::LN_2).sqrt() + 4.0;
    let wide = |n: usize| Some(n / 2 + to_index(reach)? + 4);
    let left = bells(one, wide(a)?, variance, precision)?;
    let right = bells(other, wide(b)?, variance, precision)?;

    let mut sums: Vec<Interval> = Vec::with_capacity(total);
    for w in 0..=total / 2 {
        let weight = convolved_at(&left, &right, w, (w * a) / total)?;
        sums.push(weight);
    }
    // Back from weights of w to S: times e^(w²/(2(a+b)σ²)).
    let rate = (variance + variance).reciprocal()?;
    let rate = rate.checked_div(&Rational::from(u64::try_from(total).ok()?))?;
    for (w, sum) in sums.iter_mut().enumerate() {
        let square = Rational::from(u64::try_from(w * w).ok()?);
        *sum = &*sum * Interval::rational(&(square * &rate), precision).exp()?;
    }
    for r in total / 2 + 1..total {
        sums.push(sums[total - r].clone());
    }
    Some(sums)
}

/// Σ_u left(u)·right(w − u), from the middle outward.
fn convolved_at(
    left: &[Interval],
    right: &[Interval],
    w: usize,
    middle: usize,
) -> Option<Interval> {
    let at = |u: i64| {
        let w = i64::try_from(w).ok()?;
        let place = |table: &[Interval], index: i64| {
            table
                .get(usize::try_from(index.unsigned_abs()).ok()?)
                .cloned()
        };
        Some(place(left, u)? * place(right, w - u)?)
    };
    let middle = i64::try_from(middle).ok()?;
    let centre = at(middle)?;
    let precision = centre.precision();
    let mut sum = centre.clone();
    for direction in [1, -1] {
        let mut last = centre.clone();
        let mut u = middle;
        loop {
            u += direction;
            let term = at(u)?;
            sum = sum + &term;
            let small = *term.upper() <= *sum.shifted(-i64::from(precision)).upper();
            if small && *term.upper() < *last.lower() {
                // Ratios only fall from here on: the rest is below term·ρ/(1 − ρ).
                let rest = (&term * &term).checked_div(&(&last - &term))?;
                sum = sum + rest.hull(&Interval::integer(0, precision));
                break;
            }
            last = term;
        }
    }
    Some(sum)
}

/// S_(u mod a)·e^(−u²/(2aσ²)) for u = 0, …, `wide`.
fn bells(
    sums: &[Interval],
    wide: usize,
    variance: &Rational,
    precision: u32,
) -> Option<Vec<Interval>> {
    let count = Rational::from(u64::try_from(sums.len()).ok()?);
    let rate = ((variance + variance) * count).reciprocal()?;
    let mut bell = Interval::integer(1, precision);
    let mut ratio = Interval::rational(&-&rate, precision).exp()?;
    let step = ratio.square();
    let mut table = Vec::with_capacity(wide + 1);
    for u in 0..=wide {
        table.push(&bell * &sums[u % sums.len()]);
        bell = bell * &ratio;
        ratio = ratio * &step;
    }
    Some(table)
}

fn to_index(value: f64) -> Option<usize> {
    let rounded = Rational::from_f64(value.ceil()).ok()?;
    usize::try_from(rounded.numerator()).ok()
}
