//! The client: one measurement in, one encoded report out.

use std::sync::Arc;

use prio::codec::Encode;
use prio::vdaf::Client as _;
use rand_core::CryptoRng;
use zeroize::Zeroizing;

use super::context::Context;
use super::message::{Nonce, Report};
use crate::Error;
use crate::policy::ClientPolicy;

/// A client of a task.
///
/// It holds the policy and the task's context, no key and no measurement.
#[derive(Clone, Debug)]
pub struct Client<P> {
    policy: Arc<P>,
    context: Context,
}

impl<P: ClientPolicy> Client<P> {
    /// The policy.
    #[must_use]
    pub const fn policy(&self) -> &Arc<P> {
        &self.policy
    }

    /// A client of the task that `policy` and `context` describe. The context is the byte string
    /// that the VDAF binds to every report: the same at all parties, different in every task.
    ///
    /// # Errors
    ///
    /// [`Error::Parameter`] if the context is longer than prio takes.
    pub fn new(policy: Arc<P>, context: &[u8]) -> Result<Self, Error> {
        Ok(Self {
            policy,
            context: Context::new(context)?,
        })
    }

    /// Checks, randomizes and shards a measurement. Make one report of a measurement, not several:
    /// each further one spends the budget again.
    ///
    /// Nonce and randomization come from a generator of their own, seeded by the operating system
    /// for this report and wiped afterwards: who reads this process's memory later, or forks it
    /// before, learns nothing of them. The randomized measurement is wiped as well.
    ///
    /// # Errors
    ///
    /// [`Error::Parameter`] if the measurement is not one that the task admits;
    /// [`Error::Dropped`] if the policy does not send what its randomizer drew;
    /// [`Error::Sampler`] if the operating system gives no seed.
    pub fn report(&self, measurement: &P::Measurement) -> Result<Report, Error> {
        self.report_from(measurement, &mut dp_samplers::os_rng()?)
    }

    pub(crate) fn report_from<R: CryptoRng + ?Sized>(
        &self,
        measurement: &P::Measurement,
        rng: &mut R,
    ) -> Result<Report, Error> {
        let randomized = Zeroizing::new(self.policy.randomize(measurement, rng)?);

        let mut nonce = Nonce::default();
        rng.fill_bytes(&mut nonce);
        let (public_share, input_shares) = self
            .policy
            .vdaf()
            .shard(self.context.bytes(), &randomized, &nonce)
            .map_err(|error| Error::prio("shard", error))?;

        let encoding = |error| Error::prio("encode", error);
        Ok(Report {
            nonce,
            public_share: public_share.get_encoded().map_err(encoding)?,
            input_shares: input_shares
                .iter()
                .map(Encode::get_encoded)
                .collect::<Result<_, _>>()
                .map_err(encoding)?,
        })
    }
}
