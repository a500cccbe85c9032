//! Zero-concentrated privacy: exact conversions of noise, and the conversion to (ε, δ).

use crate::common::{number, relative, rows, upper};
use dp_calibration::zcdp;
use dp_exact::{Rational, Rho};
use num_bigint::BigUint;

#[test]
fn variance_and_rho_are_inverse_to_each_other_exactly() {
    for (rho, l2_squared, variance) in [("1/2", 1u32, "1"), ("0.025", 2, "40"), ("3", 7, "7/6")] {
        let rho: Rho = rho.parse().unwrap();
        let l2_squared = BigUint::from(l2_squared);
        assert_eq!(zcdp::variance(&rho, &l2_squared).unwrap(), number(variance));
        assert_eq!(zcdp::rho(&number(variance), &l2_squared).unwrap(), rho);
    }
}

#[test]
fn the_conversion_is_the_reference_from_the_safe_side() {
    for row in rows("zcdp_conversion.csv") {
        let reference = number(&row[3]);
        // A shade for the rounding of the reference itself.
        let shade = number("1e-23");
        match row[0].as_str() {
            "eps(rho delta)" => {
                let (rho, delta) = (row[1].parse().unwrap(), row[2].parse().unwrap());
                let epsilon = zcdp::epsilon(&rho, &delta).unwrap();
                assert!(&epsilon + &shade >= reference, "{row:?}: {epsilon}");
                let most = &reference * &number("1.000000001");
                assert!(epsilon <= most, "{row:?}: {epsilon}");
            }
            "rho(eps delta)" => {
                let (epsilon, delta) = (row[1].parse().unwrap(), row[2].parse().unwrap());
                let rho = zcdp::largest_rho(&epsilon, &delta).unwrap();
                assert!(*rho.value() <= reference, "{row:?}: {rho}");
                assert!(relative(rho.value(), &reference) < 1e-9, "{row:?}: {rho}");
            }
            _ => {
                let (rho, epsilon) = (row[1].parse().unwrap(), row[2].parse().unwrap());
                let delta = upper(&zcdp::delta(&rho, &epsilon).unwrap());
                assert!(&delta * &(Rational::one() + &shade) >= reference, "{row:?}");
                assert!(relative(&delta, &reference) < 1e-9, "{row:?}");
            }
        }
    }
}
