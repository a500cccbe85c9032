//! Over the whole range, ε from 1e-6 to 1000 and δ from 0.5 to 1e-300: every question has an
//! answer on the safe side, or a typed error.

use dp_accounting::kov15;
use dp_exact::{Delta, Epsilon, Rational};
use proptest::prelude::*;

/// m·10^e
fn decimal(mantissa: u32, exponent: i32) -> String {
    format!("{mantissa}e{}", exponent - 2)
}

prop_compose! {
    /// A three-digit number between powers of ten.
    fn between(least: i32, most: i32)(mantissa in 100u32..1000, exponent in least..most) -> String {
        decimal(mantissa, exponent)
    }
}

fn epsilons() -> impl Strategy<Value = Epsilon> {
    between(-6, 3).prop_map(|text| text.parse().expect("an epsilon"))
}

fn deltas() -> impl Strategy<Value = Delta> {
    prop_oneof![between(-300, -1), between(-12, -1), Just("0.5".to_owned())]
        .prop_map(|text| text.parse().expect("a delta"))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn optimal_composition_is_below_the_sum(
        epsilon in epsilons(),
        delta in deltas(),
        times in 1u32..2000,
    ) {
        let slack = Rational::new(100_000_001, 100_000_000).unwrap();
        let none = "0".parse().unwrap();
        if let Ok(total) = kov15::epsilon(&epsilon, &none, times, &delta) {
            let basic = &Rational::from(u64::from(times)) * epsilon.value();
            prop_assert!(total <= &basic * &slack);
        }
    }
}
