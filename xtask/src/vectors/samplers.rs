//! The group `samplers`: the first draws of fixed seeds, and probabilities of small values.

use dp_exact::{Interval, Rational, Shift, gaussian_sum, hexadecimal, refine};
use dp_samplers::{BigInt, Binomial, DiscreteGaussian, DiscreteKNorm, DiscreteLaplace, Seed};
use hmac::{Hmac, KeyInit as _, Mac as _};
use rand_core::Rng;
use serde_json::json;
use sha2::Sha256;

use super::model::{Figure, Outcome, Vector, short};

/// Number of words of the random generator in a vector.
const WORDS: usize = 4;

/// Number of draws in a vector, filled into one slice.
const DRAWS: usize = 64;

/// The values whose probabilities are given: of vectors, that of (x, 0, …, 0) for each value x.
const VALUES: [i64; 5] = [0, 1, -1, 2, 5];

/// The test vector of a distribution, with the seed of bytes `first`, `first` + 1, …: a macro,
/// because `expand` belongs to no trait.
macro_rules! stream {
    ($distribution:ident, $new:expr, $first:expr, $draws:expr) => {{
        let distribution: $distribution = $new?;
        let mut seed = [0_u8; 32];
        for (byte, value) in seed.iter_mut().zip($first..) {
            *byte = value;
        }
        let mut draws = vec![BigInt::ZERO; $draws];
        distribution.expand(&Seed::new(&mut { seed }), &mut draws)?;
        vector($distribution::ALGORITHM, &distribution.parameters(), &seed, &draws)?
    }};
}

/// The test vectors of the noise that seeds expand to.
pub(super) fn samplers() -> Outcome<Vec<Vector>> {
    let mut vectors = Vec::new();
    let variances = ["1/4", "26.93942798", "547.12623649", "1e6", "1e12", "1e24", "1e60"];
    for (first, variance) in (1..).zip(variances) {
        let new = DiscreteGaussian::new(&variance.parse()?);
        vectors.push(stream!(DiscreteGaussian, new, first, DRAWS));
    }
    for (first, scale) in (1..).zip(["2/5", "2", "20", "1000/3", "65535000", "1e30"]) {
        let new = DiscreteLaplace::new(&scale.parse()?);
        vectors.push(stream!(DiscreteLaplace, new, first, DRAWS));
    }
    let binomials =
        [(10, "1/2"), (1000, "1/3"), (1000, "0.9"), (1_000_000, "0.001"), (1_000_000_000, "1/2")];
    for (first, (trials, probability)) in (1..).zip(binomials) {
        let new = Binomial::new(trials, probability.parse::<Rational>()?);
        vectors.push(stream!(Binomial, new, first, DRAWS));
    }
    for (first, (scale, length)) in
        (1..).zip([("2/3", 2), ("20", 3), ("255", 14), ("8", 257), ("1e12", 513)])
    {
        let new = DiscreteKNorm::new(&scale.parse()?, length);
        vectors.push(stream!(DiscreteKNorm, new, first, length));
    }
    Ok(vectors)
}

/// The ChaCha20 key of a stream, by the recipe in the documentation of `expand`.
fn key(seed: &[u8; 32], algorithm: &str, parameters: &str) -> Outcome<[u8; 32]> {
    let mut hmac = Hmac::<Sha256>::new_from_slice(seed)?;
    hmac.update(b"dp-samplers noise");
    for part in [algorithm, parameters] {
        hmac.update(&(part.len() as u64).to_le_bytes());
        hmac.update(part.as_bytes());
    }
    Ok(hmac.finalize().into_bytes().into())
}

/// The test vector of a stream: its key, the first words of its generator and its first draws; for
/// noise with a parameter below 1000 also the probabilities of [`VALUES`].
fn vector(algorithm: &str, parameters: &str, seed: &[u8; 32], draws: &[BigInt]) -> Outcome<Vector> {
    let mut key = key(seed, algorithm, parameters)?;
    let hexadecimal_key = hexadecimal(&key);
    let mut rng = Seed::new(&mut key).rng();
    let words: Vec<String> = (0..WORDS).map(|_| rng.next_u64().to_string()).collect();
    let length = u32::try_from(draws.len())?;
    let draws: Vec<String> = draws.iter().map(ToString::to_string).collect();
    let mut figures = vec![
        Figure::exact("key", hexadecimal_key),
        Figure::exact("words", words),
        Figure::exact("draws", draws),
    ];
    let parameter = |text: &str| {
        let first = text.split(',').next()?;
        first.split_once('=').and_then(|pair| pair.1.parse().ok())
    };
    match (algorithm.split('/').next(), parameter(parameters)) {
        (Some("discrete_gaussian"), Some(variance)) if variance < 1000 => {
            let right = probabilities(|x, precision| gaussian(x, &variance, precision))?;
            let wrong = probabilities(|x, precision| rounded(x, &variance, precision))?;
            figures.push(with_mistake(&right, "rounded_continuous", &wrong)?);
        }
        (Some("discrete_laplace"), Some(scale)) if scale < 1000 => {
            let right = probabilities(|x, precision| laplace(x, &scale, false, precision))?;
            let wrong = probabilities(|x, precision| laplace(x, &scale, true, precision))?;
            figures.push(with_mistake(&right, "zero_twice", &wrong)?);
        }
        (Some("discrete_k_norm"), Some(scale)) if scale < 1000 => {
            let right = probabilities(|x, precision| cube(x, &scale, length, precision))?;
            let wrong = probabilities(|x, precision| {
                let [at_x, at_0] = [x, 0].map(|x| laplace(x, &scale, false, precision));
                Some(at_x? * at_0?.powi(length - 1))
            })?;
            figures.push(with_mistake(&right, "independent_entries", &wrong)?);
        }
        _ => {}
    }
    let input = json!({
        "algorithm": algorithm, "parameters": parameters, "seed": hexadecimal(seed),
        "values": VALUES.map(|value| value.to_string()),
    });
    Ok(Vector { name: format!("{algorithm} {parameters}"), input, figures })
}

/// The probability `of(x, precision)` for each x of [`VALUES`], at a precision at which it can be
/// computed.
fn probabilities(of: impl Fn(i64, u32) -> Option<Interval>) -> Outcome<Vec<Interval>> {
    let all = VALUES.map(|x| refine(|precision| of(x, precision)));
    Ok(all.into_iter().collect::<Result<_, _>>()?)
}

/// The figure of the `right` probabilities, with those that the mistake `name` gives.
fn with_mistake(right: &[Interval], name: &'static str, wrong: &[Interval]) -> Outcome<Figure> {
    let wrong: Vec<String> = wrong.iter().map(|figure| short(figure.midpoint())).collect();
    Ok(Figure::numbers("probabilities", right)?.mistaken(name, wrong))
}

/// Enclosure of the probability of x under discrete Gaussian noise with σ² = `variance`:
/// e^(−x²/2σ²)/Σ e^(−y²/2σ²). `None` if it cannot be computed.
fn gaussian(x: i64, variance: &Rational, precision: u32) -> Option<Interval> {
    let exponent = -Rational::from(x * x).checked_div(&(variance + variance))?;
    let mass = Interval::rational(&exponent, precision).exp()?;
    mass.checked_div(&gaussian_sum(variance, Shift::Zero, precision)?)
}

/// The probability that a continuous Gaussian value with σ² = `variance` is nearest to x, which a
/// known mistake takes for the discrete one. `None` if it cannot be computed.
fn rounded(x: i64, variance: &Rational, precision: u32) -> Option<Interval> {
    let sigma = Interval::rational(variance, precision).sqrt()?;
    let tail = |halves: i64| {
        let edge = Interval::rational(&Rational::new(halves, 2).ok()?, precision);
        edge.checked_div(&sigma)?.normal_tail()
    };
    Some(tail(2 * x.abs() - 1)? - tail(2 * x.abs() + 1)?)
}

/// Enclosure of e^(−number/scale). `None` if it cannot be computed.
fn power(number: i64, scale: &Rational, precision: u32) -> Option<Interval> {
    let exponent = -Rational::from(number).checked_div(scale)?;
    Interval::rational(&exponent, precision).exp()
}

/// Enclosure of the probability of x under discrete Laplace noise of scale t: (1 − q)/(1 + q)·q^|x|
/// with q = e^(−1/t). With `is_zero_twice`, of a geometric number with a random sign, a known
/// mistake. `None` if it cannot be computed.
fn laplace(x: i64, scale: &Rational, is_zero_twice: bool, precision: u32) -> Option<Interval> {
    let (one, q) = (Interval::integer(1, precision), power(1, scale, precision)?);
    let geometric = power(x.abs(), scale, precision)? * (&one - &q);
    match is_zero_twice {
        true => Some(geometric.shifted(if x == 0 { 0 } else { -1 })),
        false => geometric.checked_div(&(one + q)),
    }
}

/// Enclosure of the probability of the vector (x, 0, …, 0) of d = `length` entries under discrete
/// K-norm noise of scale t: q^|x|·(1 − q)^d/B(q) with q = e^(−1/t) and the polynomial B(q) = (1 −
/// q)^(d + 1)·Σ_s (2s + 1)^d·q^s of degree d. `None` if it cannot be computed.
fn cube(x: i64, scale: &Rational, length: u32, precision: u32) -> Option<Interval> {
    let mut numbers: Vec<BigInt> =
        (0..=length).map(|s| BigInt::from(2 * s + 1).pow(length)).collect();
    // A factor 1 − q leaves the difference of each coefficient and the one before.
    for _ in 0..=length {
        for s in (1..numbers.len()).rev() {
            let before = numbers[s - 1].clone();
            numbers[s] -= before;
        }
    }
    let (one, q) = (Interval::integer(1, precision), power(1, scale, precision)?);
    let integer = |number: BigInt| Interval::integer(number, precision);
    let total = numbers
        .into_iter()
        .rev()
        .fold(integer(BigInt::ZERO), |sum, number| sum * &q + integer(number));
    (power(x.abs(), scale, precision)? * (one - q).powi(length)).checked_div(&total)
}
