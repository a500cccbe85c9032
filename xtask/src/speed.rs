//! `speed`: nanoseconds per draw of our samplers, of libprio and of inexact samplers on floats.
//!
//! The samplers of a line of the table take turns. A figure is the least of many short windows,
//! since other work on the machine only ever adds time. Machines differ: every target is a ratio of
//! two columns of one line.

use std::fmt::Display;
use std::hint::black_box;
use std::rc::Rc;
use std::time::{Duration, Instant};

use chacha20::ChaCha20Rng;
use dp_cli::{Failure, print};
use dp_exact::Rational;
use dp_rappor::SymmetricRappor;
use dp_samplers::{Binomial, DiscreteGaussian, DiscreteKNorm, DiscreteLaplace};
use prio::dp::distributions;
use rand::RngExt;
use rand_core::SeedableRng;
use rand_distr::{Distribution, Geometric, Normal};

const HEADER: &str = "\
Nanoseconds per item, with ChaCha20: slices of 4096 or of a vector, single draws, libprio, floats. Ratio, and target:
slice / float; of discrete_k_norm slice / discrete Laplace draws of the same scale and number.

work               parameter          slice  single    prio   float
";

/// About how long a timed window of batches lasts.
const WINDOW: Duration = Duration::from_millis(3);

/// The fewest items of a window: with few random items the fastest window is fast by luck.
const LEAST_ITEMS: u32 = 1000;

const WINDOWS: u32 = 24;

/// Items per batch of a fast sampler: their slice stays in the first-level cache.
const FAST: u32 = 4096;

/// Items per batch of a sampler that takes microseconds.
const SLOW: u32 = 32;

/// Runs the command.
pub(crate) fn run() -> Result<(), Failure> {
    print(HEADER)?;
    let (mut met, mut all) = (0, 0);
    for contest in contests() {
        let contest = contest?;
        let mut line = format!("{:<18} {:<16}", contest.work, contest.parameter);
        let most = contest.most;
        let figures = contest.run();
        for figure in figures {
            line += &match figure {
                None => format!(" {:>7}", "-"),
                Some(value) if value < 10.0 => format!(" {value:>7.2}"),
                Some(value) => format!(" {value:>7.0}"),
            };
        }
        let [ours, _, _, float] = figures.map(|figure| figure.unwrap_or(f64::NAN));
        let share = ours / float;
        let missed = if share <= most { "" } else { " MISSED" };
        print(format_args!("{line}   {share:.2} (≤ {most:.2}){missed}\n"))?;
        met += u32::from(share <= most);
        all += 1;
    }
    Ok(print(format_args!("\n{met} of {all} targets are met.\n"))?)
}

/// Nanoseconds per item of our sampler in slices and in single draws, of libprio and of floats;
/// `None` where a column has no meaning.
type Figures = [Option<f64>; 4];

/// Work to repeat: the number of items of a call, and the call.
type Work = (u32, Box<dyn FnMut()>);

struct Contest {
    work: &'static str,
    parameter: &'static str,
    /// The largest accepted ratio of our time in slices to the time in the last column, of the same
    /// run, as nanoseconds depend on the machine. Measured on an x86-64 server with AVX-512 whose
    /// two cores had ten other programs each, which cost vectors more than they cost floats: 0.77,
    /// 1.06, 1.46 and 1.75 of a float for the four widest Gaussians, 0.18 for RAPPOR, 0.34 and 0.39
    /// for binomials, and 1.2 of as many Laplace draws for K-norm noise of scale 20. The bounds
    /// leave 10 % to that. For scale 2 it took 1.5 times as long as these: its random bytes alone
    /// take as long as they do.
    most: f64,
    /// In the order of [`Figures`].
    contestants: [Option<Work>; 4],
}

/// Work that does `items` items per call, with its own generator.
fn work(items: u32, mut batch: impl FnMut(&mut ChaCha20Rng) + 'static) -> Work {
    let mut rng = ChaCha20Rng::seed_from_u64(7);
    (items, Box::new(move || batch(&mut rng)))
}

/// Work of a sampler of single draws, which fill a slice of `items` one by one in each call.
fn draws<T: Clone + Default + 'static>(
    items: u32,
    mut draw: impl FnMut(&mut ChaCha20Rng) -> T + 'static,
) -> Work {
    let mut out = vec![T::default(); items as usize];
    work(items, move |rng| black_box(&mut out).fill_with(|| draw(rng)))
}

impl Contest {
    /// Measures all contestants in turns: for each column, nanoseconds per item in its fastest
    /// window.
    fn run(mut self) -> Figures {
        // The number of calls that fill a window; finding it also warms up.
        let calls = self.contestants.each_mut().map(|contestant| {
            let (items, batch) = contestant.as_mut()?;
            let mut calls = 1;
            while time(batch, calls) < WINDOW && calls < 1 << 20 {
                calls *= 2;
            }
            Some(calls.max(LEAST_ITEMS.div_ceil(*items)))
        });
        let mut figures = Figures::default();
        for _ in 0..WINDOWS {
            for (column, contestant) in self.contestants.iter_mut().enumerate() {
                if let (Some((items, batch)), Some(calls)) = (contestant, calls[column]) {
                    let all = f64::from(calls) * f64::from(*items);
                    let each = time(batch, calls).as_secs_f64() * 1e9 / all;
                    figures[column] = Some(figures[column].map_or(each, |least| least.min(each)));
                }
            }
        }
        figures
    }
}

/// The time that `calls` calls of `batch` take together.
fn time(batch: &mut dyn FnMut(), calls: u32) -> Duration {
    let start = Instant::now();
    (0..calls).for_each(|_| batch());
    start.elapsed()
}

/// The failure for an error of another library, which refuses a parameter that its documentation
/// admits.
fn refused(error: impl Display) -> Failure {
    Failure::Other(error.to_string().into())
}

/// Parameter, numerator and denominator, and the largest accepted ratio to floats.
type Row = (&'static str, u128, u128, f64);

const GAUSSIANS: [Row; 7] = [
    ("0.5", 1, 2, 0.45),
    ("5.1904", 51_904, 10_000, 0.45),
    ("10", 10, 1, 0.55),
    ("23.3903", 233_903, 10_000, 0.85),
    ("1000", 1000, 1, 1.2),
    ("10^6", 1_000_000, 1, 1.65),
    ("2^40", 1 << 40, 1, 1.95),
];

const LAPLACES: [Row; 4] =
    [("2/5", 2, 5, 0.2), ("2", 2, 1, 0.07), ("20", 20, 1, 0.07), ("65535000", 65_535_000, 1, 0.05)];

/// Scale and number of entries of a vector.
const K_NORMS: [(&str, &str, u32); 4] = [
    ("20, 200", "20", 200),
    ("255, 200", "255", 200),
    ("255, 1000", "255", 1000),
    ("10^12, 1000", "1e12", 1000),
];

/// Name, number of trials n, and the ε₀ of p = 1/(e^ε₀ + 1).
const BINOMIALS: [(&str, u64, &str); 2] =
    [("10^9, 1/(e^5+1)", 1_000_000_000, "5"), ("10^12, 1/(e+1)", 1_000_000_000_000, "1")];

/// Bits of a vector.
const LENGTH: u32 = 1000;

/// All contests; each is made when the iterator comes to it.
fn contests() -> impl Iterator<Item = Result<Contest, Failure>> {
    let distributions =
        GAUSSIANS.into_iter().map(gaussian).chain(LAPLACES.into_iter().map(laplace));
    let rappors = ["1", "2.5", "5", "8"].into_iter().map(rappor);
    let distributions = distributions.chain(K_NORMS.into_iter().map(k_norm));
    distributions.chain(rappors).chain(BINOMIALS.into_iter().map(binomial))
}

/// Why drawing noise cannot fail.
const FITS: &str = "every draw fits 64 bits";

/// Our sampler: slices and single draws.
macro_rules! ours {
    ($law:expr) => {{
        let (law, mut out) = (Rc::new($law), vec![0_i64; FAST as usize]);
        let single = Rc::clone(&law);
        let slices = move |rng: &mut _| law.fill(rng, black_box(&mut out)).expect(FITS);
        (work(FAST, slices), draws(FAST, move |rng| single.sample_as::<i64, _>(rng).expect(FITS)))
    }};
}

/// Contest of discrete Gaussian noise with σ = numerator/denominator. libprio takes σ, our sampler
/// its exact square; floats are rounded continuous draws.
fn gaussian((parameter, numerator, denominator, most): Row) -> Result<Contest, Failure> {
    let sigma = Rational::new(numerator, denominator)?;
    let (slices, single) = ours!(DiscreteGaussian::new(&sigma.pow(2))?);
    let prio = prio::dp::Rational::from_unsigned(numerator, denominator)
        .and_then(distributions::DiscreteGaussian::new)
        .map_err(refused)?;
    let normal = Normal::new(0.0, sigma.to_f64()).map_err(refused)?;
    let float = draws(FAST, move |rng| {
        #[expect(clippy::cast_possible_truncation, reason = "to round is the work")]
        {
            normal.sample(rng).round() as i64
        }
    });
    let prio = draws(SLOW, move |rng| prio.sample(rng));
    let contestants = [Some(slices), Some(single), Some(prio), Some(float)];
    Ok(Contest { work: "discrete_gaussian", parameter, most, contestants })
}

/// Contest of discrete Laplace noise of scale numerator/denominator; on floats it is the difference
/// of two geometric draws.
fn laplace((parameter, numerator, denominator, most): Row) -> Result<Contest, Failure> {
    let scale = Rational::new(numerator, denominator)?;
    let (slices, single) = ours!(DiscreteLaplace::new(&scale)?);
    let prio = prio::dp::Rational::from_unsigned(numerator, denominator)
        .and_then(distributions::DiscreteLaplace::new)
        .map_err(refused)?;
    // The difference of two geometric draws has the discrete Laplace distribution.
    let geometric = Geometric::new(-(-scale.to_f64().recip()).exp_m1()).map_err(refused)?;
    let float = draws(FAST, move |rng| {
        geometric.sample(rng).cast_signed() - geometric.sample(rng).cast_signed()
    });
    let prio = draws(SLOW, move |rng| prio.sample(rng));
    let contestants = [Some(slices), Some(single), Some(prio), Some(float)];
    Ok(Contest { work: "discrete_laplace", parameter, most, contestants })
}

/// Contest of a vector of discrete K-norm noise with as many discrete Laplace draws of its scale,
/// in the column of floats.
fn k_norm((parameter, scale, length): (&'static str, &str, u32)) -> Result<Contest, Failure> {
    let scale: Rational = scale.parse()?;
    let laplace = DiscreteLaplace::new(&scale)?;
    let k_norm = DiscreteKNorm::new(&scale, length as usize)?;
    let mut out = vec![0_i64; length as usize];
    let mut others = out.clone();
    let ours = work(length, move |rng| k_norm.fill(rng, black_box(&mut out)).expect(FITS));
    let draws = work(length, move |rng| laplace.fill(rng, black_box(&mut others)).expect(FITS));
    let (most, contestants) = (1.5, [Some(ours), None, None, Some(draws)]);
    Ok(Contest { work: "discrete_k_norm", parameter, most, contestants })
}

/// Contest of symmetric RAPPOR with ε₀ = `parameter` on vectors of 1000 bits, and of one float for
/// each bit.
fn rappor(parameter: &'static str) -> Result<Contest, Failure> {
    let rappor = SymmetricRappor::new(parameter.parse()?)?;
    let probability = rappor.flip_probability(64).midpoint();
    let mut bits = vec![false; LENGTH as usize];
    let mut others = bits.clone();
    let ours = work(LENGTH, move |rng| rappor.randomize(rng, black_box(&mut bits)));
    let float = work(LENGTH, move |rng| {
        for bit in black_box(&mut others) {
            *bit ^= rng.random::<f64>() < probability;
        }
    });
    let (most, contestants) = (0.2, [Some(ours), None, None, Some(float)]);
    Ok(Contest { work: "rappor_bit", parameter, most, contestants })
}

/// Contest of binomial draws of n = `trials`, with the flip probability 1/(e^ε₀ + 1) of symmetric
/// RAPPOR; libprio has none.
fn binomial(
    (parameter, trials, epsilon0): (&'static str, u64, &'static str),
) -> Result<Contest, Failure> {
    let flip = SymmetricRappor::new(epsilon0.parse()?)?.flip_probability(64).midpoint();
    let (slices, single) = ours!(Binomial::new(trials, Rational::from_f64(flip)?)?);
    let peer = rand_distr::Binomial::new(trials, flip).map_err(refused)?;
    let float = draws(FAST, move |rng| peer.sample(rng).cast_signed());
    let (most, contestants) = (0.45, [Some(slices), Some(single), None, Some(float)]);
    Ok(Contest { work: "binomial", parameter, most, contestants })
}
