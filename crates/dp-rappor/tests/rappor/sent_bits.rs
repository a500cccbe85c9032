//! The bits of sent reports, beside all outputs of all inputs.

use dp_rappor::SymmetricRappor;

use crate::support::rappor;

/// The probability that a sent report of `input` has a one at `place`, by enumeration.
fn enumerated(rappor: &SymmetricRappor, input: u32, length: u32, bound: u32, place: u32) -> f64 {
    let sent = || (0..1_u32 << length).filter(|output| output.count_ones() <= bound);
    let probability =
        |output: u32| rappor.probability((output ^ input).count_ones(), length, 64).midpoint();
    let ones = sent().filter(|output| output >> place & 1 == 1);
    ones.map(probability).sum::<f64>() / sent().map(probability).sum::<f64>()
}

/// Every weight is within the spread of the middle, and one is as far off as that.
#[test]
fn bits_of_sent_reports_are_one_as_often_as_stated_for_every_weight() {
    for epsilon0 in ["1/10", "1", "3"] {
        let rappor = rappor(epsilon0);
        for (length, bound) in (1..=5_u32).flat_map(|length| (1..=length).map(move |m| (length, m)))
        {
            for (lightest, heaviest) in
                (1..=length).flat_map(|heaviest| (0..=heaviest).map(move |least| (least, heaviest)))
            {
                let weights = [lightest, heaviest].map(|weight| usize::try_from(weight).unwrap());
                let [d, m] = [length, bound].map(|number| usize::try_from(number).unwrap());
                let bits = rappor.sent_bits(d, weights, m).unwrap();
                let mut farthest = 0.0_f64;
                for weight in lightest..=heaviest {
                    let input = (1 << weight) - 1;
                    let one = |place| enumerated(&rappor, input, length, bound, place);
                    let of_set = (weight > 0).then(|| (one(0) - bits.held).abs());
                    let of_unset = (weight < length).then(|| (one(length - 1) - bits.other).abs());
                    let off = of_set.into_iter().chain(of_unset);
                    farthest = off.fold(farthest, f64::max);
                }
                let off = (farthest - bits.spread).abs();
                assert!(off < 1e-8, "{epsilon0} {length} {bound} {weights:?}: {off}");
            }
        }
    }
}

#[test]
fn weights_and_bounds_without_a_meaning_are_refused() {
    for (weights, bound) in [([2, 1], 3), ([0, 0], 3), ([0, 6], 3), ([0, 1], 0)] {
        assert!(rappor("1").sent_bits(5, weights, bound).is_err());
    }
}
