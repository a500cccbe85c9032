//! A line of the table.

use serde::Serialize;

/// How much more the parties may take.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Bounds {
    /// Than prio with bound shares.
    pub plumbing: f64,
    /// Than prio alone.
    pub all: f64,
}

/// Instructions for one report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Columns {
    /// The parties.
    pub parties: u64,
    /// Prio, and what binds the shares.
    pub bound: u64,
    /// Prio alone.
    pub prio: u64,
}

/// A Prio3 type with a policy.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Row {
    /// The type and what the client does.
    pub name: &'static str,
    /// One client.
    pub client: Columns,
    /// All aggregators.
    pub aggregators: Columns,
    /// What is accepted of [`Row::plumbing`] and [`Row::ratio`].
    pub max: Bounds,
}

/// A row whose parties take more than they may.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error(
    "{name}: the parties take {ratio:.3} times the instructions of {of}: at most {max} is accepted"
)]
pub struct Exceeded {
    name: &'static str,
    of: &'static str,
    ratio: f64,
    max: f64,
}

impl Row {
    /// The instructions of client and aggregators together.
    #[must_use]
    pub const fn all(&self) -> Columns {
        let (client, aggregators) = (self.client, self.aggregators);
        Columns {
            parties: client.parties + aggregators.parties,
            bound: client.bound + aggregators.bound,
            prio: client.prio + aggregators.prio,
        }
    }

    /// Those of the parties, by those of prio with bound shares.
    #[must_use]
    pub fn plumbing(&self) -> f64 {
        quotient(self.all().parties, self.all().bound)
    }

    /// Those of the parties, by those of prio alone.
    #[must_use]
    pub fn ratio(&self) -> f64 {
        quotient(self.all().parties, self.all().prio)
    }

    /// Holds both ratios against their bounds.
    ///
    /// # Errors
    /// If one is above.
    pub fn judge(&self) -> Result<(), Exceeded> {
        let (plumbing, ratio) = (self.plumbing(), self.ratio());
        for (of, ratio, max) in [
            ("prio with bound shares", plumbing, self.max.plumbing),
            ("prio", ratio, self.max.all),
        ] {
            if ratio > max {
                let name = self.name;
                return Err(Exceeded {
                    name,
                    of,
                    ratio,
                    max,
                });
            }
        }
        Ok(())
    }
}

#[expect(clippy::cast_precision_loss, reason = "far below 2^53")]
fn quotient(dividend: u64, divisor: u64) -> f64 {
    dividend as f64 / divisor as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(parties: u64) -> Row {
        let columns = |parties| Columns {
            parties,
            bound: 100,
            prio: 80,
        };
        Row {
            name: "count",
            client: columns(parties),
            aggregators: columns(100),
            max: Bounds {
                plumbing: 1.05,
                all: 1.32,
            },
        }
    }

    #[test]
    fn a_row_is_accepted_up_to_its_bounds() {
        assert_eq!(row(108).judge(), Ok(()));
        assert_eq!(row(110).judge(), Ok(()));
    }

    #[test]
    fn the_bound_that_is_exceeded_is_named() {
        let plumbing = row(111).judge().expect_err("1.055").to_string();
        assert_eq!(
            plumbing,
            "count: the parties take 1.055 times the instructions of prio with bound shares: at most 1.05 is \
             accepted"
        );
        let mut row = row(100);
        row.aggregators.prio = 70;
        let all = row.judge().expect_err("200 / 150").to_string();
        assert_eq!(
            all,
            "count: the parties take 1.333 times the instructions of prio: at most 1.32 is accepted"
        );
    }
}
