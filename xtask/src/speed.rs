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
use dp_calibration::strategy_matrix::{StrategyFamily, StrategyMatrix};
use dp_cli::{Failure, print};
use dp_exact::Rational;
use dp_prio3::mechanisms::{NoiseKind, NoiseMechanism};
use dp_prio3::{Budget, Query, multiply_share};
use dp_rappor::SymmetricRappor;
use dp_samplers::{Binomial, DiscreteGaussian, DiscreteKNorm, DiscreteLaplace};
use prio::dp::distributions::{self, PureDpDiscreteLaplace};
use prio::dp::{DifferentialPrivacyStrategy, PureDpBudget};
use prio::field::Field128;
use prio::vdaf::prio3::Prio3;
use prio::vdaf::{AggregateShare, AggregatorWithNoise};
use rand::RngExt;
use rand_core::SeedableRng;
use rand_distr::{Distribution, Geometric, Normal};

use Target::{ShareOfFloat, TimesPrio};

const HEADER: &str = "\
Nanoseconds per item, with ChaCha20: slices of 4096 or of a vector, single draws, libprio, floats. Ratios, and targets:
prio / ours, ours / float; of discrete_k_norm ours / discrete Laplace draws of the same scale and number.

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
        let targets = contest.targets;
        let figures = contest.run();
        for figure in figures {
            line += &match figure {
                None => format!(" {:>7}", "-"),
                Some(value) if value < 10.0 => format!(" {value:>7.2}"),
                Some(value) => format!(" {value:>7.0}"),
            };
        }
        for target in targets {
            let (text, is_met) = target.judge(figures);
            line += &text;
            met += u32::from(is_met);
            all += 1;
        }
        print(format_args!("{line}\n"))?;
    }
    Ok(print(format_args!("\n{met} of {all} targets are met.\n"))?)
}

/// A bound on the time of our sampler in slices of 4096, as a ratio to what the same run measures:
/// nanoseconds are those of one machine. Measured on an x86-64 server with AVX-512 whose two cores
/// had ten other programs each, which cost vectors more than they cost floats: 0.77, 1.06, 1.46 and
/// 1.75 of a float for the four widest Gaussians, 0.18 for RAPPOR, 0.34 and 0.39 for binomials, and
/// 1.2 of as many Laplace draws for K-norm noise of scale 20. The bounds leave 10 % to that. For
/// scale 2 it took 1.5 times as long as these: its random bytes alone take as long as they do.
#[derive(Clone, Copy, Debug)]
enum Target {
    /// Lower bound on libprio's time divided by ours.
    TimesPrio(f64),
    /// Upper bound on our time divided by the time in the last column, on floats.
    ShareOfFloat(f64),
}

impl Target {
    /// The ratio that the target bounds, as text with the bound, and whether the target is met; a
    /// figure that is missing misses it.
    fn judge(self, [ours, _, prio, float]: Figures) -> (String, bool) {
        let [ours, prio, float] = [ours, prio, float].map(|figure| figure.unwrap_or(f64::NAN));
        let (text, is_met) = match self {
            TimesPrio(least) => {
                let times = prio / ours;
                let digits = usize::from(times < 10.0);
                (format!("   {times:.digits$} (≥ {least})"), times >= least)
            }
            ShareOfFloat(most) => {
                let share = ours / float;
                (format!("   {share:.2} (≤ {most:.2})"), share <= most)
            }
        };
        (text + if is_met { "" } else { " MISSED" }, is_met)
    }
}

/// Nanoseconds per item of our sampler in slices and in single draws, of libprio and of floats;
/// `None` where a column has no meaning.
type Figures = [Option<f64>; 4];

/// Work to repeat: the number of items of a call, and the call.
type Work = (u32, Box<dyn FnMut()>);

struct Contest {
    work: &'static str,
    parameter: &'static str,
    targets: &'static [Target],
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

type Row = (&'static str, u128, u128, &'static [Target]);

const GAUSSIANS: [Row; 7] = [
    ("0.5", 1, 2, &[TimesPrio(1300.0), ShareOfFloat(0.45)]),
    ("5.1904", 51_904, 10_000, &[TimesPrio(1800.0), ShareOfFloat(0.45)]),
    ("10", 10, 1, &[TimesPrio(1300.0), ShareOfFloat(0.55)]),
    ("23.3903", 233_903, 10_000, &[TimesPrio(1300.0), ShareOfFloat(0.85)]),
    ("1000", 1000, 1, &[TimesPrio(800.0), ShareOfFloat(1.2)]),
    ("10^6", 1_000_000, 1, &[TimesPrio(800.0), ShareOfFloat(1.65)]),
    ("2^40", 1 << 40, 1, &[TimesPrio(800.0), ShareOfFloat(1.95)]),
];

const LAPLACES: [Row; 4] = [
    ("2/5", 2, 5, &[TimesPrio(350.0), ShareOfFloat(0.2)]),
    ("2", 2, 1, &[TimesPrio(350.0), ShareOfFloat(0.07)]),
    ("20", 20, 1, &[TimesPrio(250.0), ShareOfFloat(0.07)]),
    ("65535000", 65_535_000, 1, &[TimesPrio(150.0), ShareOfFloat(0.05)]),
];

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

/// Bits of a vector, entries of a share, buckets behind a strategy matrix.
const LENGTH: u32 = 1000;
const ENTRIES: u32 = 100_000;
const BUCKETS: u32 = 4096;

/// Why noise on a share cannot fail.
const FITS_FIELD: &str = "every draw fits the field";

/// All contests; each is made when the iterator comes to it.
fn contests() -> impl Iterator<Item = Result<Contest, Failure>> {
    let distributions =
        GAUSSIANS.into_iter().map(gaussian).chain(LAPLACES.into_iter().map(laplace));
    let shares = [histogram_share, strategy_matrix].into_iter().map(|contest| contest());
    let rappors = ["1", "2.5", "5", "8"].into_iter().map(rappor);
    let distributions = distributions.chain(K_NORMS.into_iter().map(k_norm));
    distributions.chain(shares).chain(rappors).chain(BINOMIALS.into_iter().map(binomial))
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
fn gaussian((parameter, numerator, denominator, targets): Row) -> Result<Contest, Failure> {
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
    Ok(Contest { work: "discrete_gaussian", parameter, targets, contestants })
}

/// Contest of discrete Laplace noise of scale numerator/denominator; on floats it is the difference
/// of two geometric draws.
fn laplace((parameter, numerator, denominator, targets): Row) -> Result<Contest, Failure> {
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
    Ok(Contest { work: "discrete_laplace", parameter, targets, contestants })
}

/// Contest of a vector of discrete K-norm noise with as many discrete Laplace draws of its scale, in
/// the column of floats.
fn k_norm((parameter, scale, length): (&'static str, &str, u32)) -> Result<Contest, Failure> {
    let scale: Rational = scale.parse()?;
    let laplace = DiscreteLaplace::new(&scale)?;
    let k_norm = DiscreteKNorm::new(&scale, length as usize)?;
    let mut out = vec![0_i64; length as usize];
    let mut others = out.clone();
    let ours = work(length, move |rng| k_norm.fill(rng, black_box(&mut out)).expect(FITS));
    let draws = work(length, move |rng| laplace.fill(rng, black_box(&mut others)).expect(FITS));
    let (targets, contestants) = (&[ShareOfFloat(1.5)], [Some(ours), None, None, Some(draws)]);
    Ok(Contest { work: "discrete_k_norm", parameter, targets, contestants })
}

/// Contest of discrete Laplace noise on a share of a histogram of 100 000 buckets at ε = 1; libprio
/// draws from `TurboShake128`.
fn histogram_share() -> Result<Contest, Failure> {
    let zeros = vec![Field128::from(0); ENTRIES as usize];
    let query = Query::Histogram { length: zeros.len() };
    let budget = Budget::Pure { epsilon: "1".parse()? };
    let noise = NoiseMechanism::calibrate(NoiseKind::DiscreteLaplace, &query, &budget)?;
    let mut share = zeros.clone();
    let ours =
        work(ENTRIES, move |rng| noise.add_to(black_box(&mut share), rng).expect(FITS_FIELD));
    let budget = prio::dp::Rational::from_unsigned(1_u8, 1_u8)
        .and_then(PureDpBudget::new)
        .map_err(refused)?;
    let strategy = PureDpDiscreteLaplace::from_budget(budget);
    let vdaf = Prio3::new_histogram(2, zeros.len(), 1).map_err(refused)?;
    let mut share = AggregateShare::from(zeros);
    let prio = work(ENTRIES, move |_| {
        let share = black_box(&mut share);
        vdaf.add_noise_to_agg_share(&strategy, &(), share, 1).expect(FITS_FIELD);
    });
    Ok(Contest {
        work: "histogram_share",
        parameter: "100000",
        targets: &[TimesPrio(150.0)],
        contestants: [Some(ours), None, Some(prio), None],
    })
}

/// Contest of the product of a share of 4096 entries with the circulant matrix, and Gaussian noise
/// on it; with libprio's field arithmetic an entry is a row of the matrix times the share.
fn strategy_matrix() -> Result<Contest, Failure> {
    let (family, length) = (StrategyFamily::Circulant, BUCKETS as usize);
    let matrix = StrategyMatrix::new(family, length)?;
    let query = Query::HistogramRanges { length, family };
    let budget = Budget::approximate("1".parse()?, "1e-8".parse()?);
    let noise = NoiseMechanism::calibrate(NoiseKind::DiscreteGaussian, &query, &budget)?;
    let mut share = vec![Field128::from(u128::MAX / 3); length];
    let ours = work(BUCKETS, move |rng| {
        multiply_share(&matrix, black_box(&mut share)).expect("it is as long as the matrix");
        noise.add_to(black_box(&mut share), rng).expect(FITS_FIELD);
    });
    let (row, other) = (vec![Field128::from(12_345); length], vec![Field128::from(67); length]);
    let prio = work(1, move |_| {
        let products = row.iter().zip(black_box(&other)).map(|(entry, x)| *entry * *x);
        black_box(products.fold(Field128::from(0), |sum, product| sum + product));
    });
    Ok(Contest {
        work: "strategy_matrix",
        parameter: "4096",
        targets: &[TimesPrio(0.85)],
        contestants: [Some(ours), None, Some(prio), None],
    })
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
    let (targets, contestants) = (&[ShareOfFloat(0.2)], [Some(ours), None, None, Some(float)]);
    Ok(Contest { work: "rappor_bit", parameter, targets, contestants })
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
    let (targets, contestants) =
        (&[ShareOfFloat(0.45)], [Some(slices), Some(single), None, Some(float)]);
    Ok(Contest { work: "binomial", parameter, targets, contestants })
}
