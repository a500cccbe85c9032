//! From where on a promise protects nobody.
//!
//! **ε above 20.** Whoever sees the outcome may have the odds between two measurements of a client
//! multiplied by e^ε, and e^20 = 485 165 195: enough to tell one person from all others of a
//! continent with certainty for every purpose. **δ above 1/1000.** A mechanism that publishes each
//! measurement in full with probability δ keeps (0, δ): of a batch of a thousand it betrays one
//! person on average. A budget in another currency is converted to the ε at the δ that is asked for.

use dp_calibration::{Budget, conversion, zcdp};
use dp_exact::{Delta, Rational};

/// The largest ε that is taken for a protection.
pub const MAX_MEANINGFUL_EPSILON: u64 = 20;

/// The reciprocal of the largest δ that is taken for a protection: 1/1000.
pub const MAX_MEANINGFUL_DELTA_RECIPROCAL: u64 = 1_000;

/// What is said of a promise beyond these.
pub const WEAK: &str = "This protects nobody: its epsilon is above 20 or its delta above 0.001.";

/// Whether a budget is so weak that it protects nobody: its ε is above
/// [`MAX_MEANINGFUL_EPSILON`] or its δ above 1/[`MAX_MEANINGFUL_DELTA_RECIPROCAL`]. A
/// zero-concentrated or a Rényi budget is judged by the ε to which it converts at `delta`, or at
/// 1/1000 if `delta` is 0; one that cannot be converted is not vouched for.
#[must_use]
pub fn protects_nobody(budget: &Budget, delta: &Delta) -> bool {
    let large = |epsilon: &Rational| *epsilon > Rational::from(MAX_MEANINGFUL_EPSILON);
    let at = if delta.value().is_zero() {
        largest_delta()
    } else {
        Some(delta.clone())
    };
    let converted = match (budget, at) {
        (Budget::Pure { epsilon }, _) => return large(epsilon.value()),
        (Budget::Approximate { epsilon, delta }, _) => {
            return large(epsilon.value()) || is_large(delta);
        }
        // The looser conversion is much quicker, and mostly enough.
        (Budget::ZeroConcentrated { rho }, Some(at)) => match zcdp::epsilon(rho, &at) {
            Ok(loose) if !large(&loose) => Ok(is_large(&at)),
            _ => {
                conversion::rho_to_epsilon(rho, &at).map(|epsilon| large(&epsilon) || is_large(&at))
            }
        },
        (Budget::Renyi { alpha, tau }, Some(at)) => conversion::renyi_to_epsilon(alpha, tau, &at)
            .map(|epsilon| large(&epsilon) || is_large(&at)),
        (_, None) => return true,
    };
    converted.unwrap_or(true)
}

fn is_large(delta: &Delta) -> bool {
    delta.value() * &Rational::from(MAX_MEANINGFUL_DELTA_RECIPROCAL) > Rational::one()
}

fn largest_delta() -> Option<Delta> {
    let value = Rational::from(MAX_MEANINGFUL_DELTA_RECIPROCAL).reciprocal()?;
    Delta::new(value).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ceilings_are_20_and_a_thousandth() {
        let delta = |text: &str| text.parse::<Delta>().expect("a delta");
        let pure = |text: &str| Budget::Pure {
            epsilon: text.parse().expect("an epsilon"),
        };
        let both = |epsilon: &str, slack: &str| Budget::Approximate {
            epsilon: epsilon.parse().expect("an epsilon"),
            delta: delta(slack),
        };
        let rho = |text: &str| Budget::ZeroConcentrated {
            rho: text.parse().expect("a rho"),
        };
        let at = delta("1e-9");
        for (budget, weak) in [
            (pure("20"), false),
            (pure("20.0000000001"), true),
            (pure("1e1000"), true),
            (both("1", "1e-3"), false),
            (both("1", "0.0010000001"), true),
            (both("21", "1e-9"), true),
            (rho("1"), false),
            (rho("20"), true),
            (rho("1e1000"), true),
            (
                Budget::renyi("2".parse().expect("an order"), "5".parse().expect("tau"))
                    .expect("in range"),
                true,
            ),
            (
                Budget::renyi("20".parse().expect("an order"), "1".parse().expect("tau"))
                    .expect("in range"),
                false,
            ),
        ] {
            assert_eq!(protects_nobody(&budget, &at), weak, "{budget}");
        }
        // At a delta above the ceiling nothing is promised to speak of.
        assert!(protects_nobody(&rho("1/8"), &delta("1/2")));
        assert!(!protects_nobody(&rho("1/8"), &delta("0")));
    }
}
