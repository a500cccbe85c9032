//! Lower bounds of mechanisms at the edges: views that are always the same, or tell everything, or have no width, or the
//! largest integers; few runs, many ties.

use dp_audit::{Audit, Error, FromFn, Generator, Input, LowerBound, Views};
use rand_chacha::rand_core::Rng as _;

/// How often a bound may be wrong: all bounds of a test together less often than 1e-9.
const ERROR: f64 = 1e-13;

/// Bounds at these δ of a mechanism of one integer.
fn bounds(
    runs: u64,
    seed: u64,
    deltas: &[f64],
    value: impl Fn(Input, &mut Generator) -> i64 + Sync,
) -> Vec<LowerBound> {
    let views = FromFn::new(1, move |input, generator, view: &mut [i64]| {
        view[0] = value(input, generator);
        Ok::<_, Error>(())
    });
    let audit = Audit::new(runs, ERROR, seed).expect("an audit");
    audit.lower_bounds(&views, deltas).expect("bounds")
}

#[test]
fn what_is_always_the_same_tells_nothing() {
    for value in [0, 1, -1, i64::MAX, i64::MIN] {
        for runs in [100, 101, 1_000, 5_000] {
            for bound in bounds(runs, 1, &[0.0, 0.01, 0.999], |_, _| value) {
                assert_eq!(bound.epsilon, 0.0, "{value}: {bound:?}");
            }
        }
    }
}

#[test]
fn what_tells_the_input_is_bounded_by_the_runs_alone() {
    for (one, other) in [
        (0, 1),
        (i64::MIN, i64::MAX),
        (-1, 1),
        (i64::MAX - 1, i64::MAX),
    ] {
        for runs in [100, 5_000] {
            let tells = |input, _: &mut Generator| if input == Input::First { one } else { other };
            for bound in bounds(runs, 1, &[0.0, 0.01, 0.5], tells) {
                // With k of n and 0 of n, Clopper and Pearson have closed forms.
                let n = u32::try_from(bound.runs).expect("few");
                let half = f64::powf(bound.error / 2.0, 1.0 / f64::from(n));
                let closed = ((half - bound.delta) / (1.0 - half)).ln().max(0.0);
                assert!(bound.epsilon.is_finite(), "{bound:?}");
                assert!(
                    (bound.epsilon - closed).abs() < 1e-9,
                    "{one}, {other}: {closed}, {bound:?}"
                );
            }
        }
    }
}

#[test]
fn views_without_width_and_views_of_many_ties() {
    let none = FromFn::new(0, |_, _: &mut Generator, _: &mut [i64]| Ok::<_, Error>(()));
    assert_eq!(none.width(), 0);
    let audit = Audit::new(1_000, 1e-6, 1).expect("an audit");
    let refused = audit.lower_bound(&none, 0.0).expect_err("refused");
    assert!(refused.to_string().starts_with("width is 0"), "{refused}");
    // Zero but once in 1000 runs, whatever the input: ε is 0. Of 400 audits none may be above.
    for seed in 0..400 {
        let rare =
            |_, generator: &mut Generator| i64::from(generator.next_u32().is_multiple_of(1_000));
        for bound in bounds(1_000, seed, &[0.0, 1e-3], rare) {
            assert_eq!(bound.epsilon, 0.0, "{bound:?}");
        }
    }
}

#[test]
fn what_is_lost_with_probability_delta_alone_is_not_seen_beyond_it() {
    // The input itself once in ten runs: (0, 1/10)-differentially private, and of no less δ at any ε.
    let leaks = |input, generator: &mut Generator| match (generator.next_u32() % 10, input) {
        (0, Input::First) => 1,
        (0, Input::Second) => 2,
        _ => 0,
    };
    for seed in 0..200 {
        let of = bounds(20_000, seed, &[0.1, 0.2, 0.05], leaks);
        assert_eq!([of[0].epsilon, of[1].epsilon], [0.0; 2], "{of:?}");
        assert!(of[2].epsilon > 1.0, "{of:?}");
    }
}
