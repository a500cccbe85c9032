//! Draws whose random words are undefined to Memcheck: a jump or an address that depends on one is
//! an error.
//!
//! This is the method of *ctgrind* (Langley 2010). The samplers may reveal a bit where they call
//! [`dp_samplers::declassify`], which marks it as defined: accept or reject, and the exceptional
//! path. Compile with `--cfg memcheck`; `.ci/constant-time` does, and runs this program at
//! several levels of optimization.

use std::convert::Infallible;
use std::hint::black_box;
use std::process::ExitCode;

use crabgrind::memcheck::{MemState, mark_memory};
use dp_calibration::strategy_matrix::StrategyFamily;
use dp_prio3::mechanisms::{NoiseKind, NoiseMechanism};
use dp_prio3::prio::field::{Field64, Field128};
use dp_prio3::{
    AggregatorNoise, Budget, Client, Measurement, Policy, Query, SignedField, TimeWindow, Vdaf,
    multiply_share,
};
use dp_rappor::{KaryRandomizedResponse, SymmetricRappor, UnaryEncoding};
use dp_samplers::rand_core::{Rng, TryCryptoRng, TryRng};
use dp_samplers::{
    BernoulliReal, Binomial, DiscreteGaussian, DiscreteKNorm, DiscreteLaplace, NoiseRng, Rational,
    Seed,
};

/// Number of draws of each distribution, one by one and in slices: enough for blocks, batches, and
/// a rest of each.
const DRAWS: usize = 1045;

/// A generator whose words Memcheck takes for undefined.
struct Secret(NoiseRng);

impl TryRng for Secret {
    type Error = Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        self.try_next_u64().map(|word| word as u32)
    }

    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        let mut word = [self.0.next_u64()];
        mark(&mut word, MemState::Undefined);
        Ok(word[0])
    }

    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Infallible> {
        self.0.fill_bytes(bytes);
        mark(bytes, MemState::Undefined);
        Ok(())
    }
}

impl TryCryptoRng for Secret {}

/// Marks the bytes of a slice as defined or undefined for Memcheck; outside of valgrind it does
/// nothing.
fn mark<T>(slice: &mut [T], state: MemState) {
    let slice = black_box(slice);
    // Outside of valgrind nothing is marked, and nothing is found.
    let _ = mark_memory(slice.as_ptr().cast(), size_of_val(slice), state);
    black_box(slice);
}

/// The exact number of a text.
fn number(text: &str) -> Rational {
    text.parse().expect("a fraction")
}

/// The budget of this ε with δ = 1e-9.
fn budget(epsilon: &str) -> Budget {
    Budget::approximate(epsilon.parse().expect("positive"), "1e-9".parse().expect("δ"))
}

/// Draws into slices and one by one. Their methods belong to no trait.
macro_rules! draw {
    ($law:expr, $integer:ty) => {{
        let law = $law.expect("the parameter is served");
        let mut rng = Secret(Seed::from_u64(1).rng());
        let mut draws = [<$integer>::default(); DRAWS];
        for length in [1, 15, 16, 63, 256, DRAWS] {
            let draws = &mut draws[..length];
            let filled = law.fill(&mut rng, draws);
            mark(draws, MemState::Defined);
            assert!(filled.is_ok());
        }
        for place in &mut draws {
            *place = law.sample_as(&mut rng).expect("it fits");
        }
        mark(&mut draws, MemState::Defined);
        assert!(draws.iter().any(|draw| *draw != 0), "all draws are 0");
    }};
}

/// Draws from every distribution.
fn laws() {
    for variance in ["1/4", "27", "700", "1100", "2000", "1e6", "1e12", "1e20"] {
        draw!(DiscreteGaussian::new(&number(variance)), i64);
    }
    for variance in ["1e30", "1e60"] {
        draw!(DiscreteGaussian::new(&number(variance)), i128);
    }
    for scale in ["2/5", "2", "20", "1000", "65535000", "1e11"] {
        draw!(DiscreteLaplace::new(&number(scale)), i64);
    }
    draw!(DiscreteLaplace::new(&number("1e30")), i128);
    for (trials, probability) in [
        (10, "1/2"),
        (1000, "1/3"),
        (100_000, "1/100"),
        (1_300_000, "1/1000"),
        (1_000_000_000, "1/150"),
        (1_000_000_000_000, "0.2689"),
    ] {
        draw!(Binomial::new(trials, number(probability)), i64);
    }
    // Words of each number of bytes.
    for (length, scale) in [(2, "1/3"), (14, "255"), (1000, "20"), (513, "1e4"), (1000, "1e12")] {
        let law = DiscreteKNorm::new(&number(scale), length).expect("served");
        let mut draws = vec![0_i64; length];
        let filled = law.fill(&mut Secret(Seed::from_u64(6).rng()), &mut draws);
        mark(&mut draws, MemState::Defined);
        assert!(filled.is_ok());
    }
}

/// Randomizes secret bits in vectors of several lengths.
fn bits(rng: &mut Secret, randomize: impl Fn(&mut Secret, &mut [bool])) {
    for length in [1, 5, 64, 1000, 5000] {
        let mut bits = vec![true; length];
        mark(&mut bits, MemState::Undefined);
        randomize(rng, &mut bits);
        mark(&mut bits, MemState::Defined);
        black_box(bits);
    }
}

/// Randomizes bits and answers that are secret, and throws coins, by random words that are secret.
fn responses() {
    let mut rng = Secret(Seed::from_u64(2).rng());
    for epsilon in ["1/10", "1", "5", "20"] {
        let rappor = SymmetricRappor::new(epsilon.parse().expect("positive")).expect("served");
        bits(&mut rng, |rng, bits| rappor.randomize(rng, bits));
        for answers in [2, 5, 1000] {
            let response = KaryRandomizedResponse::new(epsilon.parse().expect("positive"), answers);
            let response = response.expect("served");
            for answer in 0..answers.min(50) {
                let mut answer = [answer];
                mark(&mut answer, MemState::Undefined);
                let reported = response.randomize(&mut rng, answer[0]);
                black_box(reported.expect("an answer"));
            }
        }
    }
    let unary = UnaryEncoding::new(number("0.75"), number("0.05")).expect("two probabilities");
    bits(&mut rng, |rng, bits| unary.randomize(rng, bits));
    let coin = BernoulliReal::new(number("1/3")).expect("a probability");
    for _ in 0..DRAWS {
        black_box(coin.sample(&mut rng));
    }
}

/// Multiplies a secret share by the query's strategy matrix, if it has one, and adds noise to it.
fn share<F: SignedField>(rng: &mut Secret, query: &Query, kind: NoiseKind, epsilon: &str) {
    let noise = NoiseMechanism::calibrate(kind, query, &budget(epsilon)).expect("calibrated");
    let matrix = query.strategy_matrix();
    let mut share = vec![F::one(); query.totals()];
    mark(&mut share, MemState::Undefined);
    let multiplied = matrix.map(|matrix| multiply_share(&matrix, &mut share));
    let added = noise.add_to(&mut share, rng);
    mark(&mut share, MemState::Defined);
    assert!(multiplied.is_none_or(|done| done.is_ok()) && added.is_ok());
}

/// Adds noise of both distributions to shares in the field `F`, also behind strategy matrices.
fn shares<F: SignedField>(families: &[StrategyFamily]) {
    let mut rng = Secret(Seed::from_u64(4).rng());
    let histogram = Query::Histogram { length: 700 };
    for epsilon in ["1/100", "1", "3"] {
        share::<F>(&mut rng, &histogram, NoiseKind::DiscreteGaussian, epsilon);
        share::<F>(&mut rng, &histogram, NoiseKind::DiscreteLaplace, epsilon);
    }
    for &family in families {
        let ranges = Query::HistogramRanges { length: 100, family };
        share::<F>(&mut rng, &ranges, NoiseKind::DiscreteGaussian, "1");
    }
}

/// Checks an aggregator's share of a report, right and wrong, under a key that is secret.
fn binding() {
    let histogram = Vdaf::Histogram { aggregators: 2, length: 5, chunk_length: None };
    let budget = budget("1");
    let policy = Policy::with_noise(histogram, AggregatorNoise::DiscreteGaussian { budget });
    let client = Client::new(policy.expect("calibrated"), b"memcheck").expect("a client");
    let task = client.task();
    let report = client.report_in(TimeWindow(1), Measurement::Bucket(3)).expect("a report");
    for (number, mut share) in (0..).zip(report.into_shares()) {
        mark(&mut share.private.key.0, MemState::Undefined);
        mark(&mut share.private.input_share, MemState::Undefined);
        assert!(share.check(task, number, 2).is_ok());
        share.private.tag[0] ^= 1;
        assert!(share.check(task, number, 2).is_err());
    }
}

/// Does a planted fault, which Memcheck has to find: for `table` reads a table at a secret address,
/// else branches on a secret.
fn planted(fault: &str) {
    let word = Secret(Seed::from_u64(3).rng()).next_u64();
    match fault {
        "table" => {
            // Without a branch: the table has an entry for every byte.
            let table: [u8; 256] = black_box(std::array::from_fn(|place| place.count_ones() as u8));
            black_box(table[usize::from(word.to_le_bytes()[0])]);
        }
        _ => {
            if black_box(word & 1) == 1 {
                black_box(fault);
            }
        }
    }
}

fn main() -> ExitCode {
    match std::env::args().nth(1).as_deref() {
        None => {
            laws();
            responses();
            shares::<Field64>(&[]);
            shares::<Field128>(&[StrategyFamily::Toeplitz, StrategyFamily::Circulant]);
            binding();
        }
        Some(fault @ ("table" | "branch")) => planted(fault),
        Some(_) => return ExitCode::FAILURE,
    }
    ExitCode::SUCCESS
}
