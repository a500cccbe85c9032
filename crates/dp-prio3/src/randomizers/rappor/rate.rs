//! Which false-positive rate costs next to nothing of δ.

use dp_exact::{Delta, Epsilon, Rational};
use dp_rappor::{SymmetricRappor, WeightLaw, rejection_rate, weight_bound};

use super::Rappor;
use super::rounded::rounded_up;
use crate::Error;
use crate::error::within;

impl Rappor {
    /// A false-positive rate whose dropped reports cost next to nothing at `delta`.
    ///
    /// Let D = min(d, 2w) places contain all ones of two neighbouring measurements, and V be the
    /// weight of a randomized vector outside. What is lost to the bound m is charged with
    /// P(V > m − D), of the client's own report and of each of the others
    /// (`dp_amplification::aggregated_rappor`). The rate is that of the smallest m for which it is at
    /// most a thousandth of δ for every measurement, in three digits; 0, by which nothing is
    /// dropped, where m = d or `delta` is 0.
    ///
    /// # Errors
    ///
    /// As for [`Self::new`].
    pub fn negligible_rate(
        length: usize,
        input_weight: usize,
        epsilon0: Epsilon,
        delta: &Delta,
    ) -> Result<Rational, Error> {
        within("length", length, 1..=dp_rappor::MAX_LENGTH)?;
        within("input_weight", input_weight, 1..=length)?;
        let differing = input_weight.saturating_mul(2).min(length);
        let outside = length - differing;
        if outside == 0 || delta.value().is_zero() {
            return Ok(Rational::zero());
        }
        let rappor = SymmetricRappor::new(epsilon0)?;
        let share = delta.value() * &Rational::new(1, 1000)?;
        let (law, ones) = (WeightLaw::Exact, input_weight.min(outside));
        let rest = weight_bound(&rappor, outside, ones, &share, law)?;
        let bound = differing + rest.bound();
        if bound >= length {
            return Ok(Rational::zero());
        }
        let achieved = rejection_rate(&rappor, length, input_weight, bound, law)?;
        // Of so few digits that it is read with ease, and so many that the bound stays.
        for digits in [3, 6, 12] {
            let Some(rate) = rounded_up(&achieved, digits) else {
                break;
            };
            let again = weight_bound(&rappor, length, input_weight, &rate, law)?;
            if again.bound() == bound {
                return Ok(rate);
            }
        }
        Ok(Rational::zero())
    }
}
