//! The largest jobs are answered: a policy that takes seconds would not be.

use dp_planner::{
    Accuracy, Adjacency, Budget, BudgetScope, Error, Grid, Job, Target, TrustModel, plan,
};

use crate::answers::job;
use crate::workloads::total;

fn check(jobs: &[(Job, &Target, TrustModel)]) -> Result<(), Error> {
    for (job, target, trust_model) in jobs {
        let target = Target { trust_model: *trust_model, ..(*target).clone() };
        let plan = plan(job, &target)?;
        assert!(plan.chosen().is_some(), "{} {:?}", job.query, plan.excluded);
    }
    Ok(())
}

fn often(query: &str) -> Job {
    Job { releases: 10_000, ..job(query, 1_000_000_000) }
}

#[test]
fn the_largest_jobs_are_answered() -> Result<(), Error> {
    let rho = Target::budget(Budget::ZeroConcentrated { rho: "1/8".parse()? });
    let rho = Target { scope: BudgetScope::Total, ..rho };
    let margin = Target::accuracy(Accuracy::Margin("1%".parse()?), "1e-9".parse()?);
    let grid: Grid = "40..140/0.1".parse()?;
    let on_a_grid =
        Job { grid: Some(grid.clone()), ..Job::new(Job::query_on("average", &grid)?, 100_000) };
    let group = Job { reports_per_client: 5, releases: 365, ..job("multihot:14:3", 100_000) };
    let many =
        Job { aggregators: 254, adjacency: Adjacency::Deletion, ..job("histogram:40", 100_000) };
    check(&[
        (often("multihot:1e5:3"), &total(), TrustModel::OneClient),
        (on_a_grid, &margin, TrustModel::OneAggregatorOneClient),
        (group, &rho, TrustModel::OneAggregatorOneClient),
        (many, &margin, TrustModel::OneAggregatorOneClient),
    ])
}

#[test]
#[ignore = "takes seconds: ten thousand releases over a billion clients"]
fn the_largest_jobs_of_many_clients_are_answered() -> Result<(), Error> {
    check(&[
        (often("histogram:1e5"), &total(), TrustModel::OneAggregatorOneClient),
        (often("count"), &total(), TrustModel::OneAggregatorMostClients),
    ])
}
