//! `tables`: the tables of the Internet-Draft draft-wang-ppm-differential-privacy beside exact
//! values, and why they differ.

use dp_amplification::aggregated_rappor::AggregatedRappor;
use dp_calibration::discrete_gaussian::{self, calibrate_one_hot, one_hot_delta};
use dp_calibration::{Adjacency, Corner, Query, analytic_gaussian};
use dp_exact::{Delta, Epsilon, Rational, Rounding};
use dp_rappor::SymmetricRappor;

use crate::bounded;
use crate::delivery::print;
use crate::failure::Failure;
use crate::options::Given;

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

/// Prints the tables.
pub(crate) fn run() -> Result<(), Failure> {
    let text = || Ok(table_1()? + "\n" + &table_2()? + "\n" + &broken_promises()?);
    Ok(print(bounded(&Given::new(), text)?)?)
}

fn table_1() -> Result<String, Failure> {
    let delta: Delta = DELTA.parse()?;
    let mut text = format!(
        "\
Table 1 of the Internet-Draft: symmetric RAPPOR by {CLIENTS} clients, delta {DELTA}

             epsilon                              standard deviation
  epsilon0   draft     at least     at most       draft        exact
"
    );
    for (epsilon0, epsilon, printed) in TABLE_1 {
        let sum = AggregatedRappor::new(epsilon0.parse()?, CLIENTS)?;
        let bounds = sum.epsilon(&delta, Adjacency::Replacement)?;
        let rappor = SymmetricRappor::new(epsilon0.parse()?)?;
        let exact = Rational::from_f64(rappor.standard_deviation(CLIENTS))?;
        text += &format!(
            "  {epsilon0:<8} {epsilon:>7} {:>12} {:>11} {printed:>11} {:>12}{}\n",
            bounds.lower.to_decimal(7, Rounding::Down),
            bounds.upper.to_decimal(7, Rounding::Up),
            exact.to_decimal(8, Rounding::Nearest),
            side(&printed.parse()?, &exact),
        );
    }
    text += "
  At most: certified, under replacement, for every dataset of the other clients. At least: for
  less, the promise fails where all of the others hold the client's own value.
  The draft's epsilon comes from a Rényi analysis with integer orders: true, and too large by
  7 % at epsilon0 5 and by 61 % at epsilon0 7.
  The standard deviation of a debiased count is √(n·e^ε₀)/(e^ε₀ − 1). The draft rounds it up to
  four decimals; nothing is lost.
";
    Ok(text)
}

fn table_2() -> Result<String, Failure> {
    let delta: Delta = DELTA.parse()?;
    // One bucket replaced by another: a squared L2 sensitivity of 2.
    let sensitivity = Query::Histogram { length: 2 }.sensitivity(Adjacency::Replacement)?;
    let mut text = format!(
        "\
Table 2 of the Internet-Draft: Gaussian noise on a histogram, one honest aggregator, delta {DELTA}

                 sigma for continuous noise         discrete noise, as deployed
  epsilon        draft        exact                 delta at the draft's sigma   safe sigma
"
    );
    for (epsilon, printed) in TABLE_2 {
        let epsilon: Epsilon = epsilon.parse()?;
        let drafted: Rational = printed.parse()?;
        let exact = analytic_gaussian::sigma(&epsilon, &delta, &sensitivity.l2_squared)?;
        let true_delta = one_hot_delta(&drafted.pow(2), &epsilon)?;
        let broken = match true_delta.compare_rational(delta.value()) {
            Some(order) if order.is_gt() => "  broken",
            _ => "",
        };
        let safe = calibrate_one_hot(&epsilon, &delta)?.sigma()?;
        text += &format!(
            "  {epsilon:<8} {printed:>11} {:>12}{:<12} {:>14}{broken:<12} {:>12}\n",
            exact.to_decimal(10, Rounding::Nearest),
            side(&drafted, &exact),
            true_delta.upper().to_decimal(5, Rounding::Up),
            safe.to_decimal(10, Rounding::Up),
        );
    }
    text += "
  Where all differ, and why:
  - The exact sigma is the least one for continuous noise (Balle, Wang 2018, Theorem 8), rounded
    to ten digits from a certified upper bound. The draft's come from a double-precision search
    with a loose tolerance: its first one is too small even for continuous noise.
  - Deployed noise is discrete. Its delta at the draft's sigma is not the continuous one; where
    it exceeds the promise, the row says broken.
  - The safe sigma is for discrete noise; every larger one is safe as well. It is the root of the
    variance parameter that the policies use.
  - If both of two aggregators are honest and add noise, the draft multiplies sigma by √2.
";
    Ok(text)
}

/// Where noise that is calibrated as if it were continuous breaks its promise.
fn broken_promises() -> Result<String, Failure> {
    let (epsilons, deltas) = GRID;
    let mut text = String::from(
        "\
Discrete noise at the sigma for continuous noise: its true delta, divided by the promised one
",
    );
    let mut broken = 0;
    for (words, corner) in [
        ("one integer of sensitivity 1", Corner::one()),
        ("a histogram under replacement", Corner::one_hot()),
    ] {
        text += &format!("\n  {words}\n  epsilon  delta");
        for delta in deltas {
            text += &format!("{delta:>8}     ");
        }
        text = text.trim_end().to_owned() + "\n";
        for epsilon in epsilons {
            text += &format!("  {epsilon:<9}");
            for delta in deltas {
                let ratio = kept(&epsilon.parse()?, &delta.parse()?, &corner)?;
                let mark = if ratio > 1 { "!" } else { " " };
                broken += usize::from(ratio > 1);
                text += &format!(" {:>11}{mark}", ratio.to_decimal(5, Rounding::Down));
            }
            text = text.trim_end().to_owned() + "\n";
        }
    }
    let cells = 2 * epsilons.len() * deltas.len();
    text += &format!(
        "
  {broken} of {cells} promises are broken, those marked with !. The sigma is the least one for
  continuous noise (Balle, Wang 2018, Theorem 8) to 25 digits; the ratios are certified and
  rounded down.
"
    );
    Ok(text)
}

/// The true δ of discrete noise at the continuous σ, over δ: not above the exact ratio.
fn kept(epsilon: &Epsilon, delta: &Delta, corner: &Corner) -> Result<Rational, Failure> {
    let sigma = analytic_gaussian::sigma(epsilon, delta, &corner.l2_squared())?;
    let deployed = discrete_gaussian::delta(&sigma.pow(2), epsilon, corner)?;
    let lower = deployed.lower().to_rational();
    let ratio = lower.and_then(|lower| lower.checked_div(delta.value()));
    Ok(ratio.unwrap_or_else(Rational::zero))
}

/// Whether a printed figure falls short of the exact one.
fn side(printed: &Rational, exact: &Rational) -> &'static str {
    if printed < exact { "  too small" } else { "" }
}
