//! Every engine: its construction, single draws, slices with whole blocks and a rest, sums, big integers.

use dp_samplers::rand_core::Rng;
use dp_samplers::{AesRng, BernoulliReal, BigInt, Binomial, DiscreteGaussian, DiscreteLaplace};
use dp_samplers::{Error, Geometric, Rational, Seed, Variant};

use crate::fingerprint;

/// More than one block of any engine, and no multiple of any.
const DRAWS: usize = 277;

fn number(text: &str) -> Rational {
    text.parse().expect("a number")
}

/// What a law yields of one seed: a slice, the same slice added to zeros, and single draws, as one number.
macro_rules! drawn {
    ($law:expr, $variant:expr, $count:expr) => {{
        let law = $law.expect("the law is served");
        assert_eq!(law.variant(), $variant);
        let seed = Seed::from_u64(1);
        let (mut slice, mut sums) = ([0_i64; $count], [0_i64; $count]);
        law.fill(&mut seed.rng(), &mut slice).expect("it fits");
        law.add_to(&mut seed.rng(), &mut sums).expect("it fits");
        let mut big = vec![BigInt::ZERO; 3];
        law.fill(&mut seed.rng(), &mut big).expect("it fits");
        let mut rng = seed.rng();
        let single: [i64; 4] = std::array::from_fn(|_| law.sample_as(&mut rng).expect("it fits"));
        let bounded = law.fill(&mut seed.rng(), &mut [0_i8; $count]);
        assert_eq!(
            bounded.is_err(),
            slice.iter().any(|draw| i8::try_from(*draw).is_err())
        );
        let big = big.iter().map(|draw| i64::try_from(draw).expect("it fits"));
        let all = slice.into_iter().chain(sums).chain(big).chain(single);
        fingerprint(all.map(i64::cast_unsigned))
    }};
}

#[test]
#[cfg_attr(miri, ignore = "their tables take minutes")]
fn scans_draw_what_is_recorded() {
    let gaussian = drawn!(DiscreteGaussian::new(&number("1/4")), Variant::Scan, DRAWS);
    let laplace = drawn!(DiscreteLaplace::new(&number("2/5")), Variant::Scan, DRAWS);
    let geometric = drawn!(Geometric::new(&number("1/2")), Variant::Scan, DRAWS);
    assert_eq!(
        [gaussian, laplace, geometric],
        [
            0x970c_de34_dbff_8f65,
            0x673b_8038_f355_cba5,
            0x21d3_da65_675e_cc25
        ]
    );
}

#[test]
#[cfg_attr(miri, ignore = "its tables take minutes")]
fn two_passes_draw_what_is_recorded() {
    let gaussian = DiscreteGaussian::with_variant(&number("4"), Variant::TwoPass);
    let laplace = DiscreteLaplace::with_variant(&number("1"), Variant::TwoPass);
    let gaussian = drawn!(gaussian, Variant::TwoPass, DRAWS);
    let laplace = drawn!(laplace, Variant::TwoPass, DRAWS);
    assert_eq!(
        [gaussian, laplace],
        [0xe087_f82a_e81b_892e, 0xe3b6_1de5_23eb_584f]
    );
}

#[test]
#[cfg_attr(miri, ignore = "its tables take minutes")]
fn rounds_draw_what_is_recorded() {
    let single_block = drawn!(
        DiscreteGaussian::new(&number("1e8")),
        Variant::Rounds,
        DRAWS
    );
    let wide = drawn!(DiscreteGaussian::new(&number("1e16")), Variant::Rounds, 40);
    assert_eq!(
        [single_block, wide],
        [0x6ee1_e8fa_34aa_93c7, 0x18b3_90f3_ce1b_f8da]
    );
}

#[test]
#[cfg_attr(miri, ignore = "its tables take minutes")]
fn digits_draw_what_is_recorded() {
    let laplace = drawn!(
        DiscreteLaplace::new(&number("1000")),
        Variant::Digits,
        DRAWS
    );
    assert_eq!(laplace, 0x6af9_1cac_41ad_b6b4);
}

#[test]
#[cfg_attr(miri, ignore = "its tables take minutes")]
fn binomials_draw_what_is_recorded() {
    let binomial = Binomial::new(40, number("1/3"));
    assert_eq!(
        drawn!(binomial, Variant::Table, DRAWS),
        0xc423_e9e8_b119_b6cf
    );
}

#[test]
#[cfg_attr(miri, ignore = "its tables take minutes")]
fn the_reference_draws_what_is_recorded() {
    let gaussian = DiscreteGaussian::with_variant(&number("2"), Variant::Reference);
    assert_eq!(
        drawn!(gaussian, Variant::Reference, 8),
        0x26c8_c3c4_00b4_34b5
    );
}

#[test]
fn a_stream_of_a_seed_is_what_is_recorded() {
    let mut seed = [7; 32];
    let kept = Seed::new(&mut seed);
    assert_eq!(seed, [0; 32]);
    let mut draws = [0_i64; 20];
    let law = DiscreteGaussian::new(&number("2")).expect("it is served");
    law.expand(&kept, &mut draws).expect("it fits");
    assert_eq!(
        fingerprint(draws.map(i64::cast_unsigned)),
        0x0f81_f6de_d1a6_8d81
    );
}

#[test]
fn coins_fall_as_recorded() {
    let coin = BernoulliReal::new(number("1/3")).expect("a probability");
    let mut rng = Seed::from_u64(5).rng();
    let mut coins = [false; 70];
    coin.fill(&mut rng, &mut coins);
    assert_eq!(fingerprint(coins.map(u64::from)), 0x45cc_1dbe_5978_24c4);
}

#[test]
fn generators_give_what_is_recorded_at_any_length() {
    let mut by_aes = AesRng::new(&mut [9; 32]);
    let mut bytes = [0; 301];
    by_aes.fill_bytes(&mut bytes);
    let aes = fingerprint(bytes.map(u64::from).into_iter().chain([by_aes.next_u64()]));
    let mut by_chacha = Seed::from_u64(3).rng();
    by_chacha.fill_bytes(&mut bytes);
    let words = [by_chacha.next_u64(), by_chacha.next_u32().into()];
    let chacha = fingerprint(bytes.map(u64::from).into_iter().chain(words));
    assert_eq!(
        [aes, chacha],
        [0x651f_dfe7_0e2e_b1b1, 0xd644_c04c_cfc3_6a26]
    );
}

#[test]
fn a_draw_that_does_not_fit_ends_a_slice() {
    let law = DiscreteGaussian::new(&number("1e8")).expect("it is served");
    let mut draws = [0_i64; 30];
    law.fill(&mut Seed::from_u64(1).rng(), &mut draws)
        .expect("it fits");
    assert!(draws.iter().all(|draw| draw.abs() < 100_000));
    let refused = law.fill(&mut Seed::from_u64(1).rng(), &mut [0_i8; 30]);
    assert!(matches!(refused, Err(Error::Overflow { .. })));
}
