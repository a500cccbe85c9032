//! An audit of the servers' noise. It knows only what is uploaded and what is collected.

use dp_audit::{
    Collected, Conformance, ConformanceResult, Deployment, Error, ExpectedRelease, Fault,
    FaultStatus,
};
use dp_calibration::{Budget, Query};
use dp_exact::Epsilon;
use dp_libprio::Strategy;
use dp_prio3::AggregatorNoise;
use dp_prio3::types::Histogram;
use janus_example::collector::noisy_estimates;
use janus_messages::{Query as Wanted, Role};
use tokio::runtime::Runtime;

use crate::aggregators::{Aggregators, Noise, Share};
use crate::{BUCKETS, an_hour, client, collector, histogram, no_noise, noisy};

/// Buckets of the clients of each collection: one is so frequent that a wrong sign shows at once.
const MEASUREMENTS: [usize; 10] = [0, 1, 1, 1, 1, 1, 1, 1, 1, 1];

fn strategy() -> Strategy {
    let epsilon = "1".parse().expect("a number");
    Strategy::discrete_laplace(Budget::Pure { epsilon }).expect("in range")
}

/// The distribution of what servers with this strategy release.
fn expected() -> ExpectedRelease {
    let histogram = Histogram::new(2, BUCKETS).expect("a type");
    let epsilon: Epsilon = "1".parse().expect("a number");
    let policy = AggregatorNoise::laplace(histogram, epsilon);
    ExpectedRelease::of(&policy.expect("a policy"), 10).expect("a distribution")
}

/// Servers on this machine, new ones for each collection. In every other collection the first
/// answer gets lost, and the collector asks again.
struct Servers {
    runtime: Runtime,
    noise: Noise,
    keeps: bool,
    collections: u32,
}

impl Servers {
    /// The estimates of the last of `attempts` attempts.
    async fn collected(&self, attempts: u32) -> Vec<f64> {
        let servers = Aggregators::start(histogram(), self.noise, self.keeps).await;
        let client = client(&servers, histogram()).await;
        for bucket in MEASUREMENTS {
            client.upload(&bucket).await.expect("an upload");
        }
        let collector = collector(&servers, histogram());
        let mut totals = Vec::new();
        for _ in 0..attempts {
            let wanted = Wanted::new_time_interval(an_hour());
            let collection = collector.collect(wanted, &()).await.expect("a collection");
            totals.clone_from(collection.aggregate_result());
        }
        let noise = strategy().noise(&Query::Histogram { length: BUCKETS });
        let estimates = noisy_estimates(&noise.expect("noise"), &totals).expect("estimates");
        estimates.iter().map(|estimate| estimate.value).collect()
    }
}

impl Deployment for Servers {
    fn collect(&mut self) -> Result<Collected, Error> {
        self.collections += 1;
        let attempt = 1 + self.collections % 2;
        let mut truths = vec![0; BUCKETS];
        MEASUREMENTS.iter().for_each(|bucket| truths[*bucket] += 1);
        Ok(Collected {
            batch: self.collections.to_string(),
            attempt,
            reports: MEASUREMENTS.len() as u64,
            submitted: MEASUREMENTS.len() as u64,
            truths,
            released: self.runtime.block_on(self.collected(attempt)),
        })
    }
}

/// The probability of a wrong result: the servers' noise has no seed.
const ERROR: f64 = 1e-10;

/// Audits servers that add `noise` and keep releases if `keeps`, at error probability [`ERROR`].
fn audited(noise: Noise, keeps: bool) -> ConformanceResult {
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let mut servers = Servers { runtime, noise, keeps, collections: 0 };
    Conformance::of(&mut servers, expected(), ERROR, 500).expect("a result")
}

/// Whether a fault is found, and one server's missing noise is not excluded for the same attempts.
/// (That it is named first is likely, not certain.)
fn lacks_noise(result: &ConformanceResult) -> bool {
    result.found().is_some_and(|found| {
        let mut alike = result.verdicts.iter();
        alike.any(|verdict| {
            verdict.fault == Fault::Missing(1)
                && verdict.is_of_later_attempts == found.is_of_later_attempts
                && verdict.outcome != FaultStatus::Excluded
        })
    })
}

/// Adds the noise of [`strategy`] to an aggregator's share.
fn both(share: Share) -> Vec<u8> {
    noisy(&share, &strategy())
}

#[test]
fn servers_that_both_add_their_noise_once_conform() {
    let result = audited(both, true);
    assert!(result.conforms(), "{result:?}");
}

#[test]
fn a_helper_without_noise_is_found() {
    let result = audited(
        |share| match share.role {
            Role::Leader => both(share),
            _ => no_noise(share),
        },
        true,
    );
    assert!(lacks_noise(&result), "{result:?}");
}

#[test]
fn a_leader_that_adds_its_noise_on_the_first_attempt_only_is_found() {
    let result = audited(
        |share| match (share.role, share.attempt) {
            (Role::Leader, 2..) => no_noise(share),
            _ => both(share),
        },
        false,
    );
    assert!(lacks_noise(&result), "{result:?}");
    let found = result.found().expect("a fault");
    assert!(found.is_of_later_attempts, "{result:?}");
}
