//! Accuracy: quantiles against enumeration, bounds for all coordinates at once, and inverses.

use crate::common::number;
use dp_calibration::utility::{
    DebiasedRappor, TotalNoise, continuous_laplace_bound, gaussian_variance, laplace_scale,
    rappor_clients, rappor_epsilon0,
};
use dp_calibration::{WorstCaseDifference, discrete_gaussian, discrete_laplace};
use dp_exact::Epsilon;
use num_bigint::BigUint;

fn laplace(scale: &str) -> TotalNoise {
    TotalNoise::laplace(number(scale)).expect("in range")
}

fn gaussian(variance: &str) -> TotalNoise {
    TotalNoise::gaussian(number(variance)).expect("in range")
}

fn epsilon(text: &str) -> Epsilon {
    text.parse().expect("an epsilon")
}

fn at(value: u64) -> BigUint {
    value.into()
}

#[test]
fn the_example_of_the_lecture_notes_doubles_under_replacement() {
    let notes = continuous_laplace_bound(1.0, 10_000, 0.05);
    assert!((notes - 200_000f64.ln()).abs() < 1e-12 && (notes - 12.206).abs() < 1e-3);
    let replaced = continuous_laplace_bound(2.0, 10_000, 0.05);
    assert!((replaced - 2.0 * notes).abs() < 1e-12);
    // Discrete noise, exactly and by the union bound.
    let beta = number("0.05");
    let added = laplace("1");
    assert_eq!(added.union_bound(10_000, &beta).unwrap(), at(12));
    assert_eq!(added.simultaneous(10_000, &beta).unwrap(), at(12));
    let replaced = laplace("2");
    assert_eq!(replaced.union_bound(10_000, &beta).unwrap(), at(24));
    // With scale 1 for replacement, what is guaranteed for 12 would be broken.
    assert!(!replaced.tail(&at(12)).unwrap().upper().cmp_rational(&number("5e-6")).is_le());
}

/// P(|X| > m) from the unnormalized weights.
fn enumerated(bell: impl Fn(f64) -> f64, bound: u32) -> f64 {
    let weights: Vec<f64> =
        (0..4000).map(|x| bell(f64::from(x)) * if x == 0 { 1.0 } else { 2.0 }).collect();
    let total: f64 = weights.iter().sum();
    let start = usize::try_from(bound).expect("small") + 1;
    weights[start..].iter().sum::<f64>() / total
}

#[test]
fn tails_quantiles_and_deviations_are_those_of_enumeration() {
    for parameter in ["0.3", "1", "7.5", "60"] {
        let value = number(parameter).to_f64();
        let exponential = |x: f64| (-x / value).exp();
        let normal = |x: f64| (-x * x / (2.0 * value)).exp();
        for bound in [0, 1, 5, 20] {
            let pairs = [
                (laplace(parameter), enumerated(exponential, bound)),
                (gaussian(parameter), enumerated(normal, bound)),
            ];
            for (noise, slow) in pairs {
                let tail = noise.tail(&bound.into()).unwrap().midpoint();
                assert!((tail - slow).abs() <= 1e-12 * slow + 1e-300, "{noise:?} {bound}");
            }
        }
        let variance = |bell: &dyn Fn(f64) -> f64| {
            let (total, square) = (-4000..=4000)
                .map(f64::from)
                .fold((0.0, 0.0), |sum, x| (sum.0 + bell(x.abs()), sum.1 + x * x * bell(x.abs())));
            (square / total).sqrt()
        };
        let deviations = [
            (laplace(parameter).standard_deviation(), variance(&exponential)),
            (gaussian(parameter).standard_deviation(), variance(&normal)),
        ];
        for (found, slow) in deviations {
            assert!((found / slow - 1.0).abs() < 1e-9, "{parameter}: {found} {slow}");
        }
    }
}

/// P(|S| > m) for the sum of several draws, by convolution.
fn convolved(bell: impl Fn(f64) -> f64, draws: u32, bound: u32) -> f64 {
    const REACH: i32 = 250;
    let single: Vec<f64> = (-REACH..=REACH).map(|x| bell(f64::from(x))).collect();
    let total: f64 = single.iter().sum();
    let mut law = vec![1.0];
    for _ in 0..draws {
        let mut next = vec![0.0; law.len() + single.len() - 1];
        for (place, mass) in law.iter().enumerate() {
            for (sum, one) in next[place..].iter_mut().zip(&single) {
                *sum += mass * one / total;
            }
        }
        law = next;
    }
    let middle = law.len() / 2;
    let outside = |place: usize| place.abs_diff(middle) > usize::try_from(bound).expect("small");
    let tail = law.iter().enumerate().filter(|(place, _)| outside(*place));
    tail.map(|(_, mass)| mass).sum()
}

#[test]
fn the_error_of_several_aggregators_is_that_of_convolution() {
    for (parameter, draws) in [("0.3", 2), ("2", 3), ("7.5", 2), ("4", 5)] {
        let value = number(parameter).to_f64();
        for bound in [0, 3, 17] {
            let pairs = [
                (laplace(parameter), convolved(|x| (-x.abs() / value).exp(), draws, bound)),
                (gaussian(parameter), convolved(|x| (-x * x / (2.0 * value)).exp(), draws, bound)),
            ];
            for (noise, slow) in pairs {
                let noise = noise.from_each_of(draws).unwrap();
                let tail = noise.tail(&bound.into()).unwrap().midpoint();
                assert!(
                    (tail - slow).abs() <= 1e-11 * slow + 1e-15,
                    "{noise:?} {bound}: {tail} {slow}"
                );
            }
        }
    }
}

#[test]
fn a_second_aggregator_widens_every_error_bound() {
    let beta = number("0.05");
    for noise in [laplace("20"), gaussian("400"), gaussian("1e20"), laplace("1e12")] {
        let two = noise.clone().from_each_of(2).unwrap();
        assert!(
            (two.standard_deviation() / noise.standard_deviation() - 2f64.sqrt()).abs() < 1e-12
        );
        for coordinates in [1, 1000] {
            let bounds = [&noise, &two].map(|noise| noise.simultaneous(coordinates, &beta));
            let [one, both] = bounds.map(|bound| bound.unwrap());
            let ratio =
                both.to_string().parse::<f64>().unwrap() / one.to_string().parse::<f64>().unwrap();
            assert!(ratio > 1.15 && ratio < 1.5, "{noise:?}: {one} {both}");
        }
    }
}

#[test]
fn the_noise_of_each_of_several_aggregators_is_the_largest_for_an_accuracy() {
    let (bound, beta) = (at(40), number("0.05"));
    let fits = |noise: Result<TotalNoise, dp_calibration::Error>| {
        let noise = noise.and_then(|noise| noise.from_each_of(3)).unwrap();
        noise.simultaneous(1000, &beta).unwrap() <= bound
    };
    let more = number("1.00000000001");
    let scale = laplace_scale(3, &bound, 1000, &beta).unwrap();
    assert!(fits(TotalNoise::laplace(scale.clone())) && !fits(TotalNoise::laplace(scale * &more)));
    let variance = gaussian_variance(3, &bound, 1000, &beta).unwrap();
    assert!(
        fits(TotalNoise::gaussian(variance.clone()))
            && !fits(TotalNoise::gaussian(variance * &more))
    );
    assert!(laplace("1").from_each_of(0).is_err() && laplace("1").from_each_of(65).is_err());
}

#[test]
fn a_quantile_is_the_least_bound_that_holds() {
    for noise in [laplace("3"), laplace("1e6"), gaussian("40"), gaussian("1e12"), gaussian("0.01")]
    {
        for beta in ["0.5", "0.05", "1e-9"] {
            let bound = noise.quantile(&number(beta)).unwrap();
            assert!(noise.tail(&bound).unwrap().upper().cmp_rational(&number(beta)).is_le());
            if bound > at(0) {
                let closer = noise.tail(&(bound - 1u32)).unwrap();
                assert!(closer.lower().cmp_rational(&number(beta)).is_gt());
            }
        }
    }
}

#[test]
fn the_noise_for_a_wanted_accuracy_is_the_largest() {
    let (bound, beta) = (at(40), number("0.05"));
    let scale = laplace_scale(1, &bound, 1000, &beta).unwrap();
    let larger = &scale * &number("1.00000000001");
    assert!(TotalNoise::laplace(scale).unwrap().simultaneous(1000, &beta).unwrap() <= bound);
    assert!(TotalNoise::laplace(larger).unwrap().simultaneous(1000, &beta).unwrap() > bound);
    let variance = gaussian_variance(1, &bound, 1000, &beta).unwrap();
    let larger = &variance * &number("1.00000000001");
    assert!(
        TotalNoise::gaussian(variance.clone()).unwrap().simultaneous(1000, &beta).unwrap() <= bound
    );
    assert!(TotalNoise::gaussian(larger).unwrap().simultaneous(1000, &beta).unwrap() > bound);
    // And the ε that it costs.
    let slack = "1e-9".parse().unwrap();
    let cost =
        discrete_gaussian::epsilon(&variance, &slack, &WorstCaseDifference::one_hot()).unwrap();
    let delta =
        |rate| discrete_gaussian::delta(&variance, &rate, &WorstCaseDifference::one_hot()).unwrap();
    let spent = delta(Epsilon::new(cost.clone()).unwrap());
    assert!(spent.upper().cmp_rational(slack.value()).is_le());
    let less = delta(Epsilon::new(cost * number("0.999999999")).unwrap());
    assert!(less.lower().cmp_rational(slack.value()).is_gt());
}

#[test]
fn epsilon_is_the_inverse_of_calibration() {
    let slack = "1e-6".parse().unwrap();
    for difference in [
        WorstCaseDifference::one(),
        WorstCaseDifference::one_hot(),
        WorstCaseDifference::new(12, 5u32).unwrap(),
    ] {
        let noise = discrete_gaussian::calibrate(&epsilon("0.8"), &slack, &difference).unwrap();
        let back = discrete_gaussian::epsilon(&noise.variance, &slack, &difference).unwrap();
        assert!((back.to_f64() / 0.8 - 1.0).abs() < 1e-10, "{back}");
        let noise = discrete_laplace::calibrate(&epsilon("0.8"), &slack, &difference).unwrap();
        let back = discrete_laplace::epsilon(&noise.scale, &slack, &difference).unwrap();
        assert!((back.to_f64() / 0.8 - 1.0).abs() < 1e-10, "{back}");
    }
    let pure = discrete_laplace::epsilon(
        &number("4"),
        &"0".parse().unwrap(),
        &WorstCaseDifference::one_hot(),
    );
    assert_eq!(pure.unwrap(), number("0.5"));
}

/// The law of the total by convolution, bit by bit.
fn totals(clients: u64, count: u64, rate: f64) -> Vec<f64> {
    let p = (rate.exp() + 1.0).recip();
    let mut law = vec![1.0];
    for client in 0..clients {
        let one = if client < count { 1.0 - p } else { p };
        let mut next = vec![0.0; law.len() + 1];
        for (total, mass) in law.iter().enumerate() {
            next[total] += mass * (1.0 - one);
            next[total + 1] += mass * one;
        }
        law = next;
    }
    law
}

#[test]
fn the_error_of_a_debiased_count_is_that_of_convolution() {
    for (clients, count, rate) in [
        (1, 0, "1"),
        (60, 0, "2"),
        (200, 77, "1"),
        (300, 300, "0.5"),
        (1000, 0, "3"),
        (2000, 1990, "5"),
    ] {
        let value = number(rate).to_f64();
        let estimate = DebiasedRappor::new(clients, &epsilon(rate), count).unwrap();
        let law = totals(clients, count, value);
        let debias = |total: usize| {
            let total = f64::from(u32::try_from(total).expect("small"));
            let clients = f64::from(u32::try_from(clients).expect("small"));
            (total * (value.exp() + 1.0) - clients) / (value.exp() - 1.0)
        };
        let truth = f64::from(u32::try_from(count).expect("small"));
        let moment: f64 =
            law.iter().enumerate().map(|(y, f)| f * (debias(y) - truth).powi(2)).sum();
        assert!((moment.sqrt() / estimate.standard_deviation() - 1.0).abs() < 1e-9);
        for bound in [0.5, 3.1, 11.7, 40.3] {
            let slow: f64 = law
                .iter()
                .enumerate()
                .filter(|(total, _)| (debias(*total) - truth).abs() > bound)
                .map(|(_, mass)| mass)
                .sum();
            let tail = estimate.tail(bound);
            assert!((tail - slow).abs() < 1e-8 * slow + 1e-30, "{clients} {bound}: {tail} {slow}");
        }
        let bound = estimate.quantile(0.05);
        assert!(estimate.tail(bound) <= 0.05 && estimate.tail(bound * 0.999_999) > 0.05);
    }
}

#[test]
fn the_clients_and_the_epsilon_for_a_wanted_accuracy() {
    let clients = rappor_clients(&epsilon("2"), 0.01).unwrap();
    let fraction = |clients: u64| {
        let estimate = DebiasedRappor::new(clients, &epsilon("2"), 0).unwrap();
        estimate.standard_deviation() / f64::from(u32::try_from(clients).expect("small"))
    };
    assert!(fraction(clients) <= 0.01 && fraction(clients - 1) > 0.01);
    let rate = rappor_epsilon0(100_000, 26.133_642_838_670_728).unwrap();
    assert!((rate - 5.0).abs() < 1e-12, "{rate}");
}

#[test]
fn what_cannot_be_answered_is_refused_by_name() {
    let message = |result: Result<BigUint, dp_calibration::Error>| {
        result.expect_err("out of range").to_string()
    };
    assert!(message(laplace("1").quantile(&number("0"))).starts_with("beta is 0"));
    assert!(message(laplace("1").simultaneous(0, &number("0.1"))).starts_with("coordinates is 0"));
    assert!(
        TotalNoise::laplace(number("1e-4")).is_err()
            && TotalNoise::gaussian(number("1e31")).is_err()
    );
    assert!(laplace_scale(1, &at(5), 0, &number("0.1")).is_err());
    assert!(DebiasedRappor::new(5, &epsilon("1"), 6).is_err());
    assert!(rappor_epsilon0(5, 0.0).is_err() && rappor_clients(&epsilon("1"), 0.0).is_err());
}
