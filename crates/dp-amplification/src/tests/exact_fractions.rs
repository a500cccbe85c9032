//! The statements of `docs/aggregated-rappor.md` for a few clients in exact fractions, with e^ε₀ an
//! integer: no bound has any tolerance on the side that is safe.

use dp_exact::Rational;
use dp_exact::directed::{Bounds, to_index};

use super::exact;
use crate::bit_odds::BitOdds;
use crate::count_distribution::CountDistribution;
use crate::dataset_envelope::RandomizedBits;
use crate::dominating_curve::DominatingCurve;
use crate::hockey_stick::HockeyStick;

pub(crate) fn point(value: f64) -> Bounds {
    Bounds { lower: value, upper: value }
}

/// Odds of E to 1, exactly.
pub(crate) fn odds(e: impl Into<f64>) -> BitOdds {
    let e: f64 = e.into();
    let inverse_e = if e.log2().fract() == 0.0 {
        point(e.recip())
    } else {
        Bounds { lower: e.recip().next_down(), upper: e.recip().next_up() }
    };
    BitOdds { e: point(e), inverse_e, p: (e + 1.0).recip(), epsilon0: e.ln() }
}

/// The distribution `pmf` of a number with `zeros` and `ones` randomized bits added to it.
fn with_bits(mut pmf: Vec<Rational>, flip: &BitOdds, zeros: u64, ones: u64) -> Vec<Rational> {
    let p = (&exact(flip.e.lower) + &Rational::one()).reciprocal().expect("positive");
    let q = &Rational::one() - &p;
    for bit in 0..zeros + ones {
        let (zero, one) = if bit < zeros { (&q, &p) } else { (&p, &q) };
        let mut next = vec![Rational::zero(); pmf.len() + 1];
        for (k, mass) in pmf.iter().enumerate().filter(|(_, mass)| mass.is_positive()) {
            next[k] = &next[k] + &(mass * zero);
            next[k + 1] = &next[k + 1] + &(mass * one);
        }
        pmf = next;
    }
    pmf
}

/// The distribution of `zeros` and `ones` randomized bits.
fn randomized(flip: &BitOdds, zeros: u64, ones: u64) -> Vec<Rational> {
    with_bits(vec![Rational::one()], flip, zeros, ones)
}

/// Σ (P − αQ)₊ over pairs of probabilities.
pub(crate) fn divergence<'a>(
    pmfs: impl Iterator<Item = (&'a Rational, &'a Rational)>,
    alpha: &Rational,
) -> Rational {
    let excess = pmfs.map(|(p, q)| p - &(alpha * q));
    let positive = excess.filter(Rational::is_positive);
    positive.fold(Rational::zero(), |sum, more| &sum + &more)
}

/// The count with `ones` ones among `others` others and a noise, for a client's bit of 1 and of 0.
pub(crate) fn pair(
    noise: &[Rational],
    flip: &BitOdds,
    own: &BitOdds,
    others: u64,
    ones: u64,
) -> [Vec<Rational>; 2] {
    let count = |zeros, ones| with_bits(noise.to_vec(), flip, zeros, ones);
    let zeros = others - ones;
    if !own.is_known() {
        return [count(zeros, ones + 1), count(zeros + 1, ones)];
    }
    let mut above = count(zeros, ones);
    let mut below = above.clone();
    above.insert(0, Rational::zero());
    below.push(Rational::zero());
    [above, below]
}

/// H_b(α)
fn curve(flip: &BitOdds, own: &BitOdds, others: u64, ones: u64, alpha: &Rational) -> Rational {
    let [p, q] = pair(&[Rational::one()], flip, own, others, ones);
    divergence(p.iter().zip(&q), alpha)
}

#[test]
fn one_factor_brings_all_probabilities_and_tails_between_their_bounds() {
    for (e, zeros, ones) in [
        (2, 0, 0),
        (2, 1, 0),
        (2, 0, 1),
        (2, 7, 5),
        (3, 20, 9),
        (4, 0, 40),
        (64, 30, 3),
        (1024, 2, 25),
    ] {
        let flip = odds(e);
        let pmf = CountDistribution::new(&flip, zeros, ones, 200.0).unwrap();
        let slow = randomized(&flip, zeros, ones);
        let case = format!("{e} {zeros} {ones}");
        let mut tail = Rational::zero();
        let (mut low, mut high) = (exact(pmf.total_lower), exact(pmf.total_upper));
        let mut within = |lower: f64, value: &Rational, upper: f64| {
            low = low.clone().max(exact(lower).checked_div(value).unwrap());
            high = high.clone().min(exact(upper).checked_div(value).unwrap());
        };
        for k in (0..slow.len()).rev() {
            tail = &tail + &slow[k];
            let Some(place) = k.checked_sub(to_index(pmf.first)) else {
                continue;
            };
            if let (Some(&lower), Some(&upper)) = (pmf.lower.get(place), pmf.upper.get(place)) {
                within(lower, &slow[k], upper);
                within(pmf.tail_lower[place], &tail, pmf.tail_upper[place]);
            }
        }
        assert!(low <= high, "{case}");
        assert!(pmf.total_upper <= pmf.total_lower * (1.0 + 1e-12), "{case}");
        // What is read off the distribution.
        let mut below = Rational::zero();
        for (k, here) in slow.iter().enumerate() {
            let k = k as u64;
            let above = &Rational::one() - &below;
            let near = |upper: f64, value: &Rational| {
                let high = value.to_f64() * (1.0 + 1e-11) + 1e-10;
                assert!(exact(upper) >= *value && upper <= high, "{case} {k} {upper}");
            };
            near(pmf.at_least(k), &above);
            let last = &slow[to_index(k)..].iter().take(3);
            let three = last.clone().fold(Rational::zero(), |sum, next| &sum + next);
            near(pmf.within(k, k + 3), &three);
            below = &below + here;
        }
        assert!(pmf.at_least(zeros + ones + 1) <= 1e-60, "{case}");
    }
}

#[test]
fn a_window_that_is_cut_short_bounds_what_is_outside() {
    for (e, zeros, ones, depth) in [(2, 40, 20, 4.0), (3, 20, 50, 2.0), (4, 90, 0, 5.0)] {
        let flip = odds(e);
        let values = CountDistribution::between(&flip, zeros, ones, [depth, depth]).unwrap();
        let slow = randomized(&flip, zeros, ones);
        let from = to_index(values.first);
        assert!(from > 0, "{from}");
        let parts = [&slow[..from], &slow[from + values.lower.len()..]];
        let scale = exact(values.lower[0]).checked_div(&slow[from]).unwrap();
        for (bound, part) in values.outside.into_iter().zip(parts) {
            let rest = part.iter().fold(Rational::zero(), |sum, next| &sum + &(next * &scale));
            assert!(exact(bound) >= rest && rest.is_positive(), "{bound} {rest}");
            assert!(bound <= 3.0 * rest.to_f64(), "{bound} {rest}");
        }
    }
}

#[test]
fn curves_of_one_count_are_exact_up_to_rounding_and_the_line_before_the_best_is_caught() {
    let mut caught = false;
    for (e, others, ones, depth) in [
        (2, 0, 0, 400.0),
        (2, 3, 1, 400.0),
        (4, 9, 9, 400.0),
        (4, 9, 0, 400.0),
        (8, 12, 5, 400.0),
        (3, 25, 20, 400.0),
        // The best half-line begins beyond the window, which holds 0.9 of the probability or less.
        (2, 20, 20, 0.2),
        (4, 30, 0, 0.5),
        (4, 25, 20, 1.5),
    ] {
        let (flip, is_whole) = (odds(e), depth > 100.0);
        let nodes: Vec<f64> = (0..=8 * (e + 1)).map(|i| 1.0 + f64::from(i) / 8.0).collect();
        let near = |value: &Rational| 1e-12 * value.to_f64() + 1e-15;
        for own in [&flip, &BitOdds::known()] {
            let count = HockeyStick::new(&flip, own, others - ones, ones, depth).unwrap();
            assert!(is_whole || count.outcomes() < to_index(others) + 1, "nothing is cut");
            for (&alpha, upper) in nodes.iter().zip(count.upper_at(&nodes)) {
                let value = curve(&flip, own, others, ones, &exact(alpha));
                let case = format!("{e} {others} {ones} {alpha}");
                assert!(exact(upper) >= value, "{case} {upper}");
                assert!(!is_whole || upper <= value.to_f64() + near(&value), "{case} {upper}");
            }
        }
        let count = HockeyStick::new(&flip, &flip, others - ones, ones, depth).unwrap();
        for &alpha in &nodes {
            let value = curve(&flip, &flip, others, ones, &exact(alpha));
            let case = format!("{e} {others} {ones} {alpha}");
            let best = count.best(alpha);
            let line = |t: usize| count.line_lower(alpha, t).max(0.0);
            assert!(exact(line(best)) <= value, "{case} {value}");
            assert!(!is_whole || line(best) >= value.to_f64() - near(&value), "{case} {value}");
            // A planted fault: the best half-line is off by one.
            caught |= is_whole && best > 0 && line(best - 1) < value.to_f64() * (1.0 - 1e-9);
        }
        if !is_whole {
            continue;
        }
        let [p, q] = pair(&[Rational::one()], &flip, &flip, others, ones);
        for s in 0..count.outcomes() {
            let (low, high) = count.outcome(s);
            let place = s + to_index(count.pmf.first);
            assert!(exact(low) <= p[place] && exact(high) >= q[place]);
            assert!(low >= p[place].to_f64() * (1.0 - 1e-12));
            assert!(high <= q[place].to_f64() * (1.0 + 1e-12));
        }
        // Every line is below the curve, on both sides of 1.
        for alpha in [0.25, 0.75, 1.0, 1.5, 2.5, 9.0] {
            let value = curve(&flip, &flip, others, ones, &exact(alpha));
            for t in 0..=count.pmf.lower.len() {
                assert!(exact(count.line_lower(alpha, t)) <= value, "{alpha} {t}");
            }
        }
    }
    assert!(caught);
}

#[test]
fn a_cover_is_above_the_curve_of_every_dataset_however_wide_its_blocks_are() {
    for (e, others, share) in [(2, 9, 600.0), (4, 14, 250.0), (3, 6, 0.0), (8, 0, 500.0)] {
        let flip = odds(e);
        for own in [&flip, &BitOdds::known()] {
            let bits = RandomizedBits { flip: &flip, own, others, depth: 60.0, share };
            for ones in [0..=others, others / 3..=others, 0..=others / 2] {
                let nodes = bits.nodes(&[*ones.end(), others]).unwrap();
                let envelope = bits.envelope(&nodes, ones.clone()).unwrap();
                for (&alpha, &value) in nodes.iter().zip(&envelope).step_by(43) {
                    for b in ones.clone() {
                        let least = curve(&flip, own, others, b, &exact(alpha));
                        assert!(exact(value) >= least, "{e} {others} {b} {alpha}");
                    }
                }
            }
        }
    }
}

#[test]
fn what_is_cut_off_a_curve_and_the_rest_are_not_below_it() {
    let nodes = vec![1.0, 1.5, 2.0, 4.0];
    for values in [[0.5, 0.375, 0.25, 0.125], [0.75, 0.625, 0.5, 0.25], [0.25, 0.125, 0.0, 0.0]] {
        let curve = DominatingCurve::cut(&nodes, &values).unwrap();
        assert!(exact(curve.infinite) >= exact(values[3]));
        let infinite = exact(curve.infinite);
        let kept = &Rational::one() - &infinite;
        let finite = DominatingCurve { infinite: 0.0, ..curve };
        for (&alpha, &value) in nodes.iter().zip(&values) {
            let with = &infinite + &(&kept * &exact(finite.one_count(alpha)));
            // At 1 the chord from the mirror image of the next node is a bound as well.
            assert!(alpha == 1.0 || with >= exact(value), "{values:?} {alpha} {with}");
            assert!(with.to_f64() <= value + 1e-15, "{values:?} {alpha} {with}");
        }
    }
}
