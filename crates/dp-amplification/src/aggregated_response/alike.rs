//! The dataset in which all others hold the client's value x.
//!
//! Let T be the number of answers other than x and b that of answers x′. With G the law of the
//! histogram of n clients that all hold x, the histogram has the law G if the client holds x too, and
//! if it holds x′
//!
//!   Q(h) = (G(h)/n)·(h_x/E + E·b + (T − b)),   h_x = n − T,
//!
//! so that
//!
//!   H(α) = E_G[(1 − α/E − (α/n)·(1 − 1/E)·(T + E·b))₊],
//!   T ~ Bin(n, (k − 1)/(E + k − 1)),   b ~ Bin(T, 1/(k − 1)) given T.
//!
//! Where ε is close to ε₀, which takes few clients or a small δ, this is nearly the worst dataset.

use super::survey::Survey;
use dp_exact::binomial::Binomial;
use dp_exact::directed::{
    Bounds, UNIT, add_up, count, div_down, div_up, mul_down, mul_up, sub_down, sub_up,
};

/// The most terms of the sum.
const TERMS: usize = 1 << 18;

/// More than what products below the normal range can lose altogether.
const LOST: f64 = 1e-300;

/// Lower bounds on the probabilities of T and b.
pub(super) struct Alike {
    survey: Survey,
    rows: Vec<Row>,
    terms: usize,
}

/// For one T.
struct Row {
    other: u64,
    mass: f64,
    /// The b of the first value.
    first: u64,
    values: Vec<f64>,
}

impl Alike {
    /// Tails are followed to e^−`depth`. `None` if it would be too long, or if floating point
    /// numbers do not hold it.
    pub(super) fn new(survey: Survey, depth: f64) -> Option<Self> {
        let law = Binomial::new(survey.clients, survey.odds(survey.answers - 1, 0.0), depth)?;
        let kinds = count(survey.answers - 2);
        let among = Bounds {
            lower: div_down(1.0, kinds),
            upper: div_up(1.0, kinds),
        };
        let mut alike = Self {
            survey,
            rows: Vec::with_capacity(law.lower.len()),
            terms: 0,
        };
        for (other, &mass) in (law.first..).zip(&law.lower) {
            let added = Binomial::new(other, among, depth)?;
            alike.terms += added.lower.len() + 1;
            if alike.terms > TERMS {
                return None;
            }
            let values = added.lower.iter();
            alike.rows.push(Row {
                other,
                mass: law.normalized_down(mass),
                first: added.first,
                values: values.map(|&value| added.normalized_down(value)).collect(),
            });
        }
        Some(alike)
    }

    /// A lower bound on δ at `alpha` ≥ 1.
    pub(super) fn delta(&self, alpha: f64) -> f64 {
        let e = self.survey.e;
        let most = sub_down(1.0, div_up(alpha, e));
        if most <= 0.0 {
            return 0.0;
        }
        let share = mul_up(alpha, sub_up(1.0, div_down(1.0, e)));
        let share = div_up(share, count(self.survey.clients));
        let of = |row: &Row| -> f64 {
            let left = |b: u64| {
                let weight = add_up(count(row.other), mul_up(e, count(b)));
                sub_down(most, mul_up(share, weight))
            };
            let terms = (row.first..).zip(&row.values);
            let terms = terms.map(|(b, &value)| (value, left(b)));
            let terms = terms.take_while(|&(_, left)| left > 0.0);
            row.mass * terms.map(|(value, left)| value * left).sum::<f64>()
        };
        let sum: f64 = self.rows.iter().map(of).sum();
        let margin = 4.0 * UNIT * (count(self.terms as u64) + 16.0);
        sub_down(mul_down(sum, 1.0 - margin), LOST).clamp(0.0, 1.0)
    }
}
