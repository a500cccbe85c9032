//! 10^8 draws of each engine against exact probabilities.

use dp_samplers::{Binomial, DiscreteGaussian, DiscreteLaplace};
use rand_chacha::ChaCha20Rng;

use crate::binomial::cells;
use crate::chi_square::{Cells, FALSE_ALARM, p_value_of_counts, rng};
use crate::distributions::{gaussian_cells, laplace_cells, rational};

const DRAWS: usize = 100_000_000;
/// Draws in a slice.
const SLICE: usize = 4096;

/// The p-value of [`DRAWS`] draws against the cells; `fill` fills a slice with draws.
fn p_value(cells: &Cells, fill: impl Fn(&mut ChaCha20Rng, &mut [i64])) -> f64 {
    let edges = cells.edges.iter().map(|edge| i64::try_from(edge).expect("64 bits"));
    let edges: Vec<i64> = edges.collect();
    let mut observed = vec![0_u32; edges.len() + 1];
    let (mut rng, mut slice) = (rng(800), [0; SLICE]);
    for _ in 0..DRAWS / SLICE {
        fill(&mut rng, &mut slice);
        for draw in slice {
            observed[edges.partition_point(|edge| *edge <= draw)] += 1;
        }
    }
    p_value_of_counts(&observed, &cells.probabilities)
}

#[test]
#[ignore = "10^8 draws of each distribution take minutes"]
fn a_hundred_million_draws_follow_the_exact_distributions() {
    for variance in ["1/4", "547.12623649", "1e6", "1e12"].map(rational) {
        let gaussian = DiscreteGaussian::new(&variance).unwrap();
        let fill = |rng: &mut ChaCha20Rng, out: &mut [i64]| gaussian.fill(rng, out).unwrap();
        let p_value = p_value(&gaussian_cells(&variance), fill);
        assert!(p_value > FALSE_ALARM, "{variance} {p_value}");
    }
    for scale in ["2/5", "2", "20", "65535000"].map(rational) {
        let laplace = DiscreteLaplace::new(&scale).unwrap();
        let fill = |rng: &mut ChaCha20Rng, out: &mut [i64]| laplace.fill(rng, out).unwrap();
        let p_value = p_value(&laplace_cells(&scale), fill);
        assert!(p_value > FALSE_ALARM, "{scale} {p_value}");
    }
    // Deviations of 15 and 149: a scan and rounds. The tails beyond seven deviations are below
    // 1e-11.
    for (trials, outcomes) in [(1000, 225..442), (100_000, 32_233..34_434_u64)] {
        let binomial = Binomial::new(trials, rational("1/3")).unwrap();
        let cells = cells(&binomial, outcomes);
        let fill = |rng: &mut ChaCha20Rng, out: &mut [i64]| binomial.fill(rng, out).unwrap();
        let p_value = p_value(&cells, fill);
        assert!(p_value > FALSE_ALARM, "{trials} {p_value}");
    }
}
