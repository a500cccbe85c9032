//! What draws cost: tables, the lines of them that draws read, words, and how often a draw takes longer.

use std::collections::{BTreeMap, BTreeSet};
use std::convert::Infallible;

use dp_samplers::{Binomial, DiscreteGaussian, DiscreteLaplace, Geometric, Touch, Variant};
use num_bigint::BigInt;
use rand_chacha::ChaCha20Rng;
use rand_core::{Rng, TryCryptoRng, TryRng};

use crate::chi_square::rng;
use crate::laws::{power_of_two, rational};

const KIB: usize = 1 << 10;

fn gaussian(variance: &str) -> DiscreteGaussian {
    DiscreteGaussian::new(&rational(variance)).expect("a variance above 0")
}

fn laplace(scale: &str) -> DiscreteLaplace {
    DiscreteLaplace::new(&rational(scale)).expect("a scale above 0")
}

fn binomial(trials: u64, probability: &str) -> Binomial {
    Binomial::new(trials, rational(probability)).expect("a probability")
}

/// How many words each outcome of each table has, for tables that lie one behind the other and fill all
/// of the memory, every line of which is read by as many words as the others of its table.
fn tables(touches: &[Touch], table_bytes: usize) -> Vec<BTreeMap<i64, u64>> {
    let (mut lines, mut outcomes) = (BTreeMap::new(), BTreeMap::new());
    let mut seen = BTreeSet::new();
    for touch in touches {
        assert!(touch.words > 0 && seen.insert((touch.line, touch.outcome)));
        *lines.entry((touch.table, touch.line)).or_insert(0_u64) += touch.words;
        let table: &mut BTreeMap<_, _> = outcomes.entry(touch.table).or_default();
        *table.entry(touch.outcome).or_insert(0) += touch.words;
    }
    assert!(lines.keys().map(|key| key.1).eq(0..table_bytes / 64));
    for (first, second) in lines.iter().zip(lines.iter().skip(1)) {
        assert!(first.1 == second.1 || first.0.0 + 1 == second.0.0);
    }
    assert!(outcomes.keys().copied().eq(0..outcomes.len()));
    outcomes.into_values().collect()
}

/// How many of the 2^64 words have no outcome.
fn without(table: &BTreeMap<i64, u64>) -> u64 {
    let words: u128 = table.values().copied().map(u128::from).sum();
    u64::try_from((1 << 64) - words).expect("at most all words")
}

#[test]
fn lines_of_a_binomial_table_are_read_by_the_words_of_its_law() {
    let law = binomial(1000, "1/3");
    let table = &tables(&law.touches(), law.table_bytes())[0];
    assert_eq!(without(table), law.undecided());
    for (&k, &words) in table {
        // None has more words than its probability, and none lacks more than there are undecided.
        let exact = law.probability(k.cast_unsigned(), 192).shifted(64);
        let floor = exact.upper().floor_shifted(0);
        assert!(floor >= BigInt::from(words));
        assert!(floor <= BigInt::from(words + law.undecided()));
    }
    // Of a wide law they are those of its buckets.
    let law = binomial(1_000_000_000_000, "1/2");
    let buckets = tables(&law.touches(), law.table_bytes());
    assert_eq!(buckets.len(), 1);
    assert!(without(&buckets[0]) < law.undecided());
}

#[test]
fn lines_of_a_geometric_number_are_those_of_its_top_part_and_its_digits() {
    let law = laplace("1e6");
    let tables = tables(&law.touches(), law.table_bytes());
    assert_eq!(tables.len(), 3);
    let undecided = tables.iter().map(without).sum();
    assert_eq!(law.undecided(), Some(undecided));
    let bits = tables[1].len().ilog2();
    assert!(tables[1..].iter().all(|digits| digits.len() == 1 << bits));
    let share = |table: usize, outcome: i64| {
        rational(&tables[table][&outcome].to_string()).to_f64() / 2_f64.powi(64)
    };
    // A number is its top part followed by its digits, complemented where it is negative.
    for outcome in [0, 1, -1, 1 << bits, 123_456, -1_234_567] {
        let (magnitude, top) = (outcome ^ (outcome >> 63), outcome >> (2 * bits));
        let digits = [magnitude >> bits, magnitude].map(|digits| digits & ((1 << bits) - 1));
        let found = share(0, top) * share(1, digits[0]) * share(2, digits[1]);
        let exact = law.probability(outcome, 64).midpoint();
        assert!((found / exact - 1.0).abs() < 1e-9, "{outcome}");
    }
}

#[test]
fn tables_are_as_large_as_stated_and_one_word_a_cell_of_16_bytes_is_undecided() {
    let two_pass = gaussian("1048576");
    assert_eq!(two_pass.table_bytes(), 272 * KIB);
    assert!((513..=1 << 10).contains(&two_pass.undecided().unwrap()));
    let rounds = gaussian("1e12");
    assert!((2 * KIB..=4 * KIB).contains(&rounds.table_bytes()));
    assert!(rounds.undecided().unwrap() > 16_819);
    let scan = gaussian("270");
    assert!((2 * KIB..=3 * KIB).contains(&scan.table_bytes()));
    assert!((2..=1 << 9).contains(&scan.undecided().unwrap()));

    // A top part, and one digit.
    let digits = laplace("49152");
    assert_eq!(digits.table_bytes(), 64 * KIB);
    assert_eq!(digits.undecided(), Some(4096));
    let two_pass = laplace("24");
    assert!((16 * KIB..=40 * KIB).contains(&two_pass.table_bytes()));
    assert!((3..=64).contains(&two_pass.undecided().unwrap()));
    let geometric = Geometric::new(&rational("49152")).unwrap();
    let undecided = geometric.undecided().unwrap();
    assert_eq!(
        geometric.table_bytes(),
        16 * usize::try_from(undecided).unwrap()
    );

    let table = binomial(48_000_000, "1/2");
    assert_eq!(
        (table.table_bytes(), table.undecided()),
        (KIB * KIB, 1 << 16)
    );
    let rounds = binomial(1_000_000_000_000, "1/2");
    assert_eq!(rounds.table_bytes(), 64 * KIB);
    assert!((1 << 14..=1 << 16).contains(&rounds.undecided()));
}

#[test]
fn what_has_no_table_takes_no_memory_and_what_is_certain_takes_no_time() {
    for probability in ["0", "1"] {
        let law = binomial(7, probability);
        assert_eq!((law.undecided(), law.table_bytes()), (0, 0));
        assert_eq!((law.variant(), law.touches()), (Variant::Scan, Vec::new()));
    }
    let beyond = power_of_two(4000);
    let gaussian = DiscreteGaussian::new(&beyond).unwrap();
    let laplace = DiscreteLaplace::new(&beyond).unwrap();
    let geometric = Geometric::new(&beyond).unwrap();
    let bytes = [
        gaussian.table_bytes(),
        laplace.table_bytes(),
        geometric.table_bytes(),
    ];
    assert_eq!(bytes, [0; 3]);
    let touches = [gaussian.touches(), laplace.touches(), geometric.touches()];
    assert!(touches.concat().is_empty());
}

/// A generator that counts how often it is asked, and for how many words.
struct Asked(ChaCha20Rng, usize, usize);

impl TryRng for Asked {
    type Error = Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        unreachable!("words of 64 bits are asked for")
    }

    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        (self.1, self.2) = (self.1 + 1, self.2 + 1);
        Ok(self.0.next_u64())
    }

    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Infallible> {
        (self.1, self.2) = (self.1 + 1, self.2 + bytes.len() / 8);
        self.0.fill_bytes(bytes);
        Ok(())
    }
}

impl TryCryptoRng for Asked {}

/// The words are what a draw takes at least; what is rejected, one round in 500, is drawn again.
#[test]
fn slices_ask_for_blocks_of_256_words_and_for_none_that_is_not_used() {
    type Fill = fn(&mut Asked, &mut [i64]);
    let cases: [(usize, Fill); 4] = [
        (2, |rng, out| laplace("49152").fill(rng, out).unwrap()),
        (3, |rng, out| laplace("1e6").fill(rng, out).unwrap()),
        (1, |rng, out| binomial(1000, "1/3").fill(rng, out).unwrap()),
        (2, |rng, out| {
            let law = binomial(1_000_000_000_000, "1/2");
            law.fill(rng, out).unwrap();
        }),
    ];
    for (words, fill) in cases {
        let mut rng = Asked(rng(12), 0, 0);
        fill(&mut rng, &mut [0; 4096]);
        let least = words * 4096;
        assert!((least..least + least / 100).contains(&rng.2), "{}", rng.2);
        // Blocks, and few words for rounds that are drawn again.
        assert!(rng.1 <= least / 256 + (rng.2 - least), "{}", rng.1);
    }
}
