//! The statements of `docs/hedging.md` for a few clients in exact fractions, with e^ε₀ and e^(1/t) powers of two:
//! no bound has any tolerance on the side that is safe.

use super::*;
use crate::aggregated_rappor::attained::Attained;
use crate::hedged::cover::{Datasets, Widths, cover};
use crate::hedged::hiding::Hiding;
use crate::hedged::noise::Noise;
use dp_exact::directed::Bounds;

fn exact(value: f64) -> Rational {
    Rational::from_f64(value).expect("finite")
}

fn fraction(numerator: i64, denominator: i64) -> Rational {
    let denominator = Rational::integer(denominator);
    let fraction = Rational::integer(numerator).checked_div(&denominator);
    fraction.expect("not by zero")
}

fn point(value: f64) -> Bounds {
    Bounds {
        lower: value,
        upper: value,
    }
}

/// Odds of E to 1 for a power of two.
fn odds(e: f64) -> Flip {
    Flip {
        e: point(e),
        inverse_e: point(e.recip()),
        p: (e + 1.0).recip(),
        epsilon0: e.ln(),
    }
}

/// Laws on the integers from −`REACH` on, far enough for all that is tested.
const REACH: usize = 90;

/// The law of so many discrete Laplace values with r = 1/2, but for less than 2^−80.
fn halves(summands: u32) -> Vec<Rational> {
    let reach = i64::try_from(REACH).expect("small");
    let half = |y: i64| fraction(1, 2).pow(u32::try_from(y.abs()).expect("small"));
    let law = (-reach..=reach).map(|y| {
        // c = (1 − r)/(1 + r), and c²·r^|s|·(|s| + 1 + 2r²/(1 − r²)) for two of them.
        let shape = match summands {
            1 => fraction(1, 3),
            _ => &fraction(1, 9) * &fraction(3 * y.abs() + 5, 3),
        };
        &half(y) * &shape
    });
    law.collect()
}

/// The law of two bits with even odds less one: a law on −1, 0, 1.
fn hump() -> Vec<Rational> {
    let mut law = vec![Rational::zero(); 2 * REACH + 1];
    law[REACH - 1] = fraction(1, 4);
    law[REACH] = fraction(1, 2);
    law[REACH + 1] = fraction(1, 4);
    law
}

fn with_bits(mut law: Vec<Rational>, flip: &Flip, zeros: u64, ones: u64) -> Vec<Rational> {
    let p = (&exact(flip.e.lower) + &Rational::one())
        .reciprocal()
        .expect("positive");
    let q = &Rational::one() - &p;
    for bit in 0..zeros + ones {
        let (zero, one) = if bit < zeros { (&q, &p) } else { (&p, &q) };
        let mut next = vec![Rational::zero(); law.len() + 1];
        for (k, mass) in law
            .iter()
            .enumerate()
            .filter(|(_, mass)| mass.is_positive())
        {
            next[k] = &next[k] + &(mass * zero);
            next[k + 1] = &next[k + 1] + &(mass * one);
        }
        law = next;
    }
    law
}

/// P and Q of the count with `ones` ones among `others` others.
fn laws(noise: &[Rational], flip: &Flip, others: u64, ones: u64) -> [Vec<Rational>; 2] {
    let zeros = others - ones;
    [
        with_bits(noise.to_vec(), flip, zeros, ones + 1),
        with_bits(noise.to_vec(), flip, zeros + 1, ones),
    ]
}

/// Σ (P − αQ)₊
fn divergence([p, q]: &[Vec<Rational>; 2], alpha: &Rational) -> Rational {
    let excess = p.iter().zip(q).map(|(p, q)| p - &(alpha * q));
    let positive = excess.filter(Rational::is_positive);
    positive.fold(Rational::zero(), |sum, more| &sum + &more)
}

fn product(one: &[Vec<Rational>; 2], other: &[Vec<Rational>; 2]) -> [Vec<Rational>; 2] {
    [0, 1].map(|side| {
        let (one, other) = (&one[side], &other[side]);
        let pairs = one.iter().flat_map(|p| other.iter().map(move |r| p * r));
        pairs.collect()
    })
}

/// A window of −1, 0, 1, and what is outside of it: −12 and 12, with the probability `missing` in all.
fn cut(missing: f64) -> (Noise, Vec<Rational>) {
    let window = Window {
        values: vec![1.0, 2.0, 1.0],
        spread: 0.0,
        missing,
    };
    let inside = &Rational::one() - &exact(missing);
    let mut law: Vec<Rational> = hump().iter().map(|mass| mass * &inside).collect();
    let half = &exact(missing) * &fraction(1, 2);
    law[REACH - 12] = half.clone();
    law[REACH + 12] = half;
    (Noise::Known(window), law)
}

fn settings() -> Vec<(Noise, Vec<Rational>, f64)> {
    let laplace = |summands, depth| {
        let noise = Noise::Laplace {
            ratio: point(0.5),
            summands,
        };
        (noise, halves(summands), depth)
    };
    let known = |missing| {
        let (noise, law) = cut(missing);
        (noise, law, 60.0)
    };
    let absent = vec![Rational::one()];
    vec![
        (Noise::Absent, absent, 60.0),
        laplace(1, 40.0),
        laplace(1, 5.0),
        laplace(2, 40.0),
        laplace(2, 4.0),
        known(0.0),
        known(0.0625),
    ]
}

fn hiding(flip: &Flip, noise: Noise, depth: f64) -> Hiding<'_> {
    let e = flip.e.upper;
    let largest_ratio = if noise.is_laplace() {
        (e + 0.5) / (1.0 + e * 0.5)
    } else {
        e
    };
    Hiding {
        flip,
        noise,
        depth,
        largest_ratio: largest_ratio.next_up(),
    }
}

#[test]
fn one_count_with_noise_is_bounded_whatever_is_cut_off() {
    for (e, others, ones) in [(2.0, 0, 0), (4.0, 3, 1), (2.0, 9, 9), (8.0, 12, 0)] {
        let flip = odds(e);
        for (noise, law, depth) in settings() {
            let hiding = hiding(&flip, noise, depth);
            let hidden = hiding.count(others - ones, ones).unwrap();
            let pair = laws(&law, &flip, others, ones);
            let nodes: Vec<f64> = (0..40)
                .map(|i| 1.0 + f64::from(i) / 32.0)
                .take_while(|&alpha| alpha < hiding.largest_ratio)
                .collect();
            let upper = hiding.upper_at(&hidden, &nodes);
            for (&alpha, &upper) in nodes.iter().zip(&upper) {
                let value = divergence(&pair, &exact(alpha));
                let case = format!("{e} {others} {ones} {depth} {alpha}: {upper} {value}");
                assert!(exact(upper) >= value, "{case}");
                // (1 − η)·H(α | A) ≤ H(α) + αη
                let most = value.to_f64() + 3.0 * hidden.missing;
                assert!(upper <= most / (1.0 - hidden.missing) + 1e-9, "{case}");
            }
            assert_eq!(hiding.upper_at(&hidden, &[hiding.largest_ratio]), [0.0]);
        }
    }
}

#[test]
fn the_largest_loss_of_a_count_is_never_exceeded_and_is_approached() {
    for e in [2.0, 8.0] {
        let flip = odds(e);
        let ratio = &(&exact(e) + &fraction(1, 2))
            .checked_div(&(&Rational::one() + &(&exact(e) * &fraction(1, 2))))
            .unwrap();
        for (others, ones) in [(0, 0), (3, 2), (5, 5)] {
            for summands in [1, 2] {
                let [p, q] = laws(&halves(summands), &flip, others, ones);
                // Beyond the table's own ends.
                let ratios = (40..p.len() - 40).map(|s| p[s].checked_div(&q[s]).unwrap());
                let largest = ratios.max().unwrap();
                assert!(largest <= *ratio, "{e} {others} {largest}");
                assert!(
                    largest.to_f64() >= ratio.to_f64() * 0.98,
                    "{largest} {ratio}"
                );
            }
        }
    }
}

#[test]
fn windows_lose_no_probability() {
    for (e, zeros, ones) in [(2.0, 0, 0), (2.0, 5, 3), (4.0, 20, 4)] {
        let flip = odds(e);
        for summands in [1, 2] {
            for depth in [2.0, 3.0, 6.0] {
                let bits = CountValues::between(&flip, zeros, ones, [60.0, 60.0]).unwrap();
                let bits = Window::of_count(bits, 60.0).unwrap();
                let noise = Noise::Laplace {
                    ratio: point(0.5),
                    summands,
                };
                let sum = noise.added_to(bits, depth).unwrap();
                let law = with_bits(halves(summands), &flip, zeros, ones);
                let sums = law.windows(sum.values.len()).map(|part| {
                    let total = part.iter().fold(Rational::zero(), |sum, next| &sum + next);
                    (&Rational::one() - &total).to_f64()
                });
                // Where the window lies is not kept: nowhere is less outside.
                let least = sums.fold(1.0, f64::min);
                let case = format!("{e} {zeros} {ones} {summands} {depth}");
                assert!(sum.missing >= least * (1.0 - 1e-9), "{case} {least}");
                // Each pass cuts either side where e^−depth would be exceeded.
                let most = 2.0 * f64::from(summands) * (-depth).exp() + 1e-12;
                assert!(sum.missing <= 2.0 * most, "{case} {}", sum.missing);
                assert!(least > 1e-6, "{case}: nothing was cut");
            }
        }
    }
}

#[test]
fn blocks_with_noise_cover_every_dataset() {
    let others = 11;
    for (noise, law, depth) in settings().into_iter().skip(1).step_by(2) {
        let flip = odds(4.0);
        let hiding = hiding(&flip, noise, depth.max(40.0));
        for ones in [0..=11, 2..=7, 0..=0] {
            let datasets = Datasets {
                others,
                ones: ones.clone(),
                effective: 14.0,
            };
            let widths = Widths {
                tightest: 1,
                widest: 4,
                slack: 0.05,
            };
            let nodes = [1.0, 1.0625, 1.25, 1.375, 1.5, 2.0, 3.0, 4.0];
            let cover = cover(&hiding, &datasets, &nodes, widths).unwrap();
            let mut left = ones.end() + 1;
            for block in &cover.blocks {
                assert_eq!(block.highest + 1, left);
                left = block.lowest;
                for b in block.lowest..=block.highest {
                    let pair = laws(&law, &flip, others, b);
                    for (&alpha, &value) in nodes.iter().zip(&block.values) {
                        let least = divergence(&pair, &exact(alpha));
                        // The table of noise ends at 2^−80.
                        let short = fraction(1, 2).pow(70);
                        assert!(&exact(value) + &short >= least, "{b} {alpha} {value}");
                    }
                }
            }
            assert_eq!(left, *ones.start());
        }
    }
}

#[test]
fn what_a_dataset_attains_with_a_cut_window_is_attained() {
    let flip = odds(4.0);
    let (noise, law) = cut(0.0078125);
    let hiding = hiding(&flip, noise, 60.0);
    let others = 3;
    let count = |ones: u64| hiding.count(others - ones, ones).unwrap();
    for (b, c) in [(3, 3), (2, 0), (0, 1)] {
        let missing = count(b).missing + count(c).missing;
        let both = product(&laws(&law, &flip, others, b), &laws(&law, &flip, others, c));
        let inside = Attained::of(count(b).count, Some(count(c).count));
        let case = crate::hedged::joint::Case::new(count(b), Some(count(c)));
        for alpha in [1.0, 1.5, 2.0, 4.0, 6.0, 9.0] {
            let value = divergence(&both, &exact(alpha));
            let lower = case.delta(alpha);
            assert!(exact(lower) <= value, "{b} {c} {alpha} {lower} {value}");
            let least = inside.delta(alpha) * (1.0 - missing) - alpha * missing;
            assert!(lower >= least - 1e-12, "{lower} {least}");
        }
    }
}

#[test]
fn a_pair_of_two_counts_is_that_of_their_laws() {
    // All others are known, so that one dataset is left and nothing is given away.
    let (noise, law) = cut(0.0);
    for e in [2.0, 8.0] {
        let flip = odds(e);
        for (others, ones) in [(0u64, 0u64), (2, 0), (3, 3), (3, 1)] {
            let hiding = hiding(&flip, noise.clone(), 60.0);
            let mut nodes: Vec<f64> = Vec::new();
            for ones in [ones, others - ones] {
                let [p, q] = laws(&law, &flip, others, ones);
                let ratios = p.iter().zip(&q).filter_map(|(p, q)| p.checked_div(q));
                nodes.extend(ratios.flat_map(|ratio| {
                    let ratio = ratio.to_f64();
                    [ratio, ratio.recip()]
                }));
            }
            nodes.retain(|&ratio| ratio > 1.0 + 1e-9 && ratio < e * (1.0 - 1e-9));
            nodes.extend([1.0, hiding.largest_ratio]);
            nodes.sort_by(f64::total_cmp);
            nodes.dedup_by(|a, b| *a <= *b * (1.0 + 1e-9));
            let at = |ones: u64| {
                let hidden = hiding.count(others - ones, ones).unwrap();
                hiding.upper_at(&hidden, &nodes)
            };
            let pair = Pair::new(&nodes, &at(ones), &at(others - ones)).unwrap();
            let leaves = laws(&law, &flip, others, ones);
            let joins = laws(&law, &flip, others, others - ones);
            let both = product(&leaves, &joins);
            for alpha in [1.0, 1.125, 1.5, 2.0, 3.5, 5.0, 20.0, 63.0] {
                let value = divergence(&both, &exact(alpha)).to_f64();
                let upper = pair.two(alpha);
                let case = format!("{e} {others} {ones} {alpha}: {upper} {value}");
                assert!(upper >= value * (1.0 - 1e-12), "{case}");
                assert!(upper <= value * (1.0 + 1e-7) + 1e-12, "{case}");
                let one = divergence(&leaves, &exact(alpha)).max(divergence(&joins, &exact(alpha)));
                assert!(pair.one(alpha) >= one.to_f64() * (1.0 - 1e-12), "{case}");
            }
        }
    }
}

#[test]
fn gaussian_windows_count_both_sides_and_a_ripple_widens_them() {
    for variance in [2.0, 9.0, 40.0f64] {
        let weight = |y: i32| (-f64::from(y * y) / (2.0 * variance)).exp();
        let total: f64 = (-200..=200).map(weight).sum();
        for depth in [3.0, 4.0, 5.0] {
            let exact = Rational::from_f64(variance).unwrap();
            let Some(Noise::Known(window)) = Noise::gaussian(&exact, 1, depth) else {
                panic!("a window");
            };
            let half = i32::try_from(window.values.len() / 2).unwrap();
            assert_eq!(window.values.len() % 2, 1);
            let inside: f64 = (-half..=half).map(weight).sum();
            let outside = 1.0 - inside / total;
            assert!(
                window.missing >= outside * (1.0 - 1e-9),
                "{variance} {depth} {outside}"
            );
            let rippled = window.clone().rippled(0.25);
            assert!(rippled.spread >= 1.25 / 0.75 - 1.0);
            assert!(rippled.missing >= window.missing * (1.25 / 0.75));
        }
    }
}
