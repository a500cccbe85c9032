//! Noise at the clients: each randomizes its measurement before it shares it, and the aggregators
//! add nothing.
//!
//! ```text
//! total_j = Σ_reports R(x)_j,        estimate_j = (total_j − n·E[R(0)_j]) · slope
//! ```
//!
//! The promise of the randomizer by itself holds against everybody (OC). Where only the sum is
//! seen, the other honest clients' randomness hides each client further (OAMC).

use std::ops::RangeInclusive;

use dp_calibration::{Adjacency, Budget, Query, TrustModel};
use dp_exact::{Epsilon, Rational};
use rand_core::CryptoRng;

use crate::Error;
use crate::error::within;
use crate::guarantee::{Circumstances, Guarantee, Promise, better};
use crate::policy::{DEFAULT_MAX_REPORTS, DpPolicy, Estimate, FieldOf, ShardedMeasurement, Vdaf};
use crate::randomizers::{
    CoinFlip, KaryRandomizedResponse, LocalRandomizer, RandomizedResponse, Rappor,
};
use crate::types::{Count, Histogram, MeasurementType, MultihotCountVec};

/// Prio3Count with randomized response: ε.
pub type CountResponse = ClientNoise<Count, RandomizedResponse>;

/// Prio3Count with the coin-flip survey: ln 3.
pub type CountCoinFlip = ClientNoise<Count, CoinFlip>;

/// Prio3Histogram with k-ary randomized response: ε.
pub type HistogramResponse = ClientNoise<Histogram, KaryRandomizedResponse>;

/// Prio3MultihotCountVec with symmetric RAPPOR: min(d, 2w)·ε₀, and far less in a crowd.
pub type MultihotRappor = ClientNoise<MultihotCountVec, Rappor>;

/// The policy of type `V` with the randomizer `R` at each client.
#[derive(Clone, Debug)]
pub struct ClientNoise<V, R> {
    measurement_type: V,
    randomizer: R,
    local_epsilon: Epsilon,
    min_reports: u64,
    max_reports: u64,
}

impl<V: MeasurementType, R: LocalRandomizer<V>> ClientNoise<V, R> {
    /// Randomizes the measurements of this type. A batch holds at most [`DEFAULT_MAX_REPORTS`].
    ///
    /// # Errors
    ///
    /// If the randomizer is for measurements of another length or weight, or promises an ε beyond
    /// the size of an [`Epsilon`].
    pub fn new(measurement_type: V, randomizer: R) -> Result<Self, Error> {
        randomizer.fits(&measurement_type)?;
        let local_epsilon = randomizer.local_epsilon(&measurement_type)?;
        Ok(Self {
            measurement_type,
            randomizer,
            local_epsilon,
            min_reports: 1,
            max_reports: DEFAULT_MAX_REPORTS,
        })
    }

    /// The same with another bound on the reports in a batch.
    ///
    /// # Errors
    ///
    /// If the bound is below that on the fewest reports, or above 2^63: more totals would not fit
    /// the field.
    pub fn with_max_reports(self, max_reports: u64) -> Result<Self, Error> {
        within("max_reports", max_reports, self.min_reports..=1 << 63)?;
        Ok(Self {
            max_reports,
            ..self
        })
    }

    /// The same where no batch of fewer reports is released.
    ///
    /// # Errors
    ///
    /// If that is 0, or above the most reports.
    pub fn with_min_reports(self, min_reports: u64) -> Result<Self, Error> {
        within("min_reports", min_reports, 1..=self.max_reports)?;
        Ok(Self {
            min_reports,
            ..self
        })
    }

    /// The Prio3 type, of the randomized measurements.
    #[must_use]
    pub const fn measurement_type(&self) -> &V {
        &self.measurement_type
    }

    /// The randomizer.
    #[must_use]
    pub const fn randomizer(&self) -> &R {
        &self.randomizer
    }

    /// The ε of one report under replacement, whoever reads it.
    #[must_use]
    pub const fn local_epsilon(&self) -> &Epsilon {
        &self.local_epsilon
    }

    /// What one report costs by itself.
    pub(crate) fn local_budget(&self) -> Budget {
        Budget::Pure {
            epsilon: self.local_epsilon.clone(),
        }
    }

    /// What a report costs in the sum of those of all honest clients, if that is less.
    pub(crate) fn crowd(&self, circumstances: &Circumstances) -> Option<Budget> {
        let crowd = self
            .randomizer
            .in_a_crowd(&self.measurement_type, circumstances)
            .ok()??;
        // Which of the two it is matters to the reader, so the crowd must be better.
        let local = self.local_budget();
        (better(crowd.clone(), local.clone()) != local).then_some(crowd)
    }
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
    pub fn vectors(
        aggregators: usize,
        length: usize,
        input_weight: usize,
        epsilon0: Epsilon,
        false_positive_rate: &Rational,
    ) -> Result<Self, Error> {
        // Checks the aggregators and the length; the bound m on the weight is not known yet.
        MultihotCountVec::new(aggregators, length, 1)?;
        let rappor = Rappor::new(length, input_weight, epsilon0, false_positive_rate)?;
        Self::with_bound(aggregators, rappor)
    }

    /// Vectors of `length` bits of which exactly one is set.
    ///
    /// # Errors
    ///
    /// As for [`Self::vectors`].
    pub fn one_hot(
        aggregators: usize,
        length: usize,
        epsilon0: Epsilon,
        false_positive_rate: &Rational,
    ) -> Result<Self, Error> {
        MultihotCountVec::new(aggregators, length, 1)?;
        let rappor = Rappor::one_hot(length, epsilon0, false_positive_rate)?;
        Self::with_bound(aggregators, rappor)
    }

    fn with_bound(aggregators: usize, rappor: Rappor) -> Result<Self, Error> {
        let (length, max_weight) = (rappor.length(), rappor.max_weight());
        let vectors = MultihotCountVec::new(aggregators, length, max_weight)?;
        Self::new(vectors, rappor)
    }
}

impl<V: MeasurementType, R: LocalRandomizer<V>> DpPolicy for ClientNoise<V, R> {
    type Flp = V::Flp;
    type Measurement = V::Measurement;

    fn name(&self) -> String {
        format!("{} with {} at each client", V::NAME, R::NAME)
    }

    fn vdaf(&self) -> &Vdaf<V::Flp> {
        self.measurement_type.vdaf()
    }

    fn query(&self) -> Query {
        self.randomizer.query(&self.measurement_type)
    }

    fn max_reports(&self) -> u64 {
        self.max_reports
    }

    fn min_reports(&self) -> u64 {
        self.min_reports
    }

    fn parameters(&self) -> Vec<(&'static str, String)> {
        let mut parameters = self.measurement_type.parameters();
        parameters.extend(self.randomizer.parameters());
        parameters.push(("min_reports", self.min_reports.to_string()));
        parameters.push(("max_reports", self.max_reports.to_string()));
        parameters
    }

    fn randomize<G: CryptoRng + ?Sized>(
        &self,
        measurement: &V::Measurement,
        rng: &mut G,
    ) -> Result<ShardedMeasurement<Self>, Error> {
        self.randomizer
            .randomize(&self.measurement_type, measurement, rng)
    }

    /// Adds nothing: the noise is the clients'.
    fn add_noise<G: CryptoRng + ?Sized>(
        &self,
        _: &mut [FieldOf<Self>],
        _: u64,
        _: &mut G,
    ) -> Result<(), Error> {
        Ok(())
    }

    fn divisor(&self, reports: u64) -> u64 {
        self.measurement_type.divisor(reports)
    }

    fn estimate(&self, totals: &[i128], reports: u64) -> Vec<Estimate> {
        let divisor = self.divisor(reports);
        totals
            .iter()
            .map(|total| self.randomizer.estimate(*total, reports).divided(divisor))
            .collect()
    }

    fn covariance(&self, totals: &[i128], reports: u64, one: usize, other: usize) -> f64 {
        let estimate = |place: usize| {
            let total = totals.get(place)?;
            Some(self.randomizer.estimate(*total, reports))
        };
        match (estimate(one), estimate(other)) {
            (Some(one), Some(other)) => self.randomizer.covariance(&one, &other, reports),
            _ => 0.0,
        }
    }

    fn total_range(&self, reports: u64) -> RangeInclusive<i128> {
        let largest = u128::from(reports).saturating_mul(self.measurement_type.max_entry());
        0..=i128::try_from(largest).unwrap_or(i128::MAX)
    }

    /// The promise of the client alone holds against everybody, hence in every trust model. In OAMC
    /// the other honest clients add to it, as far as that is proved for this randomizer.
    fn guarantee(&self, trust_model: TrustModel, circumstances: &Circumstances) -> Guarantee {
        let crowd = if trust_model.needs_other_clients() {
            self.crowd(circumstances)
        } else {
            None
        };
        let mut assumptions = vec![OWN_FLIPS.to_owned()];
        let (budget, carried_over_from, otherwise) = match crowd {
            Some(budget) => {
                assumptions.extend([in_a_crowd_of(circumstances), HIDDEN_SUM.to_owned()]);
                (budget, None, self.alone())
            }
            None => (
                self.local_budget(),
                (trust_model != TrustModel::OneClient).then_some(TrustModel::OneClient),
                "nothing protects a client that does not randomize".to_owned(),
            ),
        };
        Guarantee {
            trust_model,
            adjacency: Adjacency::Replacement,
            promise: Promise::Proved(budget),
            carried_over_from,
            assumptions,
            otherwise,
        }
    }
}

impl<V: MeasurementType, R: LocalRandomizer<V>> ClientNoise<V, R> {
    /// What remains where nobody else is honest, in words.
    pub(crate) fn alone(&self) -> String {
        format!(
            "if fewer clients are honest or all aggregators work together, the client's own \
             randomness remains: epsilon {}",
            self.local_epsilon
        )
    }
}

/// What every promise of a randomizer rests on.
pub(crate) const OWN_FLIPS: &str = "the client draws its randomness from a sound generator and \
     sends one report of its measurement: a second one would spend the budget again";

/// What a promise of the sum rests on beside.
pub(crate) const HIDDEN_SUM: &str = "Prio3 reveals nothing of an honest client's report but the \
     totals (a computational assumption); the number of reports is public";

/// How many clients a promise counts on, in words.
pub(crate) fn in_a_crowd_of(circumstances: &Circumstances) -> String {
    let clients = circumstances.honest_clients();
    format!("the reports of {clients} honest clients, this one among them, are in the batch")
}
