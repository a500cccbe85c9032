//! What a seed expands to: one stream of noise for each law, independent of those of the others.

use dp_samplers::{Binomial, DiscreteGaussian, DiscreteLaplace, Error, Geometric, Seed};

use crate::laws::rational;

/// Draws compared.
const DRAWS: u32 = 5000;

/// Standard deviations that the correlation of independent draws exceeds with probability below
/// 1e-11: a normal tail beyond 7 is 2.6e-12 on both sides, and the excess kurtosis of a product of
/// two draws, at most 33, multiplies it by about e^(33·7⁴/(24·5000)) < 2.
const DEVIATIONS: f64 = 7.0;

fn noise(expand: impl FnOnce(&Seed, &mut [i32]) -> Result<(), Error>) -> Vec<f64> {
    let mut draws = vec![0_i32; usize::try_from(DRAWS).expect("small")];
    expand(&Seed::new(&mut [9; 32]), &mut draws).expect("draws fit");
    draws.into_iter().map(f64::from).collect()
}

fn correlation(one: &[f64], other: &[f64]) -> f64 {
    let mean = |values: &[f64]| values.iter().sum::<f64>() / f64::from(DRAWS);
    let (one_mean, other_mean) = (mean(one), mean(other));
    let product = |one: &[f64], one_mean: f64, other: &[f64], other_mean: f64| -> f64 {
        let pairs = one.iter().zip(other);
        pairs.map(|(a, b)| (a - one_mean) * (b - other_mean)).sum()
    };
    product(one, one_mean, other, other_mean)
        / (product(one, one_mean, one, one_mean) * product(other, other_mean, other, other_mean))
            .sqrt()
}

/// Streams of one seed for laws of every algorithm, and of close parameters.
fn streams() -> Vec<(&'static str, Vec<f64>)> {
    let gaussian = |variance| {
        let law = DiscreteGaussian::new(&rational(variance)).expect("valid");
        noise(|seed, out| law.expand(seed, out))
    };
    let laplace = |scale| {
        let law = DiscreteLaplace::new(&rational(scale)).expect("valid");
        noise(|seed, out| law.expand(seed, out))
    };
    let geometric = |scale| {
        let law = Geometric::new(&rational(scale)).expect("valid");
        noise(|seed, out| law.expand(seed, out))
    };
    let binomial = |trials, probability| {
        let law = Binomial::new(trials, rational(probability)).expect("valid");
        noise(|seed, out| law.expand(seed, out))
    };
    vec![
        ("Gaussian 26.939", gaussian("26.939")),
        ("Gaussian 26.9", gaussian("26.9")),
        (
            "Gaussian 26.9 + 1e-30",
            gaussian("26900000000000000000000000000001e-30"),
        ),
        ("Laplace 3.67", laplace("3.67")),
        ("Laplace 3.66", laplace("3.66")),
        ("geometric 3.67", geometric("3.67")),
        ("binomial 108, 1/2", binomial(108, "1/2")),
        ("binomial 109, 1/2", binomial(109, "1/2")),
        ("binomial 108, 0.499999", binomial(108, "0.499999")),
    ]
}

#[test]
fn one_seed_gives_uncorrelated_noise_for_different_laws() {
    let streams = streams();
    let threshold = DEVIATIONS / f64::from(DRAWS).sqrt();
    for (place, (name, one)) in streams.iter().enumerate() {
        for (other_name, other) in &streams[..place] {
            let correlation = correlation(one, other).abs();
            assert!(
                correlation < threshold,
                "{name}, {other_name}: {correlation}"
            );
        }
    }
}

#[test]
fn one_seed_gives_noise_that_agrees_by_chance_alone_for_close_parameters() {
    let streams = streams();
    // Two draws of standard deviation 5.2 agree with probability near 1/(2√π·5.2) = 0.054: 271 of
    // 5000, of standard deviation 16. Above 400 with probability 1e-15.
    for (one, other) in [(0, 1), (1, 2), (6, 7), (6, 8)] {
        let ((name, one), (other_name, other)) = (&streams[one], &streams[other]);
        let equal = one.iter().zip(other).filter(|(a, b)| a == b).count();
        assert!(equal < 400, "{name}, {other_name}: {equal}");
    }
}

/// A law that expands a seed by the generator's own key, as all did in the first version.
#[test]
fn noise_from_one_generator_state_is_correlated() {
    let gaussian = DiscreteGaussian::new(&rational("26.939")).unwrap();
    let laplace = DiscreteLaplace::new(&rational("3.67")).unwrap();
    let mut draws = [vec![0_i32; 5000], vec![0_i32; 5000]];
    let [one, other] = &mut draws;
    // In slices of a block: the next blocks of the two laws begin at different words.
    for (first, (one, other)) in (0..).zip(one.chunks_mut(250).zip(other.chunks_mut(250))) {
        let seed = Seed::new(&mut [first; 32]);
        gaussian.fill(&mut seed.rng(), one).unwrap();
        laplace.fill(&mut seed.rng(), other).unwrap();
    }
    let [one, other] = draws.map(|draws| draws.into_iter().map(f64::from).collect::<Vec<f64>>());
    assert!(correlation(&one, &other) > 2.0 * DEVIATIONS / f64::from(DRAWS).sqrt());
}

#[test]
fn a_number_has_one_text_however_it_was_written() {
    let parameters = |text| DiscreteGaussian::new(&rational(text)).unwrap().parameters();
    assert_eq!(parameters("26.9"), "variance=269/10");
    assert_eq!(parameters("538/20"), parameters("26.900"));
    assert_eq!(parameters("20"), "variance=20/1");
    assert_eq!(
        Geometric::new(&rational("1e3")).unwrap().parameters(),
        "scale=1000/1"
    );
    assert_eq!(
        Binomial::new(7, rational("0.25")).unwrap().parameters(),
        "trials=7,probability=1/4"
    );
}

#[test]
fn a_longer_slice_begins_with_the_shorter_one() {
    let law = DiscreteLaplace::new(&rational("20")).unwrap();
    let (mut short, mut long) = ([0_i64; 100], [0_i64; 1000]);
    let seed = Seed::new(&mut [9; 32]);
    law.expand(&seed, &mut short).unwrap();
    law.expand(&seed, &mut long).unwrap();
    assert_eq!(short, long[..100]);
}
