use super::super::tilted::tests::{comb, off, term_by_term, tilting};
use super::super::tilting::BoundSide;
use super::*;

#[test]
fn laws_without_a_common_lattice_are_added_up_closely_on_either_side() {
    // Two of some dozen losses; and two of losses far apart on very fine lattices.
    for (one, other, at) in [
        (comb("0.0123", "0.3", 60, 1), comb("0.00371234567", "0.1", 80, 1), "0.15"),
        (
            comb("1.234567e-6", "0.04", 70_000, 1999),
            comb("1.1234567e-6", "0.04", 70_000, 2013),
            "0.01",
        ),
    ] {
        let at_epsilon: f64 = at.parse().expect("a number");
        let truth = term_by_term(&[&one, &other], at_epsilon);
        for side in [BoundSide::Upper, BoundSide::Lower] {
            let tilting = tilting(side);
            let laws = vec![one.clone(), other.clone()];
            let sum = together(laws, &tilting).expect("fits");
            assert!(!sum.exact);
            let off = off(&sum, side, truth, at);
            let close = match side {
                BoundSide::Upper => 1e-10,
                BoundSide::Lower => 1e-5,
            };
            assert!(off < close, "{side:?} {off}");
        }
    }
}
