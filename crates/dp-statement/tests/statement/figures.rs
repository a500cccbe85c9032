//! The figures are those of the task, and of known values.

use dp_calibration::Budget;
use dp_exact::{Rational, Rounding};
use dp_prio3::Promise;
use dp_statement::{Statement, Total};

use crate::common::{RELEASES, all, deployment_of, document, of, task};

fn pair(total: &Total) -> (&Rational, &Rational) {
    match total {
        Total::Kept { epsilon, delta, .. } => (epsilon, delta),
        Total::Absent { reason } => panic!("{reason}"),
    }
}

#[test]
fn one_release_is_what_the_task_guarantees() {
    for (name, statement) in all() {
        for stated in statement.stated() {
            let task = statement.task();
            let guarantee = task.guarantee_in(stated.guarantee.trust_model, task.circumstances());
            assert_eq!(stated.guarantee, guarantee, "{name}");
            let most = match &guarantee.promise {
                Promise::Absent { reason } => {
                    let absent = Total::Absent {
                        reason: reason.clone(),
                    };
                    assert_eq!(stated.once, absent, "{name}");
                    assert!(stated.all.protects_nobody(), "{name}");
                    continue;
                }
                Promise::Proved(Budget::Pure { epsilon } | Budget::Approximate { epsilon, .. }) => {
                    epsilon.value().clone()
                }
                Promise::Proved(Budget::ZeroConcentrated { .. }) => continue,
                other => panic!("{other:?}"),
            };
            let (epsilon, delta) = pair(&stated.once);
            assert!(*epsilon <= most, "{name}: {epsilon} > {most}");
            // What is better by more than a third would be another promise.
            assert!(
                epsilon * &Rational::from(3u64) > most * Rational::from(2u64),
                "{name}"
            );
            assert!(delta <= task.circumstances().delta().value(), "{name}");
        }
    }
}

#[test]
fn releases_add_up_to_no_more_than_their_sum_and_no_less_than_one() {
    for (name, statement) in all() {
        for stated in statement.stated() {
            let Total::Kept { .. } = stated.once else {
                continue;
            };
            let (once, _) = pair(&stated.once);
            let (all, delta) = pair(&stated.all);
            let (year, _) = pair(&stated.year);
            assert!(once < all && all < year, "{name}");
            assert!(
                delta <= statement.task().circumstances().delta().value(),
                "{name}"
            );
        }
    }
}

/// A promise against a stronger adversary holds against a weaker one.
#[test]
fn no_model_promises_less_than_one_that_implies_it() {
    for (name, statement) in all() {
        for stronger in statement.stated() {
            for weaker in statement.stated() {
                let implies = stronger
                    .guarantee
                    .trust_model
                    .implies(weaker.guarantee.trust_model);
                if !implies || matches!(stronger.all, Total::Absent { .. }) {
                    continue;
                }
                assert!(pair(&weaker.all).0 <= pair(&stronger.all).0, "{name}");
            }
        }
    }
}

/// From elsewhere: the README's 365 days of the histogram come to 23.44; pure promises add up exactly; ρ does.
#[test]
fn totals_are_the_known_ones() {
    let relied = |name: &str| {
        let statement = of(name);
        statement
            .in_model(statement.task().trust_model())
            .expect("stated")
    };
    let year = pair(&relied("histogram").year).0;
    assert_eq!(
        year.round_to_digits(4, Rounding::Nearest).to_string(),
        "23.44"
    );
    // 30 · 1/2 as a sum; a δ of 1e-9 would gain 0.01 %, and a pure total is more.
    let (epsilon, delta) = pair(&relied("count").all);
    assert!(
        *epsilon == Rational::from(15u64) && delta.is_zero(),
        "{epsilon} {delta}"
    );
    // A year of compensation among 900 honest clients.
    let year = pair(&relied("compensated").year).0.to_f64();
    assert!((10.7..10.92).contains(&year), "{year}");
    let Total::Kept { rho: Some(rho), .. } = &relied("sum").all else {
        panic!("no rho");
    };
    assert_eq!(*rho, "15/4".parse::<Rational>().expect("30/8"));
    assert_eq!(RELEASES, 30);
    // The noise of hedged clients is composed by its law, not by the promises of single releases.
    assert!(*pair(&relied("hedged").all).0 < Rational::from(7u64));
}

#[test]
fn releases_out_of_range_and_operators_that_do_not_fit_are_refused() {
    let task = task("count");
    let refused = |releases: u32| {
        let statement = Statement::new(task.clone(), deployment_of(&task, &document()), releases);
        statement.expect_err("out of range").to_string()
    };
    let range = "expected an integer from 1 to 1048576";
    assert_eq!(refused(0), format!("releases is 0: {range}"));
    assert_eq!(
        refused((1 << 20) + 1),
        format!("releases is 1048577: {range}")
    );
    let three = crate::common::task("average");
    let deployment = deployment_of(&task, &document());
    let refused = Statement::new(three, deployment, 1).expect_err("two operators");
    assert_eq!(
        refused.to_string(),
        "aggregators is 2: expected 3 tables, one for each aggregator of the task"
    );
}
