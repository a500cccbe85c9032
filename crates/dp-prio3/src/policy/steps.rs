//! What the parties do: a client randomizes, an aggregator adds its noise.

use dp_calibration::Adjacency;
use rand_core::CryptoRng;
#[cfg(feature = "simulation")]
use zeroize::Zeroize as _;

use super::{Added, Policy};
use crate::Error;
use crate::circuit::wire::{Circuit, Share, on_share};
use crate::measurement::{Inadmissible, Measurement, Owned};
use crate::randomizers::Randomizer;
use crate::strategy_matrix::multiply_share;

impl Policy {
    /// Prio3 over the circuit of the policy.
    pub(crate) fn circuit(&self) -> &dyn Circuit {
        &*self.checked.circuit
    }

    /// Checks that clients of the policy may have this measurement, **for simulations**.
    ///
    /// # Errors
    /// Where [`Client::report`](crate::Client::report) refuses the measurement. The error shows its
    /// value.
    #[cfg(feature = "simulation")]
    pub fn check_measurement(&self, measurement: Measurement<'_>) -> Result<(), Inadmissible> {
        self.admitted(measurement).map(|mut owned| owned.zeroize())
    }

    /// The measurement, if clients of the policy may have it; the error shows its value.
    fn admitted(&self, measurement: Measurement<'_>) -> Result<Owned, Inadmissible> {
        let rappor = self.checked.randomizer.as_ref().and_then(Randomizer::rappor);
        let lightest = usize::from(rappor.is_some_and(|rappor| rappor.is_one_hot));
        measurement.check(self.query(), lightest)
    }

    /// The client's step: checks the measurement and randomizes it. `Err` if the policy does not
    /// admit the measurement; [`Error::Dropped`] if the randomized one has too many ones to be
    /// sent.
    pub(crate) fn randomize(
        &self,
        measurement: Measurement<'_>,
        rng: &mut dyn CryptoRng,
    ) -> Result<Owned, Error> {
        #[cfg(feature = "simulation")]
        if let Some(other) =
            self.deviation.as_ref().and_then(|deviation| deviation.clients.as_ref())
        {
            return other.randomize(measurement, rng);
        }
        let checked = self.admitted(measurement)?;
        match &self.checked.randomizer {
            Some(randomizer) => randomizer.randomize(checked, rng),
            None => Ok(checked),
        }
    }

    /// An aggregator's step: multiplies its share of the totals over `reports` reports by the
    /// strategy matrix, if there is one, and adds its noise or its bits of compensation. After an
    /// `Err` the share must not be released; that a draw does not fit the field has probability at
    /// most 2^−64.
    pub(crate) fn add_noise(
        &self,
        share: &mut Share,
        reports: u64,
        rng: &mut dyn CryptoRng,
    ) -> Result<(), Error> {
        #[cfg(feature = "simulation")]
        if let Some(deviation) = &self.deviation {
            return deviation.add_noise(&self.sound(), share, reports, rng);
        }
        on_share!(share, elements => {
            match &self.checked.added {
                Added::Nothing => Ok(()),
                Added::Noise { mechanism, strategy, .. } => {
                    if let Some(strategy) = strategy {
                        multiply_share(&strategy.matrix, elements)?;
                    }
                    mechanism.add_to(elements, rng)
                }
                Added::Compensation(compensator) => compensator.add_to(elements, reports, rng),
            }
        })
    }

    /// The mechanism with exact parameters, as a ledger records it, where a person has up to
    /// `reports` reports in a release: `Other`, with the policy's name alone, for compensation, for
    /// several randomized reports, and where no difference with the largest ρ under the noise
    /// is known. The recorded difference is the difference under `adjacency`; for a deletion behind
    /// a randomizer it is the difference under replacement, which may be longer than needed.
    pub(crate) fn recorded_mechanism(
        &self,
        adjacency: Adjacency,
        reports: u32,
    ) -> dp_ledger::Mechanism {
        use dp_ledger::Mechanism;
        let is_randomized = self.checked.randomizer.is_some();
        let adjacency = match adjacency {
            Adjacency::Deletion if is_randomized => Adjacency::Replacement,
            other => other,
        };
        let noise = self.mechanism().and_then(|noise| {
            let bound = self.query().contribution(adjacency, reports, 1).ok()?;
            let distribution = noise.distribution().accounted();
            let bound = bound.accounted(noise.kind());
            let difference = bound.largest_difference(&distribution)?.clone();
            Some(dp_ledger::Noise { distribution, difference })
        });
        let clients = self.checked.randomizer.as_ref().map(|randomizer| randomizer.recorded());
        match (clients, noise, &self.checked.added) {
            (Some(_), ..) if reports > 1 => Mechanism::Other(self.name()),
            (Some(clients), None, Added::Nothing) => Mechanism::Clients(clients),
            (Some(clients), Some(aggregators), _) => Mechanism::Both { clients, aggregators },
            (None, Some(aggregators), _) => Mechanism::Aggregators(aggregators),
            _ => Mechanism::Other(self.name()),
        }
    }
}
