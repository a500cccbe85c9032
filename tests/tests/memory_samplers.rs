//! Seeds, keys, noise and the words that flip bits are wiped: the memory of this process is
//! searched for them.
#![cfg(target_os = "linux")]

use dp_exact::Rational;
use dp_rappor::SymmetricRappor;
use dp_samplers::{
    Binomial, DiscreteGaussian, DiscreteKNorm, DiscreteLaplace, Error, NoiseRng, Seed,
};
use dp_tests::memory::{Memory, Words, complements, deep, hidden};
use rand_core::Rng;
use zeroize::Zeroize;

/// The seed whose bytes are the first four hidden words.
#[inline(never)]
fn seed() -> Seed {
    let mut bytes = Box::new([0; 32]);
    for (place, word) in (0..).zip(bytes.as_chunks_mut().0) {
        *word = hidden(place).to_le_bytes();
    }
    let seed = Seed::new(&mut bytes);
    assert_eq!(*bytes, [0; 32]);
    seed
}

/// So many repetitions that later allocations do not take all freed memory.
const FREED: usize = 64;

/// Fills a slice with draws from the words.
type Fill<'a> = dyn Fn(&mut Words, &mut [i64]) -> Result<(), Error> + 'a;

/// Whether no random word of a thousand draws is left in memory.
fn leaves_nothing(fill: &Fill) -> bool {
    let mut memory = Memory::default();
    let words = deep(|| {
        let (mut words, mut out) = (Words::default(), vec![0_i64; 1000]);
        fill(&mut words, &mut out).expect("draws fit");
        out.zeroize();
        words.0
    });
    // Four draws a word at most.
    assert!(words >= 250);
    memory.count(&complements(0..words)) == 0
}

/// The first word of a generator, which is then dropped.
#[inline(never)]
fn first_word(generator: NoiseRng) -> u64 {
    // On the heap and back: a move.
    let mut moved = Box::new(generator);
    moved.next_u64()
}

/// One test, since all tests of a program share its memory.
#[test]
fn seeds_keys_and_words_are_wiped_after_use() {
    let mut memory = Memory::default();
    let of_seed = complements(0..4);
    // The search finds words that are alive.
    let alive = deep(seed);
    assert_eq!(memory.count(&of_seed), 4);
    let generator = deep(|| alive.rng());
    drop(alive);
    assert_eq!(memory.count(&of_seed), 4);
    drop(generator);
    assert_eq!(memory.count(&of_seed), 0);
    let generator = seed().rng();
    assert_eq!(memory.count(&of_seed), 4);
    assert_ne!(deep(|| first_word(generator)), 0);
    assert_eq!(memory.count(&of_seed), 0);

    deep(|| drop((0..FREED).map(|_| seed()).collect::<Vec<_>>()));
    assert_eq!(memory.count(&of_seed), 0);

    let laplace = DiscreteLaplace::new(&"20".parse().unwrap()).unwrap();
    let mut out = [0_i64; 1000];
    deep(|| laplace.fill(&mut seed().rng(), &mut out).unwrap());
    assert_eq!(memory.count(&of_seed), 0);

    let gaussian = |variance: &str| DiscreteGaussian::new(&variance.parse().unwrap()).unwrap();
    let (scan, wide) = (gaussian("27"), gaussian("1e32"));
    let third: Rational = "1/3".parse().unwrap();
    let binomial = Binomial::new(100, third.clone()).unwrap();
    let wide_binomial = Binomial::new(Binomial::<Rational>::MAX_TRIALS, third).unwrap();
    let rappor = SymmetricRappor::new("1".parse().unwrap()).unwrap();
    let k_norm = DiscreteKNorm::new(&"255".parse().unwrap(), 1000).unwrap();
    let ways: [(&str, &Fill); 12] = [
        ("scan", &|words, out| scan.fill(words, out)),
        ("scan, added", &|words, out| scan.add_to(words, out)),
        ("digits", &|words, out| laplace.fill(words, out)),
        ("rounds", &|words, out| gaussian("1e12").fill(words, out)),
        ("wide rounds", &|words, out| wide.fill(words, out)),
        ("wide rounds, added", &|words, out| wide.add_to(words, out)),
        ("binomial scan", &|words, out| binomial.fill(words, out)),
        ("binomial rounds", &|words, out| wide_binomial.fill(words, out)),
        ("cube", &|words, out| k_norm.fill(words, out)),
        ("cube, added", &|words, out| k_norm.add_to(words, out)),
        ("few at a time", &|words, out| {
            out.chunks_mut(15).try_for_each(|few| scan.fill(words, few))?;
            out.chunks_mut(15).try_for_each(|few| scan.add_to(words, few))?;
            out.chunks_mut(50).try_for_each(|few| wide.fill(words, few))
        }),
        ("flips", &|words, _| {
            rappor.randomize(words, &mut vec![false; 3200]);
            Ok(())
        }),
    ];
    for (way, fill) in ways {
        assert!(leaves_nothing(fill), "{way}");
    }
}
