//! The tables as text.

use std::fmt::Write as _;

use dp_exact::grouped;

use super::{CLIENTS, Cell, DELTA, Gaussian, Rappor, Tables};

pub(super) fn text(tables: &Tables) -> String {
    let parts = [
        table_1(&tables.rappor),
        table_2(&tables.gaussian),
        broken_promises(&tables.continuous_calibration),
    ];
    parts.join("\n")
}

/// Whether a printed figure falls short of the exact one.
const fn side(is_too_small: bool) -> &'static str {
    if is_too_small { "  too small" } else { "" }
}

fn table_1(rows: &[Rappor]) -> String {
    let mut text = format!(
        "\
Table 1 of the Internet-Draft: symmetric RAPPOR by {} clients, delta {DELTA}

             epsilon                              standard deviation
  epsilon0   draft     at least     at most       draft        exact
",
        grouped(CLIENTS)
    );
    for row in rows {
        let _ = writeln!(
            text,
            "  {:<8} {:>7} {:>12} {:>11} {:>11} {:>12}{}",
            row.epsilon0,
            row.epsilon_draft,
            row.epsilon_lower,
            row.epsilon_upper,
            row.std_draft,
            row.std,
            side(row.is_std_too_small),
        );
    }
    text + "
  At most: certified, under replacement, for every dataset of the other clients. At least: for
  less, the promise fails where all of the others hold the client's own value.
  The draft's epsilon comes from a Rényi analysis with integer orders: true, and too large by
  7 % at epsilon0 5 and by 61 % at epsilon0 7.
  The standard deviation of a debiased count is √(n·e^ε₀)/(e^ε₀ − 1). The draft rounds it up to
  four decimals; nothing is lost.
"
}

fn table_2(rows: &[Gaussian]) -> String {
    let mut text = format!(
        "\
Table 2 of the Internet-Draft: Gaussian noise on a histogram, one honest aggregator, delta {DELTA}

                 sigma for continuous noise         discrete noise, as deployed
  epsilon        draft        exact                 delta at the draft's sigma   safe sigma
"
    );
    for row in rows {
        let broken = if row.is_broken { "  broken" } else { "" };
        let _ = writeln!(
            text,
            "  {:<8} {:>11} {:>12}{:<12} {:>14}{broken:<12} {:>12}",
            row.epsilon,
            row.sigma_draft,
            row.sigma_continuous,
            side(row.is_sigma_too_small),
            row.delta_at_draft,
            row.sigma,
        );
    }
    text + "
  Where all differ, and why:
  - The exact sigma is the least one for continuous noise (Balle, Wang 2018, Theorem 8), rounded
    to ten digits from a certified upper bound. The draft's come from a double-precision search
    with a loose tolerance: its first one is too small even for continuous noise.
  - Deployed noise is discrete. Its delta at the draft's sigma is not the continuous one; where
    it exceeds the promise, the row says broken.
  - The safe sigma is for discrete noise; every larger one is safe as well. It is the root of the
    variance parameter that the policies use.
  - If both of two aggregators are honest and add noise, the draft multiplies sigma by √2.
"
}

/// Where noise that is calibrated as if it were continuous breaks its promise.
fn broken_promises(cells: &[Cell]) -> String {
    let mut text = String::from(
        "\
Discrete noise at the sigma for continuous noise: its true delta, divided by the promised one
",
    );
    for cells in cells.chunk_by(|one, next| one.query == next.query) {
        let words = match cells {
            [Cell { query: "one", .. }, ..] => "one integer of sensitivity 1",
            _ => "a histogram under replacement",
        };
        let _ = write!(text, "\n  {words}\n");
        let rows: Vec<&[Cell]> = cells
            .chunk_by(|one, next| one.epsilon == next.epsilon)
            .collect();
        let mut line = "  epsilon  delta".to_owned();
        for cell in rows.first().copied().unwrap_or_default() {
            let _ = write!(line, "{:>8}     ", cell.delta);
        }
        let _ = writeln!(text, "{}", line.trim_end());
        for row in rows {
            let epsilon = row.first().map_or("", |cell| cell.epsilon);
            let mut line = format!("  {epsilon:<9}");
            for cell in row {
                let mark = if cell.is_broken { "!" } else { " " };
                let _ = write!(line, " {:>11}{mark}", cell.delta_ratio_lower);
            }
            let _ = writeln!(text, "{}", line.trim_end());
        }
    }
    let broken = cells.iter().filter(|cell| cell.is_broken).count();
    let cells = cells.len();
    text + &format!(
        "
  {broken} of {cells} promises are broken, those marked with !. The sigma is the least one for
  continuous noise (Balle, Wang 2018, Theorem 8) to 25 digits; the ratios are certified and
  rounded down.
"
    )
}
