//! The Gaussian sums against values computed independently with 60 digits (plain sums in mpmath).

use dp_exact::{Shift, gaussian_sum};

use crate::{agrees, rational};

/// Variance, shift of the lattice, and the sum to 40 digits.
const SUMS: [(&str, Shift, &str); 8] = [
    ("1/100", Shift::Zero, "1.0000000000000000000003857499695927835566"),
    ("1/100", Shift::Half, "0.00000745330634415734198584970295190085236067496"),
    ("0.2", Shift::Half, "1.07773631078553823867982059056986045593967"),
    ("0.25", Shift::Zero, "1.27134152218901522522238257879093562497686"),
    ("0.3", Shift::Half, "1.36557661378711788917048430054391115662139"),
    ("1", Shift::Zero, "2.50662828804290554483067905386396037814745"),
    ("5", Shift::Half, "5.60499121639792869931128243386880089385432"),
    ("1000", Shift::Zero, "79.2665459521202202669005753024036606304472"),
];

#[test]
fn gaussian_sums_agree_with_an_independent_computation() {
    for (variance, shift, reference) in SUMS {
        let sum = gaussian_sum(&rational(variance), shift, 160).expect("positive");
        assert!(agrees(&sum, reference, "1e-38"), "S({variance}, {shift:?}) is {sum}");
    }
}
