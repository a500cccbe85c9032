//! Plans to report on.

use std::fs;
use std::path::PathBuf;
use std::sync::LazyLock;

use dp_planner::{Accuracy, Budget, Job, Plan, Scope, Wanted, plan};
use dp_report::Report;

/// The plan of the project's README: forty buckets, a quarter of a million clients, thirty days.
fn readme() -> Plan {
    let job = Job {
        releases: 30,
        ..Job::new("histogram:40".parse().expect("a query"), 250_000)
    };
    plan(&job, &budget("1", "1e-8")).expect("a plan")
}

fn budget(epsilon: &str, delta: &str) -> Wanted {
    let epsilon = epsilon.parse().expect("an epsilon");
    Wanted::budget(match delta {
        "0" => Budget::Pure { epsilon },
        delta => Budget::Approximate {
            epsilon,
            delta: delta.parse().expect("a delta"),
        },
    })
    .expect("a budget")
}

/// Jobs of every kind, small enough for a test, with their reports.
pub(crate) static PLANS: LazyLock<Vec<(&str, Plan, Report)>> = LazyLock::new(|| {
    let plans = plans().into_iter();
    let reported = plans.map(|(name, plan)| {
        let report = dp_report::plan::report(&plan);
        (name, plan, report)
    });
    reported.collect()
});

/// The first of them.
pub(crate) fn judged() -> &'static (&'static str, Plan, Report) {
    &PLANS[0]
}

fn plans() -> Vec<(&'static str, Plan)> {
    let of = |query: &str, clients: u64, wanted: &Wanted| {
        let job = Job::new(query.parse().expect("a query"), clients);
        plan(&job, wanted).expect("a plan")
    };
    let total = Wanted {
        scope: Scope::Total,
        ..budget("1", "1e-6")
    };
    let often = Job {
        releases: 365,
        ..Job::new("sum:80".parse().expect("a query"), 1000)
    };
    let hugely = Job {
        releases: dp_planner::MAX_RELEASES,
        ..Job::new("count".parse().expect("a query"), 1000)
    };
    let std = Accuracy::StandardDeviation("5%".parse().expect("an amount"));
    let accurate = Wanted::accuracy(std, "1e-9".parse().expect("a delta"));
    let local = Wanted {
        against: dp_planner::Against::AllAggregators,
        ..budget("1", "0")
    };
    vec![
        ("judged", readme()),
        ("count", of("count", 1000, &budget("0.5", "0"))),
        ("average", of("average:80", 5000, &budget("1", "1e-9"))),
        ("often", plan(&often, &total).expect("a plan")),
        ("accurate", of("sumvec:3:80", 10_000, &accurate)),
        ("local", of("histogram:5", 10_000, &local)),
        ("long", of("histogram:10000", 1_000_000, &budget("1", "0"))),
        ("hopeless", of("sum:80", 10, &local)),
        ("huge", of("count", 1000, &budget("100", "0"))),
        (
            "huge-often",
            plan(&hugely, &budget("100", "0")).expect("a plan"),
        ),
    ]
}

/// Writes a report where a person can look at it.
pub(crate) fn shown(name: &str, text: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
    let path = folder.join(name);
    fs::write(&path, text).expect("a file");
    path
}
