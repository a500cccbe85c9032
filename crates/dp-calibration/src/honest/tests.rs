//! δ of sums of noises against enumeration in floating point, where nothing cancels.

use super::*;

const REACH: i32 = 120;

pub(super) fn number(text: &str) -> Rational {
    text.parse().expect("a number")
}

/// The law of the sum of `honest` discrete Gaussians on −[`REACH`] … [`REACH`], by convolution.
pub(super) fn law(honest: u32, variance: f64) -> impl Fn(i32) -> f64 {
    let bell = |x: i32| (-f64::from(x).powi(2) / (2.0 * variance)).exp();
    let total: f64 = (-REACH..=REACH).map(bell).sum();
    let mut table: Vec<f64> = (-REACH..=REACH).map(|y| f64::from(y == 0)).collect();
    let at = |table: &[f64], y: i32| {
        let index = usize::try_from(y + REACH).ok();
        index.and_then(|index| table.get(index).copied())
    };
    for _ in 0..honest {
        let sum = |y: i32| {
            let term = |x: i32| Some(bell(x) / total * at(&table, y - x)?);
            (-REACH..=REACH).filter_map(term).sum::<f64>()
        };
        table = (-REACH..=REACH).map(sum).collect();
    }
    move |y| at(&table, y).unwrap_or(0.0)
}

/// Σ [Π p(yᵢ) − γ·Π p(yᵢ + Δ)]₊ over all y within a reach.
pub(super) fn enumerated(
    law: &impl Fn(i32) -> f64,
    corner: (u32, i32),
    epsilon: f64,
    reach: i32,
) -> f64 {
    let (coordinates, step) = corner;
    let pairs: Vec<(f64, f64)> = (-reach..=reach).map(|y| (law(y), law(y + step))).collect();
    let mut products = vec![(1.0, epsilon.exp())];
    for _ in 1..coordinates {
        let next = products.iter().flat_map(|&(p, q)| {
            let times = move |&(one, other): &(f64, f64)| (p * one, q * other);
            pairs.iter().map(times)
        });
        products = next.collect();
    }
    let last = products.iter().map(|&(p, q)| {
        let excess = |&(one, other): &(f64, f64)| (p * one - q * other).max(0.0);
        pairs.iter().map(excess).sum::<f64>()
    });
    last.sum()
}

/// Whether an enclosure holds a number known to ten digits.
pub(super) fn holds(delta: &Interval, truth: f64) -> bool {
    let (lower, upper) = (delta.lower().to_f64(), delta.upper().to_f64());
    lower <= truth * (1.0 + 1e-10) && truth * (1.0 - 1e-10) <= upper
}

#[test]
fn little_noise_on_three_coordinates_is_enclosed_closely_however_small_delta_is() {
    // As far out as δ of 1e-120.
    for (step, honest, variance, rate) in [
        (1i32, 2, "0.5", "1"),
        (1, 2, "0.3", "14"),
        (2, 3, "0.7", "25"),
        (1, 4, "0.5", "30"),
        (1, 8, "0.4", "20"),
    ] {
        let corner = Corner::new(3, u64::from(step.unsigned_abs())).expect("in range");
        let variance = number(variance);
        let epsilon: Epsilon = rate.parse().expect("an epsilon");
        let truth = {
            let law = law(honest, variance.to_f64());
            enumerated(&law, (3, step), number(rate).to_f64(), 30)
        };
        let known = discrete_gaussian::delta(&variance, &epsilon, &corner).expect("in range");
        let found = composed(&variance, &epsilon, &corner, honest, &known).expect("short");
        assert!(
            holds(&found, truth),
            "{honest} {variance} {rate}: {found} {truth}"
        );
        let width = found.upper().to_f64() / found.lower().to_f64() - 1.0;
        assert!(width < 0.04, "{honest} {variance} {rate}: {width}");
    }
}

#[test]
fn ties_on_two_coordinates_leave_delta_narrow() {
    // A step of h leaves the coset as it is: p(y)·p(T) = γ·p(y+Δ)·p(T+Δ) for every y at one T.
    for (honest, variance, step, ties) in [
        (1u32, 9i64, 1u32, 4i64),
        (1, 4, 3, 9),
        (2, 25, 2, 3),
        (2, 2, 2, 6),
        (3, 6, 3, 9),
    ] {
        let variance = Rational::integer(variance);
        let epsilon = Rational::integer(ties)
            .checked_div(&variance)
            .expect("not by zero");
        let growth = Interval::rational(&epsilon, 192).exp().expect("small");
        let noise = Sum::new(&variance, honest, 192).expect("a law");
        let rate = epsilon.to_f64();
        let found = two_coordinates::delta(&noise, rate, &growth, step, &is_narrow);
        let found = found.expect("a short table");
        let law = law(honest, variance.to_f64());
        let truth = enumerated(&law, (2, i32::try_from(step).expect("small")), rate, 60);
        assert!(
            holds(&found, truth),
            "{honest} {variance} {step}: {found} {truth}"
        );
        assert!(is_narrow(&found), "{honest} {variance} {step}: {found}");
    }
}

/// Noise whose probabilities, but not whose tails, are known to a few percent.
struct Blurred(Sum);

impl Noise for Blurred {
    fn mass(&self, y: &BigInt) -> Option<Interval> {
        let exact = self.0.mass(y)?;
        let part = Interval::rational(&number("0.02"), exact.precision());
        let part = &exact * part;
        Some((&exact - &part).hull(&(exact + part)))
    }

    fn upper_tail(&self, n: &BigInt) -> Option<Interval> {
        self.0.upper_tail(n)
    }

    fn masses(&self, last: u32) -> Option<Vec<Interval>> {
        (0..=last).map(|n| self.mass(&n.into())).collect()
    }

    fn reach(&self, epsilon: f64, step: f64) -> f64 {
        self.0.reach(epsilon, step)
    }
}

#[test]
fn what_may_be_positive_below_the_threshold_counts() {
    // Neighbouring values differ by a quarter of a percent: some thirty are in doubt.
    let variance = number("200");
    for rate in ["0.005", "0.02", "0.1"] {
        let growth = Interval::rational(&number(rate), 128).exp().expect("small");
        let sum = || Sum::new(&variance, 2, 128).expect("a law");
        let step = BigInt::from(2);
        let exact = single(&sum(), &growth, &step).expect("a threshold");
        let found = single(&Blurred(sum()), &growth, &step).expect("a threshold");
        let (exact, lower) = (exact.midpoint(), found.lower().to_f64());
        let found = found.upper().to_f64();
        assert!(
            lower <= exact && exact <= found && found < 1.8 * exact,
            "{rate}: {found} {exact}"
        );
    }
}
