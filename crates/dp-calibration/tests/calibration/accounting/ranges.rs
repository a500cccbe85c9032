//! The ends of the ranges: the last number that is accepted, and the first one that is not.

use dp_calibration::accounting::Accountant;

use super::{gaussian, kary, laplace, response};
use crate::common::number;

#[test]
fn releases_are_accepted_from_end_to_end_of_their_ranges_and_no_farther() {
    for (release, times, refused) in [
        (gaussian("1e-4", 1, 1), 1, None),
        (gaussian("9.9e-5", 1, 1), 1, Some("variance is ")),
        (gaussian("1e10", 1, 1), 1, None),
        (gaussian("10000000001", 1, 1), 1, Some("variance is ")),
        (laplace("1e-4", 1, 1), 1, None),
        (laplace("9.9e-5", 1, 1), 0, Some("scale is ")),
        (laplace("1e9", 1, 1), 1 << 20, None),
        (laplace("1e9", 1, 1), (1 << 20) + 1, Some("times is 1048577")),
        (laplace("1000000001", 1, 1), 1, Some("scale is ")),
        (response("1e-9", "0"), 1, None),
        (response("9.9e-10", "0"), 1, Some("epsilon is ")),
        (kary("1", 2), 1, None),
        (kary("1", 1), 1, Some("answers is ")),
    ] {
        let found =
            Accountant::new().add(release.clone(), times).err().map(|error| error.to_string());
        let as_expected = match (&found, refused) {
            (Some(found), Some(refused)) => found.starts_with(refused),
            (found, refused) => found.is_none() && refused.is_none(),
        };
        assert!(as_expected, "{release:?} {found:?}");
    }
    // What has a largest loss has an answer at δ = 0; Gaussian noise has none.
    let none = "0".parse().expect("a delta");
    let mut spent = Accountant::new();
    assert!(spent.epsilon(&none).expect("nothing is spent").upper.is_zero());
    spent.add(response("0.5", "0"), 1).expect("accepted");
    assert_eq!(spent.epsilon(&none).expect("pure").upper, number("0.5"));
    spent.add(gaussian("100", 1, 1), 1).expect("accepted");
    assert!(spent.epsilon(&none).is_err());
    assert!(spent.epsilon(&"0.91".parse().expect("a delta")).is_err());
}
