//! `tables`: the tables of the Internet-Draft draft-wang-ppm-differential-privacy beside exact
//! values, and why they differ.

mod text;

use std::path::PathBuf;

use clap::Args;
use dp_amplification::aggregated_rappor::AggregatedRappor;
use dp_calibration::discrete_gaussian::{self, calibrate_one_hot, one_hot_delta};
use dp_calibration::{Adjacency, Corner, Query, analytic_gaussian};
use dp_exact::{Delta, Epsilon, Rational, Rounding};
use dp_rappor::SymmetricRappor;

use serde::Serialize;

use crate::bounded;
use crate::delivery::Delivery;
use crate::failure::Failure;
use crate::json::{Document, Inputs};
use crate::options::Given;
use crate::replaced::Replacing;

/// What the document says in its first field.
const FORMAT: &str = "dp-cli tables";

/// The version of the document.
const SCHEMA_VERSION: u32 = 1;

/// Compare the tables of the Internet-Draft on differential privacy for DAP with exact values
#[derive(Args, Debug)]
pub(crate) struct Options {
    #[command(flatten)]
    inputs: Inputs,
    /// Also write the figures to this file, as JSON; - or no FILE prints them in place of the text
    #[arg(long, value_name = "FILE", num_args = 0..=1, default_missing_value = "-")]
    json: Option<PathBuf>,
    /// Replace the file of --json also if this command did not write it
    #[arg(long, requires = "json")]
    force: bool,
}

/// The δ of both tables.
const DELTA: &str = "1e-9";

/// The clients of Table 1.
const CLIENTS: u64 = 100_000;

/// Table 1 of the draft: symmetric RAPPOR on Prio3MultihotCountVec. ε₀, ε, standard deviation.
const TABLE_1: [(&str, &str, &str); 3] = [
    ("5", "0.317", "26.1337"),
    ("6.5", "0.906", "12.2800"),
    ("7", "1.528", "9.5580"),
];

/// Table 2 of the draft: Gaussian noise on Prio3Histogram, one honest aggregator. ε, σ.
const TABLE_2: [(&str, &str); 3] = [
    ("0.317", "23.3903"),
    ("0.906", "8.5402"),
    ("1.528", "5.1904"),
];

/// Where continuous calibration is tried: every epsilon with every delta.
const GRID: ([&str; 11], [&str; 6]) = (
    [
        "1e-3", "0.01", "0.1", "0.317", "0.906", "1", "1.528", "5", "10", "20", "50",
    ],
    ["1e-3", "1e-6", "1e-9", "1e-12", "1e-15", "1e-30"],
);

/// The figures of all tables.
#[derive(Debug, Serialize)]
struct Tables {
    rappor: Vec<Rappor>,
    gaussian: Vec<Gaussian>,
    continuous_calibration: Vec<Cell>,
}

/// A row of Table 1: of the draft, and certified.
#[derive(Debug, Serialize)]
struct Rappor {
    epsilon0: &'static str,
    epsilon_draft: &'static str,
    epsilon_lower: String,
    epsilon_upper: String,
    std_draft: &'static str,
    std: String,
    is_std_too_small: bool,
}

/// A row of Table 2.
#[derive(Debug, Serialize)]
struct Gaussian {
    epsilon: &'static str,
    sigma_draft: &'static str,
    sigma_continuous: String,
    is_sigma_too_small: bool,
    delta_at_draft: String,
    is_broken: bool,
    sigma: String,
}

/// Discrete noise at the σ for continuous noise.
#[derive(Debug, Serialize)]
struct Cell {
    query: &'static str,
    epsilon: &'static str,
    delta: &'static str,
    /// The true δ over the promised one, rounded down.
    delta_ratio_lower: String,
    is_broken: bool,
}

/// Prints the tables.
pub(crate) fn run(options: &Options) -> Result<(), Failure> {
    let replacing = Replacing::new(options.force);
    let mut delivery = Delivery::prepare(options.json.as_deref(), FORMAT, &replacing)?;
    let tables = bounded(&Given::new(), Tables::new)?;
    delivery.print(text::text(&tables))?;
    Ok(delivery.finish(&Document {
        format: FORMAT.to_owned(),
        schema_version: SCHEMA_VERSION,
        inputs: &options.inputs,
        answer: tables,
    })?)
}

impl Tables {
    fn new() -> Result<Self, Failure> {
        let delta: Delta = DELTA.parse()?;
        let rappor = TABLE_1.iter().map(|row| Rappor::new(*row, &delta));
        let gaussian = TABLE_2.iter().map(|row| Gaussian::new(*row, &delta));
        let mut continuous_calibration = Vec::new();
        for (query, corner) in [("one", Corner::one()), ("pair", Corner::one_hot())] {
            for epsilon in GRID.0 {
                for delta in GRID.1 {
                    let ratio = kept(&epsilon.parse()?, &delta.parse()?, &corner)?;
                    continuous_calibration.push(Cell {
                        query,
                        epsilon,
                        delta,
                        delta_ratio_lower: ratio.to_decimal(5, Rounding::Down),
                        is_broken: ratio > 1,
                    });
                }
            }
        }
        Ok(Self {
            rappor: rappor.collect::<Result<_, Failure>>()?,
            gaussian: gaussian.collect::<Result<_, Failure>>()?,
            continuous_calibration,
        })
    }
}

impl Rappor {
    fn new(
        row: (&'static str, &'static str, &'static str),
        delta: &Delta,
    ) -> Result<Self, Failure> {
        let (epsilon0, epsilon_draft, std_draft) = row;
        let sum = AggregatedRappor::new(epsilon0.parse()?, CLIENTS)?;
        let bounds = sum.epsilon(delta, Adjacency::Replacement)?;
        let rappor = SymmetricRappor::new(epsilon0.parse()?)?;
        let exact = Rational::from_f64(rappor.standard_deviation(CLIENTS))?;
        Ok(Self {
            epsilon0,
            epsilon_draft,
            epsilon_lower: bounds.lower.to_decimal(7, Rounding::Down),
            epsilon_upper: bounds.upper.to_decimal(7, Rounding::Up),
            std_draft,
            std: exact.to_decimal(8, Rounding::Nearest),
            is_std_too_small: std_draft.parse::<Rational>()? < exact,
        })
    }
}

impl Gaussian {
    fn new(row: (&'static str, &'static str), delta: &Delta) -> Result<Self, Failure> {
        // One bucket replaced by another: a squared L2 sensitivity of 2.
        let sensitivity = Query::Histogram { length: 2 }.sensitivity(Adjacency::Replacement)?;
        let (typed, sigma_draft) = row;
        let epsilon: Epsilon = typed.parse()?;
        let drafted: Rational = sigma_draft.parse()?;
        let exact = analytic_gaussian::sigma(&epsilon, delta, &sensitivity.l2_squared)?;
        let true_delta = one_hot_delta(&drafted.pow(2), &epsilon)?;
        let order = true_delta.compare_rational(delta.value());
        let safe = calibrate_one_hot(&epsilon, delta)?.sigma()?;
        Ok(Self {
            epsilon: typed,
            sigma_draft,
            sigma_continuous: exact.to_decimal(10, Rounding::Nearest),
            is_sigma_too_small: drafted < exact,
            delta_at_draft: true_delta.upper().to_decimal(5, Rounding::Up),
            is_broken: order.is_some_and(std::cmp::Ordering::is_gt),
            sigma: safe.to_decimal(10, Rounding::Up),
        })
    }
}

/// The true δ of discrete noise at the continuous σ, over δ: not above the exact ratio.
fn kept(epsilon: &Epsilon, delta: &Delta, corner: &Corner) -> Result<Rational, Failure> {
    let sigma = analytic_gaussian::sigma(epsilon, delta, &corner.l2_squared())?;
    let deployed = discrete_gaussian::delta(&sigma.pow(2), epsilon, corner)?;
    let lower = deployed.lower().to_rational();
    let ratio = lower.and_then(|lower| lower.checked_div(delta.value()));
    Ok(ratio.unwrap_or_else(Rational::zero))
}
