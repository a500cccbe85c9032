//! Reports of one measurement each, by clients in two processes.

use dp_prio3::message::Report;
use dp_prio3::{Client, Measurement};
use dp_tests::fork::{alone, two};
use prio::codec::Encode as _;
use prio::vdaf::Client as _;
use prio::vdaf::prio3::Prio3;

use crate::stores::policy;

/// All random parts of a report: nonce, shares, keys. The length of each is a multiple of 16 bytes.
fn parts(report: &Report) -> Vec<u8> {
    let private = report.private.iter();
    let private = private.flat_map(|part| [&part.input_share[..], &part.key.0]);
    [&report.public.nonce[..]].into_iter().chain(private).collect::<Vec<_>>().concat()
}

/// If the helper's shares repeat, the leader alone subtracts its own shares and reads both
/// measurements. prio draws the seeds of shares from a generator that a fork copies;
/// `Client::report` seeds it anew for each report. This test fails if prio draws from another
/// generator.
#[test]
fn two_processes_share_nothing_of_their_reports() {
    let _alone = alone();
    let client = Client::new(policy(), b"forks").expect("a short context");
    // The thread's generator exists before the fork.
    let before = client.report(Measurement::Bucket(1)).expect("valid");
    let second = || parts(&client.report(Measurement::Bucket(2)).expect("valid"));
    let [one, other] = two(second);
    let after = second();
    let all = [parts(&before), one, other, after];
    for (place, one) in all.iter().enumerate() {
        for other in &all[place + 1..] {
            let pairs = one.chunks(16).zip(other.chunks(16)).enumerate();
            pairs.for_each(|(chunk, (one, other))| assert_ne!(one, other, "chunk {chunk}"));
        }
    }
}

/// Callers of prio's `shard` have to seed the generator too. This test fails once prio no longer
/// draws from the thread's generator, or that generator notices forks: then `Client::report` and
/// its warnings need another look.
#[test]
fn the_bare_shard_of_prio_repeats_its_seeds() {
    let _alone = alone();
    let vdaf = Prio3::new_histogram(2, 5, 2).expect("valid");
    let shard = || {
        let (_, shares) = vdaf.shard(b"forks", &2, &[7; 16]).expect("valid");
        shares[1].get_encoded().expect("short")
    };
    shard();
    let [one, other] = two(shard);
    assert_eq!(one, other);
}
