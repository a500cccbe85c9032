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
    /// Ours one at a time takes at most this share of the time on floats.
    SingleShareOfFloat(f64),
}

/// A target, and the ratio that was measured.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Judgement {
    /// The target.
    pub target: Target,
    /// The ratio that it bounds, as measured.
    pub ratio: f64,
}

impl Judgement {
    /// Whether the target is reached.
    #[must_use]
    pub fn is_met(&self) -> bool {
        match self.target {
            Target::TimesPrio(least) => self.ratio >= least,
            Target::ShareOfFloat(most) | Target::SingleShareOfFloat(most) => self.ratio <= most,
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

    /// The targets of this row with what was measured. They are for ChaCha12.
    #[must_use]
    pub fn judgements(&self) -> Vec<Judgement> {
        if self.generator != Generator::ChaCha12 {
            return Vec::new();
        }
        let judge = |target| {
            let ratio = match target {
                Target::TimesPrio(_) => self.times(Peer::Prio)?,
                Target::ShareOfFloat(_) => self.times(Peer::Float)?.recip(),
                Target::SingleShareOfFloat(_) => self.ours_single_ns? / self.float_ns?,
            };
            Some(Judgement { target, ratio })
        };
        let targets = targets(self.work, self.parameter, self.mode);
        targets.into_iter().filter_map(judge).collect()
    }
}

fn targets(work: Work, parameter: &str, mode: Mode) -> Vec<Target> {
    use Mode::{ConstantTime, Simulation};
    use Target::{ShareOfFloat, SingleShareOfFloat, TimesPrio};
    match (work, parameter, mode) {
        (Work::DiscreteGaussian, "10^6" | "2^40", ConstantTime) => {
            vec![TimesPrio(600.0), ShareOfFloat(2.5)]
        }
        (Work::DiscreteGaussian, "10^6" | "2^40", Simulation) => {
            vec![TimesPrio(1000.0), ShareOfFloat(2.0)]
        }
        (Work::DiscreteGaussian, "1000", ConstantTime) => {
            vec![
                TimesPrio(1200.0),
                ShareOfFloat(0.75),
                SingleShareOfFloat(0.8),
            ]
        }
        (Work::DiscreteGaussian, "1000", Simulation) => vec![TimesPrio(1500.0), ShareOfFloat(0.7)],
        (Work::DiscreteGaussian, _, ConstantTime) => {
            vec![
                TimesPrio(1300.0),
                ShareOfFloat(0.7),
                SingleShareOfFloat(0.8),
            ]
        }
        (Work::DiscreteGaussian, _, Simulation) => vec![TimesPrio(4000.0), ShareOfFloat(0.25)],
        (Work::DiscreteLaplace, "65535000", ConstantTime) => vec![TimesPrio(150.0)],
        (Work::DiscreteLaplace, "65535000", Simulation) => vec![TimesPrio(300.0)],
        (Work::DiscreteLaplace, _, ConstantTime) => vec![TimesPrio(350.0)],
        (Work::DiscreteLaplace, _, Simulation) => vec![TimesPrio(800.0)],
        (Work::HistogramShare, _, _) => vec![TimesPrio(150.0)],
        (Work::RapporBit, _, ConstantTime) => vec![ShareOfFloat(1.0 / 6.0)],
        (Work::RapporBit, "5" | "8", Simulation) => vec![ShareOfFloat(1.0 / 40.0)],
        (Work::RapporBit, _, Simulation) => Vec::new(),
        (Work::Binomial, _, ConstantTime) => vec![ShareOfFloat(2.0)],
        (Work::Binomial, _, Simulation) => vec![ShareOfFloat(1.0)],
    }
}
