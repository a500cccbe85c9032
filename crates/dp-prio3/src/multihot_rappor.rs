//! Symmetric RAPPOR at the clients: each flips every bit of its vector with probability
//! p = 1/(e^ε₀ + 1) before it shares it by Prio3MultihotCountVec. Aggregators add nothing.
//!
//! Source: the Internet-Draft draft-wang-ppm-differential-privacy, section 5, with the weight
//! bound m computed from the exact law of the randomized weight.
//!
//! **The local guarantee.** Two measurements of length d with at most w ones differ in at most
//! min(d, 2w) bits, each of which changes the probability of an output by at most e^ε₀. So one
//! report is min(d, 2w)·ε₀-differentially private under replacement, whoever reads it, and this is
//! attained. Not sending a report whose randomized weight exceeds m is a function of the randomized
//! vector alone: post-processing.

use std::ops::RangeInclusive;

use dp_calibration::{Adjacency, Budget, Query};
use dp_exact::{Epsilon, Rational};
use dp_rappor::{SymmetricRappor, WeightBound, WeightLaw, weight_bound};
use rand_core::CryptoRng;

use crate::Error;
use crate::error::within;
use crate::guarantee::{Circumstances, Guarantee, Promise, TrustModel};
use crate::policy::{
    DEFAULT_MAX_REPORTS, DpPolicy, Estimate, FieldOf, ShardedMeasurement, Vdaf, as_float,
};
use crate::types::{MeasurementType, MultihotCountVec};

/// Prio3MultihotCountVec with symmetric RAPPOR at the clients.
#[derive(Clone, Debug)]
pub struct MultihotRappor {
    measurement_type: MultihotCountVec,
    rappor: SymmetricRappor,
    input_weight: usize,
    false_positive_rate: Rational,
    weight_bound: WeightBound,
    /// min(d, 2w)·ε₀.
    local_epsilon: Epsilon,
    max_reports: u64,
}

impl MultihotRappor {
    /// Bit vectors of `length` with at most `input_weight` ones, flipped with parameter
    /// `epsilon0`. Of honest reports at most the fraction `false_positive_rate` exceeds the weight
    /// bound and is not sent.
    ///
    /// # Errors
    ///
    /// If a parameter is out of its range: 2 to 254 aggregators, `input_weight` from 1 to
    /// `length`, a rate from 0 to 1/2; an ε₀ so long that its multiples exceed the size of an
    /// [`Epsilon`].
    pub fn new(
        aggregators: usize,
        length: usize,
        input_weight: usize,
        epsilon0: Epsilon,
        false_positive_rate: &Rational,
    ) -> Result<Self, Error> {
        // Checks the aggregators and the length; the bound m on the weight is not known yet.
        MultihotCountVec::new(aggregators, length, 1)?;
        within("input_weight", input_weight, 1..=length)?;

        let rappor = SymmetricRappor::new(epsilon0)?;
        let law = WeightLaw::Exact;
        let weight_bound = weight_bound(&rappor, length, input_weight, false_positive_rate, law)?;
        let max_weight = weight_bound.bound().max(1);
        let differing = input_weight.saturating_mul(2).min(length);
        let local_epsilon = Epsilon::new(rappor.local_epsilon(as_u64(differing)))
            .map_err(|error| error.renamed("min(length, 2 input_weight) times epsilon0"))?;
        Ok(Self {
            measurement_type: MultihotCountVec::new(aggregators, length, max_weight)?,
            rappor,
            input_weight,
            false_positive_rate: false_positive_rate.clone(),
            weight_bound,
            local_epsilon,
            max_reports: DEFAULT_MAX_REPORTS,
        })
    }

    /// The same with another bound on the reports in a batch.
    ///
    /// # Errors
    ///
    /// If the bound is 0.
    pub fn with_max_reports(self, max_reports: u64) -> Result<Self, Error> {
        within("max_reports", max_reports, 1..=u64::MAX)?;
        Ok(Self {
            max_reports,
            ..self
        })
    }

    /// The randomizer.
    #[must_use]
    pub const fn rappor(&self) -> &SymmetricRappor {
        &self.rappor
    }

    /// The Prio3 type, for randomized vectors of weight at most m.
    #[must_use]
    pub const fn measurement_type(&self) -> &MultihotCountVec {
        &self.measurement_type
    }

    /// The bound m, and how often an honest report of the largest input weight exceeds it.
    #[must_use]
    pub const fn weight_bound(&self) -> &WeightBound {
        &self.weight_bound
    }
}

fn as_u64(value: usize) -> u64 {
    u64::try_from(value).unwrap_or(u64::MAX)
}

impl DpPolicy for MultihotRappor {
    type Flp = <MultihotCountVec as MeasurementType>::Flp;
    /// The bits.
    type Measurement = [bool];

    fn name(&self) -> String {
        format!(
            "{} with symmetric RAPPOR at each client",
            <MultihotCountVec>::NAME
        )
    }

    fn vdaf(&self) -> &Vdaf<Self::Flp> {
        self.measurement_type.vdaf()
    }

    /// Of the measurements, whose weight is at most w; the VDAF's own bound m is larger.
    fn query(&self) -> Query {
        Query::MultihotCountVec {
            length: self.measurement_type.length(),
            max_weight: self.input_weight,
        }
    }

    fn max_reports(&self) -> u64 {
        self.max_reports
    }

    fn parameters(&self) -> Vec<(&'static str, String)> {
        let mut parameters = self.measurement_type.parameters();
        parameters.extend([
            ("input_weight", self.input_weight.to_string()),
            ("epsilon0", self.rappor.epsilon0().to_string()),
            ("false_positive_rate", self.false_positive_rate.to_string()),
            ("max_reports", self.max_reports.to_string()),
        ]);
        parameters
    }

    fn randomize<R: CryptoRng + ?Sized>(
        &self,
        measurement: &[bool],
        rng: &mut R,
    ) -> Result<ShardedMeasurement<Self>, Error> {
        let length = self.measurement_type.length();
        within("measurement length", measurement.len(), length..=length)?;
        let input_weight = weight(measurement);
        within("measurement weight", input_weight, 0..=self.input_weight)?;

        let mut randomized = measurement.to_vec();
        self.rappor.randomize(rng, &mut randomized);
        let weight = weight(&randomized);
        let max_weight = self.measurement_type.max_weight();
        if weight > max_weight {
            return Err(Error::Dropped { weight, max_weight });
        }
        Ok(randomized)
    }

    /// Adds nothing: the noise is the clients'.
    fn add_noise<R: CryptoRng + ?Sized>(
        &self,
        _: &mut [FieldOf<Self>],
        _: u64,
        _: &mut R,
    ) -> Result<(), Error> {
        Ok(())
    }

    /// (y·(e^ε₀ + 1) − n)/(e^ε₀ − 1) for the count y of n reports. The reports that were not sent
    /// bias it by at most their rate, relative to n·(e^ε₀ + 1)/(e^ε₀ − 1).
    fn estimate(&self, totals: &[i128], reports: u64) -> Vec<Estimate> {
        let standard_error = self.rappor.standard_deviation(reports);
        // Of a sum of n bits flipped with p: (1/(p(1 − p)) − 6)/n, with 1/(p(1 − p)) = 2 + 2 cosh ε₀.
        let epsilon0 = self.rappor.epsilon0().value().to_f64();
        let excess_kurtosis = (2.0 * epsilon0.cosh() - 4.0) / as_float(reports);
        totals
            .iter()
            .map(|total| Estimate {
                value: self.rappor.debias(*total, reports),
                standard_error,
                excess_kurtosis,
            })
            .collect()
    }

    fn total_range(&self, reports: u64) -> RangeInclusive<i128> {
        0..=i128::from(reports)
    }

    /// The local promise holds against everybody, hence in every trust model. In OAMC it is not what
    /// the policy is for, and the stronger promise is not computed.
    fn guarantee(&self, trust_model: TrustModel, _: &Circumstances) -> Guarantee {
        let local = TrustModel::OneClient;
        let (promise, assumptions) = match trust_model {
            TrustModel::OneClient | TrustModel::OneAggregatorOneClient => (
                Promise::Proved(Budget::Pure {
                    epsilon: self.local_epsilon.clone(),
                }),
                vec![
                    "the client draws its flips from a sound generator and sends one report of \
                     its measurement: a second one would spend the budget again"
                        .to_owned(),
                ],
            ),
            TrustModel::OneAggregatorMostClients => (
                Promise::NotComputed {
                    reason: "the flips of the other honest clients hide each client further, and \
                             by how much is not accounted for here; the promise of the client \
                             alone (OC) holds here too"
                        .to_owned(),
                },
                Vec::new(),
            ),
        };
        Guarantee {
            trust_model,
            adjacency: Adjacency::Replacement,
            carried_over_from: (promise.budget().is_some() && trust_model != local)
                .then_some(local),
            promise,
            assumptions,
            otherwise: "nothing protects a client that does not randomize".to_owned(),
        }
    }
}

fn weight(bits: &[bool]) -> usize {
    bits.iter().filter(|bit| **bit).count()
}
