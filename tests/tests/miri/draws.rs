//! Draws of each distribution: single, in slices with whole blocks and a rest, sums, big integers.

use dp_samplers::{
    BigInt, Binomial, DiscreteGaussian, DiscreteLaplace, Error, Geometric, Rational, Seed,
};

/// Number of draws: more than one block of any engine, and no multiple of any.
const DRAWS: usize = 277;

fn number(text: &str) -> Rational {
    text.parse().expect("a number")
}

/// Asserts that one seed gives equal draws when a slice is filled and when draws are added to it,
/// in every type of integer.
macro_rules! assert_fills_as_it_adds {
    ($law:expr) => {{
        let law = $law.expect("the parameter is served");
        let seed = Seed::from_u64(1);
        let (mut filled, mut sums) = ([0_i64; DRAWS], [1_i64; DRAWS]);
        law.fill(&mut seed.rng(), &mut filled).expect("it fits");
        law.add_to(&mut seed.rng(), &mut sums).expect("it fits");
        assert_eq!(filled.map(|draw| draw + 1), sums);
        let mut big = vec![BigInt::ZERO; DRAWS];
        law.fill(&mut seed.rng(), &mut big).expect("it fits");
        assert_eq!(filled.map(BigInt::from).as_slice(), big);
    }};
}

#[test]
fn narrow_gaussians_fill_as_they_add() {
    assert_fills_as_it_adds!(DiscreteGaussian::new(&number("1/4")));
}

#[test]
#[cfg_attr(miri, ignore = "their construction takes minutes")]
fn all_others_fill_as_they_add() {
    assert_fills_as_it_adds!(DiscreteGaussian::new(&number("1e8")));
    assert_fills_as_it_adds!(DiscreteLaplace::new(&number("2/5")));
    assert_fills_as_it_adds!(DiscreteLaplace::new(&number("1000")));
    assert_fills_as_it_adds!(Geometric::new(&number("1/2")));
    assert_fills_as_it_adds!(Binomial::new(40, number("1/3")));
}

#[test]
#[cfg_attr(miri, ignore = "its construction takes minutes")]
fn a_draw_that_does_not_fit_is_an_error() {
    let law = DiscreteGaussian::new(&number("1e8")).expect("it is served");
    let refused = law.fill(&mut Seed::from_u64(1).rng(), &mut [0_i8; 30]);
    assert!(matches!(refused, Err(Error::Overflow { .. })));
}

#[test]
fn a_seed_wipes_what_it_was_made_of() {
    let mut bytes = [7; 32];
    let _seed = Seed::new(&mut bytes);
    assert_eq!(bytes, [0; 32]);
}
