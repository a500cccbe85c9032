//! An audit of the servers: do they add the noise that they should? It knows what is uploaded and what is collected, no more.

use dp_audit::{Collected, Conformance, Conformity, Deployment, Error, Expected, Fault};
use dp_calibration::{Budget, Query};
use dp_exact::Epsilon;
use dp_libprio::Strategy;
use dp_prio3::HistogramLaplace;
use dp_prio3::types::Histogram;
use janus_example::collector::noisy_estimates;
use janus_messages::{Query as Wanted, Role};
use tokio::runtime::Runtime;

use crate::aggregators::{Aggregators, Noise, Share};
use crate::{BUCKETS, an_hour, client, collector, histogram, no_noise, noisy};

/// What the clients of each collection report: so often the same that a wrong sign shows at once.
const MEASUREMENTS: [usize; 10] = [0, 1, 1, 1, 1, 1, 1, 1, 1, 1];

fn strategy() -> Strategy {
    let epsilon = "1".parse().expect("a number");
    Strategy::discrete_laplace(Budget::Pure { epsilon }).expect("in range")
}

/// What servers with this strategy release.
fn expected() -> Expected {
    let histogram = Histogram::new(2, BUCKETS).expect("a type");
    let epsilon: Epsilon = "1".parse().expect("a number");
    let policy = HistogramLaplace::new(histogram, epsilon);
    Expected::of(&policy.expect("a policy")).expect("a law")
}

/// Servers on this machine, new ones for each collection. Of every other collection the first answer gets lost, and the
/// collector asks again.
struct Servers {
    runtime: Runtime,
    noise: Noise,
    keeps: bool,
    collections: u32,
}

impl Servers {
    async fn collected(&self, attempts: u32) -> Vec<f64> {
        let servers = Aggregators::start_with(histogram(), self.noise, self.keeps).await;
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

/// How many batches are collected. The servers' noise has no seed: with so many, what is found and what is named is wrong
/// with a probability of some 1e-10.
const COLLECTIONS: u32 = 120;

fn audited(noise: Noise, keeps: bool) -> Conformity {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("a runtime");
    let mut servers = Servers {
        runtime,
        noise,
        keeps,
        collections: 0,
    };
    let mut conformance = Conformance::new(expected(), 1e-10).expect("a test");
    for _ in 0..COLLECTIONS {
        let collected = servers.collect().expect("a collection");
        conformance.observe(&collected).expect("as expected");
    }
    conformance.result()
}

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
    let found = result.found().map(|found| found.fault);
    assert_eq!(found, Some(Fault::Missing(1)), "{result:?}");
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
    let found = result.found().expect("a fault");
    assert_eq!(
        (found.fault, found.is_of_later_attempts),
        (Fault::Missing(1), true)
    );
}
