//! How far ours should be ahead, and whether it is.

use super::generator::Generator;
use super::row::{Mode, Row};
use super::work::Work;

/// Whom ours is compared with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Peer {
    /// libprio.
    Prio,
    /// The inexact sampler on floats.
    Float,
}

/// A bound on a ratio of times.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Target {
    /// Ours in bulk is at least so many times as fast as libprio.
    TimesPrio(f64),
    /// Ours in bulk takes at most this share of the time on floats.
    ShareOfFloat(f64),
    /// The same, or at most so many nanoseconds.
    ShareOfFloatOr(f64, f64),
    /// Ours in short slices takes at most so many times what it takes in bulk.
    ShortByBulk(f64),
}

/// A target, and the ratio that was measured.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Judgement {
    /// The target.
    pub target: Target,
    /// The ratio that it bounds, as measured.
    pub ratio: f64,
    /// What ours takes in bulk, in nanoseconds.
    pub bulk_ns: f64,
}

impl Judgement {
    /// Whether the target is reached.
    #[must_use]
    pub fn is_met(&self) -> bool {
        match self.target {
            Target::TimesPrio(least) => self.ratio >= least,
            Target::ShareOfFloatOr(most, nanoseconds) => {
                self.ratio <= most || self.bulk_ns <= nanoseconds
            }
            Target::ShareOfFloat(most) | Target::ShortByBulk(most) => self.ratio <= most,
        }
    }
}

impl Row {
    /// How many times the peer's time is that of ours in bulk.
    #[must_use]
    pub fn times(&self, peer: Peer) -> Option<f64> {
        let theirs = match peer {
            Peer::Prio => self.prio_ns,
            Peer::Float => self.float_ns,
        };
        Some(theirs? / self.ours_bulk_ns?)
    }

    /// The targets of this row with what was measured. They are for [`Generator::DEFAULT`].
    #[must_use]
    pub fn judgements(&self) -> Vec<Judgement> {
        if self.generator != Generator::DEFAULT {
            return Vec::new();
        }
        let judge = |target| {
            let bulk_ns = self.ours_bulk_ns?;
            let ratio = match target {
                Target::TimesPrio(_) => self.times(Peer::Prio)?,
                Target::ShareOfFloat(_) | Target::ShareOfFloatOr(..) => {
                    self.times(Peer::Float)?.recip()
                }
                Target::ShortByBulk(_) => self.ours_bulk_256_ns? / bulk_ns,
            };
            Some(Judgement {
                target,
                ratio,
                bulk_ns,
            })
        };
        let targets = match self.mode {
            Mode::ConstantTime => constant_time(self.work, self.parameter, self.variant),
            Mode::Simulation => simulation(self.work, self.parameter),
        };
        targets.into_iter().filter_map(judge).collect()
    }
}

/// Of the two-pass sampler: 0.3 of the time on floats, or 3 nanoseconds.
const TWO_PASS: Target = Target::ShareOfFloatOr(0.3, 3.0);

/// A slice of 256 takes at most a tenth more for a draw than one of 4096.
const SHORT: Target = Target::ShortByBulk(1.1);

fn constant_time(work: Work, parameter: &str, variant: Option<&str>) -> Vec<Target> {
    use Target::{ShareOfFloat, TimesPrio};
    match (work, parameter, variant) {
        (Work::DiscreteGaussian, "5.1904", Some("scan")) => {
            vec![TimesPrio(1800.0), ShareOfFloat(0.65), SHORT]
        }
        (Work::DiscreteGaussian, "5.1904", Some("two_pass")) => {
            vec![TimesPrio(2500.0), TWO_PASS, SHORT]
        }
        (Work::DiscreteGaussian, "1000", Some("rounds")) => vec![SHORT],
        (Work::DiscreteGaussian, _, Some("rounds")) => {
            vec![TimesPrio(800.0), ShareOfFloat(2.0), SHORT]
        }
        (Work::DiscreteGaussian, "0.5" | "10" | "23.3903", _) => {
            vec![TimesPrio(1300.0), ShareOfFloat(0.65), SHORT]
        }
        (Work::DiscreteGaussian, _, _) => vec![TimesPrio(1200.0), ShareOfFloat(0.75), SHORT],
        (Work::DiscreteLaplace, "65535000", _) => vec![TimesPrio(150.0), SHORT],
        (Work::DiscreteLaplace, _, _) => vec![TimesPrio(350.0), SHORT],
        (Work::HistogramShare, _, _) => vec![TimesPrio(150.0)],
        (Work::RapporBit | Work::RapporSlice, _, _) => vec![ShareOfFloat(1.0 / 6.0)],
        (Work::Binomial, _, _) => vec![ShareOfFloat(2.0), SHORT],
    }
}

fn simulation(work: Work, parameter: &str) -> Vec<Target> {
    use Target::{ShareOfFloat, TimesPrio};
    match (work, parameter) {
        (Work::DiscreteGaussian, "10^6" | "2^40") => vec![TimesPrio(1000.0), ShareOfFloat(2.0)],
        (Work::DiscreteGaussian, "1000") => vec![TimesPrio(1500.0), ShareOfFloat(0.7)],
        (Work::DiscreteGaussian, _) => vec![TimesPrio(4000.0), ShareOfFloat(0.25)],
        (Work::DiscreteLaplace, "65535000") => vec![TimesPrio(300.0)],
        (Work::DiscreteLaplace, _) => vec![TimesPrio(800.0)],
        (Work::HistogramShare, _) => vec![TimesPrio(150.0)],
        (Work::RapporBit, "5" | "8") => vec![ShareOfFloat(1.0 / 40.0)],
        (Work::RapporBit | Work::RapporSlice, _) => Vec::new(),
        (Work::Binomial, _) => vec![ShareOfFloat(1.0)],
    }
}
