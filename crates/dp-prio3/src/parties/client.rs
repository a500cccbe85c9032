//! The client: one measurement in, one encoded report out.

use std::sync::Arc;

use rand::rngs::ThreadRng;
use rand_core::{CryptoRng, Rng as _};
use zeroize::Zeroizing;

use super::message::{Nonce, Report};
use super::replay::TimeWindow;
use super::task::{TaskDigest, check_context};
use crate::Error;
use crate::measurement::Measurement;
use crate::policy::Policy;

/// A client of a task.
///
/// It holds no key and no measurement.
#[derive(Clone, Debug)]
pub struct Client {
    policy: Policy,
    context: Arc<[u8]>,
    task: TaskDigest,
}

impl Client {
    /// A client of the task that `policy` and `context` describe. The context is the byte string
    /// that the VDAF binds to every report: the same at all parties, different in every task.
    ///
    /// # Errors
    /// [`Error::Parameter`] if the context is longer than prio takes.
    pub fn new(policy: Policy, context: &[u8]) -> Result<Self, Error> {
        let context = check_context(context)?;
        let task = TaskDigest::new(&policy, &context);
        Ok(Self { policy, context, task })
    }

    /// The digest of the task, to which every report is bound.
    pub const fn task(&self) -> &TaskDigest {
        &self.task
    }

    /// Checks, randomizes, shards and binds a measurement, for a task without time windows. Make
    /// one report of a measurement, not several: each further one spends the budget again.
    ///
    /// The operating system seeds a generator for this report, which is wiped afterwards, as is the
    /// randomized measurement; prio's own copies of the seeds of shares are not.
    ///
    /// # Errors
    /// [`Error::Parameter`] if the task does not admit the measurement; [`Error::Dropped`] if the
    /// policy does not send what its randomizer drew; [`Error::Sampler`] without a seed.
    pub fn report(&self, measurement: Measurement<'_>) -> Result<Report, Error> {
        self.report_in(TimeWindow::default(), measurement)
    }

    /// The report of a measurement in a time window.
    ///
    /// # Errors
    /// As [`Client::report`].
    pub fn report_in(
        &self,
        window: TimeWindow,
        measurement: Measurement<'_>,
    ) -> Result<Report, Error> {
        self.report_from(window, measurement, &mut dp_samplers::os_rng()?)
    }

    /// [`Client::report`] with the nonce, the randomization and the binding secrets from `rng`,
    /// **for tests and simulations**: the generator reveals the measurement. Prio's sharding still
    /// draws from the operating system, so that the bytes of the shares differ from run to run.
    ///
    /// # Errors
    /// As [`Client::report`].
    #[cfg(feature = "simulation")]
    pub fn report_seeded(
        &self,
        measurement: Measurement<'_>,
        rng: &mut dyn CryptoRng,
    ) -> Result<Report, Error> {
        self.report_from(TimeWindow::default(), measurement, rng)
    }

    /// The randomized, shared and bound report of a measurement. Nonce, randomization and binding
    /// secrets are drawn from `rng`; prio draws the shares from the thread's generator, which gets
    /// a new seed before and after. `Err` also if the randomized measurement is dropped.
    fn report_from(
        &self,
        window: TimeWindow,
        measurement: Measurement<'_>,
        rng: &mut dyn CryptoRng,
    ) -> Result<Report, Error> {
        let randomized = Zeroizing::new(self.policy.randomize(measurement, rng)?);

        let mut nonce = Nonce::default();
        rng.fill_bytes(&mut nonce);
        let generator = &mut rand::rng();
        reseed(generator)?;
        let sharded = self.policy.circuit().shard(&self.context, &randomized, &nonce);
        reseed(generator)?;
        let (public_share, input_shares) = sharded.map_err(|error| Error::prio("shard", error))?;
        Report::bind_from(&self.task, nonce, window, public_share, input_shares, rng)
    }
}

/// Replaces the seed of the thread's generator, and the words that were drawn from the old one. An
/// error if the operating system gives no seed.
///
/// Prio's `shard` draws from the generator that `rand` keeps for each thread, which a fork copies:
/// two processes would give a helper equal shares, and the leader alone could subtract its own.
fn reseed(generator: &mut ThreadRng) -> Result<(), Error> {
    generator.reseed().map_err(dp_samplers::Error::from)?;
    generator.next_u32();
    Ok(())
}
