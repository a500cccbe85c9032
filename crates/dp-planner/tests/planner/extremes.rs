//! The largest jobs are answered.

use dp_planner::{Accuracy, Against, Budget, Error, Job, Scope, Wanted, plan};

use crate::answers::{approximate, job};

fn is_answered(job: &Job, wanted: &Wanted) -> Result<(), Error> {
    let plan = plan(job, wanted)?;
    assert!(
        !plan.choices.is_empty(),
        "{} {:?}",
        job.query,
        plan.excluded
    );
    Ok(())
}

#[test]
fn the_largest_jobs_are_answered() -> Result<(), Error> {
    for query in ["histogram:1e5", "sumvec:1e5:255", "multihot:1e5:3", "count"] {
        for (scope, releases, clients) in [
            (Scope::Total, 10_000, 1_000_000_000),
            (Scope::Total, 7, 1_000_000),
        ] {
            for against in [
                Against::OneAggregator,
                Against::AllAggregators,
                Against::Collector,
            ] {
                if against == Against::AllAggregators && query.starts_with(['s', 'a', 'l']) {
                    continue;
                }
                let job = Job {
                    releases,
                    ..job(query, clients)
                };
                let wanted = Wanted {
                    scope,
                    against,
                    ..Wanted::budget(approximate("1", "1e-8"))?
                };
                is_answered(&job, &wanted)?;
            }
        }
    }
    Ok(())
}

#[test]
fn groups_grids_rho_and_many_aggregators_are_answered() -> Result<(), Error> {
    let rho = Wanted {
        scope: Scope::Total,
        ..Wanted::budget(Budget::ZeroConcentrated {
            rho: "1/8".parse()?,
        })?
    };
    let grid: dp_planner::Grid = "40..140/0.1".parse()?;
    let on_a_grid = Job {
        grid: Some(grid.clone()),
        ..Job::new(Job::query_on("average", &grid)?, 100_000)
    };
    let group = Job {
        reports_per_client: 5,
        releases: 365,
        ..job("multihot:14:3", 100_000)
    };
    let many = Job {
        aggregators: 254,
        honest_aggregators: 4,
        ..job("histogram:40", 100_000)
    };
    let margin = Wanted::accuracy(Accuracy::Margin("1%".parse()?), "1e-9".parse()?);
    let deleted = Job {
        adjacency: dp_planner::Adjacency::Deletion,
        ..job("histogram:40", 100_000)
    };
    for job in [on_a_grid, group, many, deleted] {
        is_answered(&job, &rho)?;
        is_answered(&job, &margin)?;
        is_answered(&job, &Wanted::budget(approximate("1", "1e-9"))?)?;
    }
    Ok(())
}
