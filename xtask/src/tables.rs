//! `tables`: the tables of the Internet-Draft draft-wang-ppm-differential-privacy beside exact
//! values, and why they differ.

use std::io::{self, Write};

use dp_calibration::discrete_gaussian::{calibrate_one_hot, one_hot_delta};
use dp_calibration::{Adjacency, Query, analytic_gaussian};
use dp_exact::{Delta, Epsilon, Rational, Rounding};
use dp_rappor::SymmetricRappor;

use crate::failure::Failure;

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

/// Prints both tables.
pub(crate) fn run() -> Result<(), Failure> {
    let text = table_1()? + "\n" + &table_2()?;
    io::stdout().lock().write_all(text.as_bytes())?;
    Ok(())
}

fn table_1() -> Result<String, Failure> {
    let mut text = format!(
        "\
Table 1 of the Internet-Draft: symmetric RAPPOR by {CLIENTS} clients, delta {DELTA}

                          standard deviation
  epsilon0   epsilon      draft        exact
"
    );
    for (epsilon0, epsilon, printed) in TABLE_1 {
        let rappor = SymmetricRappor::new(epsilon0.parse()?)?;
        let exact = Rational::from_f64(rappor.standard_deviation(CLIENTS))?;
        text += &format!(
            "  {epsilon0:<8} {epsilon:>9} {printed:>10} {:>12}{}\n",
            exact.to_decimal(8, Rounding::Nearest),
            side(&printed.parse()?, &exact),
        );
    }
    text += "
  The standard deviation of a debiased count is √(n·e^ε₀)/(e^ε₀ − 1). The draft rounds it up to
  four decimals; nothing is lost.
  The draft's epsilon comes from a Rényi analysis with integer orders. An exact one is not
  computed here yet.
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

/// Whether a printed figure falls short of the exact one.
fn side(printed: &Rational, exact: &Rational) -> &'static str {
    if printed < exact { "  too small" } else { "" }
}
