//! Keys, shares and noise are wiped: the memory of this process is searched before and after.
#![cfg(target_os = "linux")]

use std::collections::HashSet;
use std::fs::File;
use std::hint::black_box;
use std::os::unix::fs::FileExt;

use dp_prio3::message::{BindingKey, PrivatePart};
use dp_prio3::{
    Aggregator, AggregatorNoise, Budget, Client, Measurement, Policy, SignedField, Stores, Vdaf,
    VerifyKey,
};
use dp_tests::memory::{Memory, deep};
use prio::field::{Field128, FieldElement};
use rand_chacha::ChaCha20Rng;
use rand_core::{Rng, SeedableRng};
use sha2::{Digest as _, Sha256};

/// The bytes at an address of this process, also freed ones.
fn at(address: usize, length: usize) -> Vec<u8> {
    let memory = File::open("/proc/self/mem").expect("Linux has it");
    let mut bytes = vec![0; length];
    let offset = u64::try_from(address).expect("64 bits");
    memory.read_exact_at(&mut bytes, offset).expect("its own memory");
    bytes
}

/// Address and length of a slice, in bytes.
fn bytes_of<T>(value: &[T]) -> (usize, usize) {
    (value.as_ptr().addr(), size_of_val(value))
}

/// Whether the bytes of `secret` inside `value` are zeros after `value` was dropped in its place.
fn is_wiped<T>(value: T, secret: &[u8]) -> bool {
    let mut place = vec![value];
    let (address, length) = bytes_of(&place);
    let before = at(address, length);
    let start = before.windows(secret.len()).position(|bytes| bytes == secret);
    let start = start.expect("the secret is in the value");
    place.clear();
    let after = at(address, length);
    black_box(&place);
    after[start..start + secret.len()].iter().all(|byte| *byte == 0)
}

/// 32 bytes from a seed, none of them 0.
fn secret(seed: u64) -> [u8; 32] {
    let mut bytes = [0; 32];
    rng(seed).fill_bytes(&mut bytes);
    bytes.map(|byte| byte | 1)
}

fn rng(seed: u64) -> ChaCha20Rng {
    ChaCha20Rng::seed_from_u64(seed)
}

/// A policy with noise of about 10^12, so that hardly two draws are equal.
fn policy(length: usize) -> Policy {
    let histogram = Vdaf::Histogram { aggregators: 2, length, chunk_length: None };
    let budget = Budget::Pure { epsilon: "1e-12".parse().expect("positive") };
    let policy = Policy::with_noise(histogram, AggregatorNoise::DiscreteLaplace { budget });
    policy.expect("calibrated")
}

fn aggregator(policy: &Policy, key: [u8; 32]) -> Aggregator {
    let (key, stores) = (VerifyKey::from_bytes(key), Stores::forgotten_at_restart());
    Aggregator::new(policy.clone(), 0, key, b"memory", stores).expect("valid")
}

#[test]
fn keys_are_overwritten_when_they_are_dropped() {
    let key = secret(1);
    assert!(is_wiped(VerifyKey::from_bytes(key), &key));
    assert!(is_wiped(BindingKey(key), &key));
    // Bytes that are not wiped are found.
    assert!(!is_wiped(key, &key));

    let policy = policy(2);
    let aggregator = aggregator(&policy, key);
    let mut derived = Sha256::new();
    derived.update(b"dp-prio3 checksum 2");
    derived.update(key);
    derived.update(aggregator.task().0);
    let derived: [u8; 32] = derived.finalize().into();
    assert!(is_wiped(aggregator.clone(), &derived));
    assert!(is_wiped(aggregator, &key));
}

#[test]
fn an_input_share_is_overwritten_when_the_report_is_dropped() {
    let input_share = secret(2).repeat(64);
    let (address, length) = bytes_of(&input_share);
    let part = PrivatePart { input_share, key: BindingKey(secret(3)), tag: [0; 32] };
    // From here on nothing is allocated that could take its place.
    let memory = File::open("/proc/self/mem").expect("Linux has it");
    let (mut after, secret) = (vec![0; length], secret(2));
    let offset = u64::try_from(address).expect("64 bits");
    drop(part);
    memory.read_exact_at(&mut after, offset).expect("it is not given back");
    assert!(!after.windows(8).any(|bytes| bytes == &secret[8..16]));
}

/// Overwrites memory that this thread has freed: prio leaves copies there, which nobody wipes.
fn overwrite_freed() {
    let blocks = (1..=512).flat_map(|size| (0..32).map(move |_| vec![1_u8; 8 * size]));
    black_box(blocks.collect::<Vec<_>>());
}

/// The complements of the words of a helper's share: two seeds. `memory` exists before them.
#[inline(never)]
fn seeds(policy: &Policy, memory: &Memory) -> HashSet<u64> {
    black_box(memory);
    let client = Client::new(policy.clone(), b"memory").expect("valid");
    let report = deep(|| client.report(Measurement::Bucket(1)).expect("valid"));
    let words = report.private[1].input_share.as_chunks().0.iter();
    words.map(|word| !u64::from_le_bytes(*word)).collect()
}

/// Prio draws seeds from the thread's generator, which keeps its output until it needs the space.
#[test]
fn the_seeds_of_shares_do_not_outlive_a_report() {
    let mut memory = Memory::default();
    let policy = policy(5);
    seeds(&policy, &memory);
    let words = seeds(&policy, &memory);
    assert_eq!(words.len(), 8);
    overwrite_freed();
    assert_eq!(memory.count(&words), 0);
}

/// The complements of the words of these field elements, which become zeros.
fn complements(elements: &mut [Field128]) -> HashSet<u64> {
    let (address, length) = bytes_of(elements);
    let mut bytes = at(address, length);
    elements.fill(Field128::zero());
    black_box(elements);
    let words = bytes.as_chunks_mut().0.iter_mut();
    words
        .map(|word| {
            *word = word.map(|byte| !byte);
            u64::from_le_bytes(*word)
        })
        .collect()
}

/// The most words that may stay on the stack: one element out of hundreds.
const TRACES: usize = 20;

/// So many entries that later allocations overwrite only a part of them.
const LENGTH: usize = 5000;

#[test]
fn the_sum_of_a_batch_is_overwritten_when_it_is_dropped() {
    let mut memory = Memory::default();
    let policy = policy(LENGTH);
    let mut rng = rng(4);
    let mut draw = || i128::from(rng.next_u64()) << 20;
    let share: Vec<i128> = (0..LENGTH).map(|_| draw()).collect();
    // In its final place: a vector that grows leaves copies.
    let mut elements = vec![Field128::zero(); LENGTH];
    for (element, entry) in elements.iter_mut().zip(&share) {
        *element = Field128::from_signed(*entry).expect("small");
    }
    let words = complements(&mut elements);
    assert!(words.len() > LENGTH);
    assert!(memory.count(&words) < TRACES);

    let batch = aggregator(&policy, secret(5)).new_batch(&"a day".parse().expect("a name"));
    let batch = batch.holding(&share, 7).expect("they fit");
    assert!(memory.count(&words) > LENGTH);
    drop(batch);
    let left = memory.count(&words);
    assert!(left < TRACES, "{left}");
}

/// Adds noise with a fixed seed, deep on the stack.
fn noise(policy: &Policy, share: &mut [Field128], seed: u64) {
    let mechanism = policy.mechanism().expect("a policy with noise");
    deep(|| mechanism.add_to(share, &mut rng(seed)).expect("noise"));
}

#[test]
fn noise_is_overwritten_once_it_is_in_the_share() {
    let mut memory = Memory::default();
    let policy = policy(200);
    // Builds the sampler, which is kept.
    let mut share = vec![Field128::zero(); 200];
    noise(&policy, &mut share, 6);
    share.fill(Field128::zero());
    noise(&policy, &mut share, 7);
    let words = complements(&mut share);
    assert!(words.len() > 350);
    let left = memory.count(&words);
    assert!(left < TRACES, "{left}");
}
