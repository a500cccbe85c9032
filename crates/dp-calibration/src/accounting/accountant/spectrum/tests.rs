//! A planted fault in a spectrum; `tests/calibration/accounting/contours.rs` compares it with an
//! inverse Laplace transform.

use dp_exact::Interval;

use super::ReleaseKinds;
use crate::number;
use crate::privacy_loss::response;

#[test]
fn what_is_left_out_comes_back_in_the_bounds() {
    // Planted faults: to forget the nodes beyond the last one, and to forget a whole node.
    let (tilt, epsilon) = (number("5"), number("1.5"));
    let build = || {
        let mut kinds = ReleaseKinds::new(&tilt);
        kinds.add_gaussian(number("20.5"), number("1"), 2).expect("noise");
        kinds.add_gaussian(number("37.1"), number("1"), 1).expect("noise");
        kinds.add_law(response(&number("0.7"), 2, &tilt).expect("a law"), 3).expect("losses");
        kinds.spectrum(250_000_000).expect("a spectrum")
    };
    let found = build().delta(&epsilon).expect("an enclosure");
    let mut cut = build();
    cut.nodes.values.truncate(20);
    cut.nodes.beyond = Interval::integer(0, 128);
    let cut = cut.delta(&epsilon).expect("an enclosure");
    assert!(cut.upper() < found.lower() || cut.lower() > found.upper(), "{cut} {found}");
}
