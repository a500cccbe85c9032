//! Inverses of accuracy at the ends of their ranges.

use crate::common::number;
use dp_calibration::utility::{Noise, gaussian_variance, laplace_scale, rappor_clients};
use num_bigint::BigUint;

#[test]
fn noise_below_one_is_found_for_an_accuracy_that_takes_it() {
    // Of a thousand estimates none is off, but for a probability of 1e-9.
    let (beta, nothing) = (number("1e-9"), BigUint::ZERO);
    let holds = |noise: Noise| noise.simultaneous(1000, &beta).unwrap() == nothing;
    let more = number("1.00000000001");
    let scale = laplace_scale(1, &nothing, 1000, &beta).unwrap();
    assert!(scale < number("0.1"));
    assert!(holds(Noise::laplace(scale.clone()).unwrap()));
    assert!(!holds(Noise::laplace(scale * &more).unwrap()));
    let variance = gaussian_variance(1, &nothing, 1000, &beta).unwrap();
    assert!(variance < number("0.1"));
    assert!(holds(Noise::gaussian(variance.clone()).unwrap()));
    assert!(!holds(Noise::gaussian(variance * &more).unwrap()));
}

#[test]
fn the_deviation_of_so_many_clients_takes_no_more_of_them() {
    for clients in (1u32..3000).step_by(7).chain([1_000_000]) {
        for rate in ["0.1", "2", "9"] {
            let sinh = f64::sinh(number(rate).to_f64() / 2.0);
            let deviation = 0.5 / (f64::from(clients).sqrt() * sinh);
            if (1e-9..=1.0).contains(&deviation) {
                let found = rappor_clients(&rate.parse().unwrap(), deviation).unwrap();
                assert_eq!(found, u64::from(clients), "{rate}");
            }
        }
    }
}
