//! Nothing secret stays in memory: after use, the memory of this process is searched for it.
//!
//! What is searched for is kept complemented, so that the search does not find its own list.
#![cfg(target_os = "linux")]

use std::collections::HashSet;
use std::convert::Infallible;
use std::fs::{File, read_to_string};
use std::hint::black_box;
use std::ops::RangeInclusive;
use std::os::unix::fs::FileExt;
use std::ptr;

use dp_exact::{Interval, Rational};
use dp_samplers::alias::{Alias, Law};
use dp_samplers::{Binomial, DiscreteGaussian, DiscreteLaplace, Error, Geometric, NoiseRng, Seed};
use rand_core::{Rng, TryCryptoRng, TryRng};
use zeroize::Zeroize;

/// Bytes read at a time.
const CHUNK: usize = 1 << 16;

/// What the search itself has on the stack, to either side of one of its variables.
const FRAME: usize = 2048;

/// How many of these words, complemented, lie in the writable memory of this process.
fn found(complements: &HashSet<u64>) -> usize {
    let mut buffer = vec![0; CHUNK];
    let own = buffer.as_ptr().addr();
    let memory = File::open("/proc/self/mem").expect("Linux has it");
    let maps = read_to_string("/proc/self/maps").expect("Linux has it");
    let mut seen = HashSet::new();
    // Here what is searched for stands for a moment, when its complement is read.
    let frame = ptr::from_ref(&seen).addr();
    let frame = frame - FRAME..frame + FRAME;
    for line in maps.lines() {
        let mut columns = line.split_whitespace();
        let mut column = || columns.next().expect("a range and its access");
        let (range, access) = (column(), column());
        if !access.starts_with("rw") {
            continue;
        }
        let (start, end) = range.split_once('-').expect("two addresses");
        let address = |text| usize::from_str_radix(text, 16).expect("an address");
        let (mut at, end) = (address(start), address(end));
        while at < end {
            let length = CHUNK.min(end - at);
            let chunk = &mut buffer[..length];
            let offset = u64::try_from(at).expect("64 bits");
            if memory.read_exact_at(chunk, offset).is_ok() {
                let words = chunk.windows(8).step_by(4).enumerate();
                for (place, word) in words {
                    let inside = at + 4 * place;
                    let word = !u64::from_le_bytes(word.try_into().expect("8 bytes"));
                    let is_ours = (own..own + CHUNK).contains(&inside) || frame.contains(&inside);
                    if complements.contains(&word) && !is_ours {
                        seen.insert(word);
                    }
                }
            }
            at += length;
        }
    }
    buffer.zeroize();
    seen.len()
}

/// A word that is not in memory until this is called.
fn hidden(place: u64) -> u64 {
    // SplitMix64 of the place.
    let mut word = (place + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    word ^ (word >> 31)
}

fn complements(places: std::ops::Range<u64>) -> HashSet<u64> {
    places.map(|place| !hidden(place)).collect()
}

/// The seed with the first four of the words.
#[inline(never)]
fn seed() -> Seed {
    let mut bytes = Box::new([0; 32]);
    for (place, word) in (0..).zip(bytes.as_chunks_mut().0) {
        *word = hidden(place).to_le_bytes();
    }
    Seed::new(&mut bytes)
}

/// The key that this seed expands to for the Laplace law of scale 20, computed elsewhere,
/// complemented.
const KEY_COMPLEMENT: [u64; 4] = [
    0x0fe4_4870_3f1f_c7c5,
    0x5e7e_55ac_c686_fae3,
    0xf217_0617_9d39_b929,
    0x1919_c142_0e10_b3bf,
];

#[derive(Default)]
struct Words(u64);

impl TryRng for Words {
    type Error = Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        unreachable!("samplers draw words of 64 bits")
    }

    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        self.0 += 1;
        Ok(hidden(self.0 - 1))
    }

    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Infallible> {
        for word in bytes.as_chunks_mut().0 {
            *word = self.next_u64().to_le_bytes();
        }
        Ok(())
    }
}

impl TryCryptoRng for Words {}

/// Does the work so deep on the stack that the search does not write over what is left there.
#[inline(never)]
fn deep<T>(work: impl FnOnce() -> T) -> T {
    let above = black_box([0_u8; 1 << 15]);
    let done = work();
    black_box(&above);
    done
}

/// Whether nothing is left of the words of a thousand draws.
fn leaves_nothing(fill: impl FnOnce(&mut Words, &mut [i64]) -> Result<(), Error>) -> bool {
    let words = deep(|| {
        let (mut words, mut out) = (Words::default(), vec![0_i64; 1000]);
        fill(&mut words, &mut out).expect("draws fit");
        out.zeroize();
        words.0
    });
    // Four draws a word at most.
    assert!(words >= 250);
    found(&complements(0..words)) == 0
}

/// The first word of a generator that is then dropped.
#[inline(never)]
fn first_word(generator: NoiseRng) -> u64 {
    // On the heap and back: a move.
    let mut moved = Box::new(generator);
    moved.next_u64()
}

/// AES in counter mode with the first four of the words for a seed.
#[cfg(feature = "aes")]
#[inline(never)]
fn aes() -> dp_samplers::AesRng {
    let mut bytes = Box::new([0; 32]);
    for (place, word) in (0..).zip(bytes.as_chunks_mut().0) {
        *word = hidden(place).to_le_bytes();
    }
    dp_samplers::AesRng::new(&mut bytes)
}

/// 1 with probability 1/3, or 0.
#[derive(Debug)]
struct Third;

impl Law for Third {
    fn at(&self, precision: u32) -> Box<dyn Fn(i64) -> Interval + '_> {
        let third = Interval::integer(1, precision).checked_div(&Interval::integer(3, precision));
        let third = third.expect("not by zero");
        Box::new(move |outcome| match outcome {
            0 => &third + &third,
            1 => third.clone(),
            _ => Interval::integer(0, precision),
        })
    }

    fn support(&self) -> RangeInclusive<i64> {
        0..=1
    }
}

/// One test, since the memory is that of all.
#[test]
fn seeds_keys_and_words_are_wiped_after_use() {
    let of_seed = complements(0..4);
    // What is searched for is found while it is alive.
    let alive = deep(seed);
    assert_eq!(found(&of_seed), 4);
    let generator = deep(|| alive.rng());
    drop(alive);
    assert_eq!(found(&of_seed), 4);
    drop(generator);
    assert_eq!(found(&of_seed), 0);
    let generator = seed().rng();
    assert_eq!(found(&of_seed), 4);
    assert_ne!(deep(|| first_word(generator)), 0);
    assert_eq!(found(&of_seed), 0);

    #[cfg(feature = "aes")]
    {
        let of_key = complements(0..2);
        let mut alive = Box::new(aes());
        assert_eq!(found(&of_key), 2);
        assert_ne!(deep(|| alive.next_u64()), 0);
        assert_eq!(found(&of_key), 2);
        // The next key takes its place.
        deep(|| alive.fill_bytes(&mut vec![0; 1 << 20]));
        assert_eq!(found(&of_seed), 0);
        deep(|| drop((alive, aes())));
        assert_eq!(found(&of_seed), 0);
        let drawn = deep(|| {
            let mut rng = aes();
            (0..64).map(|_| !rng.next_u64()).collect()
        });
        assert_eq!(found(&drawn), 0);
    }

    let laplace = DiscreteLaplace::new(&"20".parse().unwrap()).unwrap();
    let mut out = [0_i64; 1000];
    deep(|| laplace.expand(&seed(), &mut out[..0]).unwrap());
    assert_eq!(found(&of_seed), 0);
    assert_eq!(found(&HashSet::from(KEY_COMPLEMENT)), 0);
    deep(|| laplace.expand(&seed(), &mut out).unwrap());
    assert_eq!(found(&of_seed), 0);
    assert_eq!(found(&HashSet::from(KEY_COMPLEMENT)), 0);

    let scan = DiscreteGaussian::new(&"27".parse().unwrap()).unwrap();
    let gaussian = DiscreteGaussian::new(&"1e12".parse().unwrap()).unwrap();
    let two_pass = DiscreteGaussian::new(&"1e6".parse().unwrap()).unwrap();
    let wide = DiscreteGaussian::new(&"1e32".parse().unwrap()).unwrap();
    let geometric = Geometric::new(&"1e9".parse().unwrap()).unwrap();
    let third: Rational = "1/3".parse().unwrap();
    let binomial = Binomial::new(100, third.clone()).unwrap();
    let wide_binomial = Binomial::new(Binomial::<Rational>::MAX_TRIALS, third).unwrap();
    let table = Alias::new(Third).unwrap();
    assert!(leaves_nothing(|words, out| scan.fill(words, out)));
    assert!(leaves_nothing(|words, out| scan.add_to(words, out)));
    assert!(leaves_nothing(|words, out| laplace.fill(words, out)));
    assert!(leaves_nothing(|words, out| gaussian.fill(words, out)));
    assert!(leaves_nothing(|words, out| two_pass.fill(words, out)));
    assert!(leaves_nothing(|words, out| wide.fill(words, out)));
    assert!(leaves_nothing(|words, out| wide.add_to(words, out)));
    assert!(leaves_nothing(|words, out| geometric.fill(words, out)));
    assert!(leaves_nothing(|words, out| geometric.add_to(words, out)));
    assert!(leaves_nothing(|words, out| binomial.fill(words, out)));
    assert!(leaves_nothing(|words, out| wide_binomial.fill(words, out)));
    assert!(leaves_nothing(|words, out| {
        table.fill(words, out);
        Ok(())
    }));
    // Few at a time, by other ways.
    assert!(leaves_nothing(|words, out| out
        .chunks_mut(15)
        .try_for_each(|few| scan.fill(words, few))));
    assert!(leaves_nothing(|words, out| out
        .chunks_mut(15)
        .try_for_each(|few| scan.add_to(words, few))));
    assert!(leaves_nothing(|words, out| out
        .chunks_mut(15)
        .try_for_each(|few| two_pass.fill(words, few))));
    assert!(leaves_nothing(|words, out| out
        .chunks_mut(50)
        .try_for_each(|few| wide.fill(words, few))));
}
