//! The group `samplers`: the first draws of fixed seeds, and probabilities of small values.

use std::iter;

use dp_exact::{Interval, Rational, hexadecimal};
use dp_samplers::{
    BigInt, Binomial, DiscreteGaussian, DiscreteKNorm, DiscreteLaplace, Error, NoiseRng, Seed,
};
use rand_core::Rng;
use serde_json::json;

use super::model::{Figure, Outcome, Vector, short};

/// Number of words of the random generator in a vector.
const WORDS: usize = 4;

/// Bits of the enclosures of probabilities.
const PRECISION: u32 = 192;

/// Number of draws in a vector, filled into one slice.
const DRAWS: usize = 64;

/// The values whose probabilities are given: of vectors, that of (x, 0, …, 0) for each value x.
const VALUES: [i64; 5] = [0, 1, -1, 2, 5];

/// Fills a slice with draws from a generator.
type Fill<'a> = dyn Fn(&mut NoiseRng, &mut [BigInt]) -> Result<(), Error> + 'a;

/// The test vectors of draws by generators of known seeds; for noise with a parameter below 1000
/// also the probabilities of [`VALUES`].
pub(super) fn samplers() -> Outcome<Vec<Vector>> {
    let mut vectors = Vec::new();
    let variances = ["1/4", "26.93942798", "547.12623649", "1e6", "1e12", "1e24", "1e39"];
    for (first, variance) in (1..).zip(variances) {
        let law = DiscreteGaussian::new(&variance.parse()?)?;
        let given = (DiscreteGaussian::ALGORITHM, fraction("variance", law.variance()));
        let fill: &Fill<'_> = &|rng, draws| law.fill(rng, draws);
        let right = |x| law.probability(x, PRECISION);
        let wrong = |x| rounded(x, law.variance());
        let is_small = *law.variance() < 1000;
        let figure = is_small.then(|| probabilities(right, "rounded_continuous", wrong));
        vectors.push(vector(given, first, DRAWS, fill, figure.transpose()?)?);
    }
    for (first, scale) in (1..).zip(["2/5", "2", "20", "1000/3", "65535000", "1e20"]) {
        let law = DiscreteLaplace::new(&scale.parse()?)?;
        let given = (DiscreteLaplace::ALGORITHM, fraction("scale", law.scale()));
        let fill: &Fill<'_> = &|rng, draws| law.fill(rng, draws);
        let right = |x| law.probability(x, PRECISION);
        let wrong = |x| zero_twice(x, law.scale());
        let is_small = *law.scale() < 1000;
        let figure = is_small.then(|| probabilities(right, "zero_twice", wrong));
        vectors.push(vector(given, first, DRAWS, fill, figure.transpose()?)?);
    }
    let binomials =
        [(10, "1/2"), (1000, "1/3"), (1000, "0.9"), (1_000_000, "0.001"), (1_000_000_000, "1/2")];
    for (first, (trials, probability)) in (1..).zip(binomials) {
        let probability: Rational = probability.parse()?;
        let parameters = format!("trials={trials},{}", fraction("probability", &probability));
        let law = Binomial::new(trials, probability)?;
        let fill: &Fill<'_> = &|rng, draws| law.fill(rng, draws);
        vectors.push(vector((Binomial::ALGORITHM, parameters), first, DRAWS, fill, None)?);
    }
    for (first, (scale, length)) in
        (1..).zip([("2/3", 2), ("20", 3), ("255", 14), ("8", 257), ("1e12", 513)])
    {
        let law = DiscreteKNorm::new(&scale.parse()?, length)?;
        let parameters = format!("{},length={length}", fraction("scale", law.scale()));
        let given = (DiscreteKNorm::ALGORITHM, parameters);
        let fill: &Fill<'_> = &|rng, draws| law.fill(rng, draws);
        let right = |x| {
            let outcome: Vec<i64> = iter::once(x).chain(iter::repeat_n(0, length - 1)).collect();
            law.probability(&outcome, PRECISION).expect("as many entries")
        };
        let entry = DiscreteLaplace::new(law.scale())?;
        let others = u32::try_from(length - 1)?;
        let wrong = |x| {
            let [at_x, at_0] = [x, 0].map(|x| entry.probability(x, PRECISION));
            Some(at_x * at_0.powi(others))
        };
        let is_small = *law.scale() < 1000;
        let figure = is_small.then(|| probabilities(right, "independent_entries", wrong));
        vectors.push(vector(given, first, length, fill, figure.transpose()?)?);
    }
    Ok(vectors)
}

/// `name=numerator/denominator` of a reduced fraction; the denominator is written even if it is 1.
fn fraction(name: &str, value: &Rational) -> String {
    format!("{name}={}/{}", value.numerator(), value.denominator())
}

/// The test vector of an algorithm with these parameters, for the seed of bytes `first`, `first` +
/// 1, …: the first words of its generator, `count` draws that `fill` makes, and a further figure.
fn vector(
    (algorithm, parameters): (&str, String),
    first: u8,
    count: usize,
    fill: &Fill<'_>,
    figure: Option<Figure>,
) -> Outcome<Vector> {
    let mut seed = [0_u8; 32];
    for (byte, value) in seed.iter_mut().zip(first..) {
        *byte = value;
    }
    let generator = Seed::new(&mut { seed });
    let mut rng = generator.rng();
    let words: Vec<String> = (0..WORDS).map(|_| rng.next_u64().to_string()).collect();
    let mut draws = vec![BigInt::ZERO; count];
    fill(&mut generator.rng(), &mut draws)?;
    let draws: Vec<String> = draws.iter().map(ToString::to_string).collect();
    let figures = [Figure::exact("words", words), Figure::exact("draws", draws)];
    let figures = figures.into_iter().chain(figure).collect();
    let input = json!({
        "algorithm": algorithm, "parameters": parameters, "seed": hexadecimal(&seed),
        "values": VALUES.map(|value| value.to_string()),
    });
    Ok(Vector { name: format!("{algorithm} {parameters}"), input, figures })
}

/// The figure of the `right` probability of each x of [`VALUES`], with the ones that the mistake
/// `name` gives. `Err` if one of these cannot be computed.
fn probabilities(
    right: impl Fn(i64) -> Interval,
    name: &'static str,
    wrong: impl Fn(i64) -> Option<Interval>,
) -> Outcome<Figure> {
    let mistaken = VALUES.into_iter().map(|x| Some(short(wrong(x)?.midpoint())));
    let mistaken: Option<Vec<String>> = mistaken.collect();
    let figure = Figure::numbers("probabilities", &VALUES.map(right))?;
    Ok(figure.mistaken(name, mistaken.ok_or("a probability")?))
}

/// The probability that a continuous Gaussian value with σ² = `variance` is nearest to x, which a
/// known mistake takes for the discrete one. `None` if it cannot be computed.
fn rounded(x: i64, variance: &Rational) -> Option<Interval> {
    let sigma = Interval::rational(variance, PRECISION).sqrt()?;
    let tail = |halves: i64| {
        let edge = Interval::rational(&Rational::new(halves, 2).ok()?, PRECISION);
        edge.checked_div(&sigma)?.normal_tail()
    };
    Some(tail(2 * x.abs() - 1)? - tail(2 * x.abs() + 1)?)
}

/// The probability of x under a geometric number with a random sign, which a known mistake takes
/// for discrete Laplace noise of this scale t: (1 − q)·q^|x|, halved unless x is 0, with q =
/// e^(−1/t). `None` if it cannot be computed.
fn zero_twice(x: i64, scale: &Rational) -> Option<Interval> {
    let rate = scale.reciprocal()?;
    let power =
        |number: i64| Interval::rational(&-(&Rational::from(number) * &rate), PRECISION).exp();
    let geometric = power(x.abs())? * (Interval::integer(1, PRECISION) - power(1)?);
    Some(geometric.shifted(if x == 0 { 0 } else { -1 }))
}
