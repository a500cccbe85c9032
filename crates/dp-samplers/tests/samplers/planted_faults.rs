//! Wrong samplers. A test of this crate must catch each of them.

use std::convert::Infallible;

use dp_exact::Rational;
use dp_samplers::{BernoulliReal, DiscreteGaussian, DiscreteLaplace};
use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::Signed;
use rand_chacha::ChaCha20Rng;
use rand_core::{Rng as _, TryCryptoRng, TryRng};

use crate::chi_square::{Cells, FALSE_ALARM, p_value, rng};
use crate::distributions::{gaussian_cells, laplace_cells, power_of_two, rational, residue_cells};
use crate::draws::from_slices;

/// ChaCha20 with a function that alters each word and each block of its output.
struct AlteredRng<F>(ChaCha20Rng, F);

impl<F: FnMut(&mut [u8])> TryRng for AlteredRng<F> {
    type Error = Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        unreachable!("the samplers draw whole words")
    }

    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        let mut word = [0; 8];
        self.try_fill_bytes(&mut word)?;
        Ok(u64::from_le_bytes(word))
    }

    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Infallible> {
        self.0.fill_bytes(bytes);
        (self.1)(bytes);
        Ok(())
    }
}

impl<F: FnMut(&mut [u8])> TryCryptoRng for AlteredRng<F> {}

/// Draws of a geometric magnitude, negated with probability `negative`, where −0 counts as 0: a
/// wrong discrete Laplace sampler.
fn signed_magnitude(scale: &Rational, negative: &str) -> impl FnMut() -> BigInt + use<> {
    let laplace = DiscreteLaplace::new(scale).expect("positive");
    let sign = BernoulliReal::new(rational(negative)).expect("a probability");
    let mut rng = rng(700);
    move || {
        // A draw of at least 0 is geometric.
        let mut draws = std::iter::repeat_with(|| laplace.sample(&mut rng));
        let value = draws.find(|draw| !draw.is_negative()).expect("endless");
        if sign.sample(&mut rng) { -value } else { value }
    }
}

/// Fails unless draws of `fault` are found not to be distributed as the cells say.
fn assert_caught(cells: &Cells, name: &str, fault: impl FnMut() -> BigInt) {
    let p_value = p_value(cells, fault);
    assert!(p_value < FALSE_ALARM, "{name}: {p_value}");
}

#[test]
fn wrong_laplace_draws_are_caught() {
    for scale in ["2/5", "2", "20"].map(rational) {
        let twice = signed_magnitude(&scale, "1/2");
        assert_caught(&laplace_cells(&scale), "zero counted twice", twice);
    }
    // At a scale of a million a zero counted twice would not show; only the sign is at fault.
    let scale = rational("1e6");
    assert_caught(&laplace_cells(&scale), "biased sign", signed_magnitude(&scale, "0.46"));
    let mut rng = rng(705);
    let laplace = DiscreteLaplace::new(&power_of_two(60)).unwrap();
    let even = || ((laplace.sample(&mut rng) >> 1_u8) << 1_u8).mod_floor(&BigInt::from(8));
    assert_caught(&residue_cells(), "low bit lost", even);
}

#[test]
fn wrong_gaussian_draws_are_caught() {
    let mut rng = rng(702);
    let gaussian = |variance: &Rational| DiscreteGaussian::new(variance).unwrap();
    for variance in ["1/4", "2", "27", "1e6"].map(rational) {
        let wrong = gaussian(&variance.pow(2));
        let cells = gaussian_cells(&variance);
        assert_caught(&cells, "a variance as deviation", || wrong.sample(&mut rng));
    }
    let cells = gaussian_cells(&rational("27"));
    let right = gaussian(&rational("27"));
    assert_caught(&cells, "a lost sign", || right.sample(&mut rng).abs());
    let proposals = DiscreteLaplace::new(&rational("6")).unwrap();
    assert_caught(&cells, "proposals all accepted", || proposals.sample(&mut rng));
    // The variance of rounding a continuous normal: 1 + 1/12.
    let rounded = gaussian(&rational("13/12"));
    let cells = gaussian_cells(&rational("1"));
    assert_caught(&cells, "a twelfth more variance", || rounded.sample(&mut rng));
}

#[test]
fn a_biased_first_word_is_caught() {
    // One word a draw, and three: the table, the place in the bucket, the comparison.
    for (word, variance) in [(0, rational("27")), (2, power_of_two(80))] {
        let distribution = DiscreteGaussian::new(&variance).unwrap();
        let mut place = word;
        let clear_third = |word: &mut [u8]| {
            place = (place + 1) % 3;
            if place == 0 {
                word[7] &= 0x7f;
            }
        };
        let mut biased = AlteredRng(rng(708), clear_third);
        let cells = gaussian_cells(&variance);
        assert_caught(&cells, "a biased word", || distribution.sample(&mut biased));
    }
}

#[test]
fn proposals_that_are_accepted_too_often_are_caught() {
    // A little more than eight buckets wide.
    for exponent in [34, 74] {
        let variance = rational("65") * power_of_two(exponent);
        let distribution = DiscreteGaussian::new(&variance).unwrap();
        // Each 16-bit U to which a batch compares its proposals loses its top bit.
        let clear_top = |bytes: &mut [u8]| {
            if bytes.len() > 1024 {
                let upper = bytes[..512].iter_mut().skip(1).step_by(2);
                upper.for_each(|byte| *byte &= 0x7f);
            }
        };
        let mut eager = AlteredRng(rng(709), clear_top);
        let draws = from_slices(&distribution, 4096, &mut eager);
        assert_caught(&gaussian_cells(&variance), "eager acceptance", draws);
    }
}
