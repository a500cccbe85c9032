//! Draws against exact probabilities by Pearson's chi-square test, and a fault that it finds.

use rand_chacha::ChaCha20Rng;
use rand_core::SeedableRng;
use statrs::distribution::{ChiSquared, ContinuousCDF};

use super::*;
use crate::words::Source;

const DRAWS: u32 = 1 << 21;

/// The p-value of draws against the law of their magnitudes.
fn p_value(law: &dyn Law, mut fill: impl FnMut(&mut ChaCha20Rng, &mut [i64])) -> f64 {
    let mut draws = vec![0; usize::try_from(DRAWS).unwrap()];
    fill(&mut ChaCha20Rng::seed_from_u64(16), &mut draws);
    let mut counts = vec![0_u32; 1 << 12];
    for draw in draws {
        counts[usize::try_from(draw.unsigned_abs()).unwrap()] += 1;
    }
    let probability = law.at(64);
    let (mut statistic, mut cells, mut rest) = (0.0, 0, (f64::from(DRAWS), f64::from(DRAWS)));
    let mut test = |observed: f64, expected: f64| {
        statistic += (observed - expected).powi(2) / expected;
        cells += 1;
    };
    for (magnitude, observed) in (0..).zip(counts) {
        let expected = probability(magnitude).midpoint() * f64::from(DRAWS);
        // The tail is a cell of its own, with 10 draws at least.
        if rest.1 - expected < 10.0 {
            break;
        }
        let observed = f64::from(observed);
        test(observed, expected);
        rest = (rest.0 - observed, rest.1 - expected);
    }
    test(rest.0, rest.1);
    let freedom = f64::from(cells - 1);
    ChiSquared::new(freedom).expect("two cells").sf(statistic)
}

/// The largest p-value that is taken for a fault.
const FALSE_ALARM: f64 = 1e-9;

#[test]
fn draws_follow_the_law() {
    for (magnitude, signed) in symmetric().into_iter().skip(1).step_by(2).take(4) {
        let scan = Scan::symmetric(Arc::clone(&signed)).unwrap();
        let two_pass = TwoPass::symmetric(signed).unwrap();
        for p_value in [
            p_value(&*magnitude, |rng, out| scan.fill(rng, out).unwrap()),
            p_value(&*magnitude, |rng, out| two_pass.fill(rng, out).unwrap()),
        ] {
            assert!(p_value > FALSE_ALARM, "{magnitude:?}: {p_value}");
        }
    }
}

/// A second pass that always draws the likeliest outcome.
#[derive(Debug)]
struct Faulty;

impl Second for Faulty {
    fn positions(&self, _words: &[u64], positions: &mut [i16]) {
        positions.fill(0);
    }

    fn look_up(&self, _word: u64) -> Option<i64> {
        Some(0)
    }

    fn draw_undecided(&self, _source: &mut dyn Source) -> i64 {
        0
    }

    fn undecided(&self) -> u64 {
        0
    }

    fn words(&self) -> (i64, Vec<u64>) {
        (0, vec![u64::MAX])
    }
}

/// A first pass whose last outcomes are one word off.
#[derive(Debug)]
struct Shifted<F>(F);

impl<F: First> First for Shifted<F> {
    fn positions(&self, words: &[i16], positions: &mut [i16]) {
        let words: Vec<i16> = words.iter().map(|word| (word & 0x7fff) / 2 * 2).collect();
        self.0.positions(&words, positions);
    }
}

#[test]
fn a_remainder_of_another_law_and_a_lost_bit_are_caught() {
    let law = Gaussian::new(&rational("26.93942798")).unwrap();
    let magnitude = Magnitude(law.clone());
    let whole = split(&magnitude, 15);
    let two_pass = TwoPass::symmetric(law).unwrap();
    let faulty = Blocks::new(&whole, &two_pass.blocks().first, Faulty).unwrap();
    let caught = p_value(&magnitude, |rng, out| {
        assert_eq!(faulty.fill(rng, out), None)
    });
    assert!(caught < FALSE_ALARM, "{caught}");

    let blocks = two_pass.blocks();
    let shifted = Shifted(&blocks.first);
    let shifted = Blocks::new(&whole, shifted, &blocks.second).unwrap();
    let caught = p_value(&magnitude, |rng, out| {
        assert_eq!(shifted.fill(rng, out), None)
    });
    assert!(caught < FALSE_ALARM, "{caught}");
}
