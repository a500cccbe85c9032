//! Percentiles and ranges: policies are ranked by the error of what is asked.

use dp_planner::{
    Accuracy, Budget, BudgetScope, Error, Job, PairGuarantee, PolicyName, Target, Task, Workload,
    plan, std_of,
};

use crate::answers::{alone, approximate, epsilon, job};

fn asked(workload: Workload, buckets: usize, releases: u32) -> Job {
    Job { workload, releases, ..job(&format!("histogram:{buckets}"), 10_000) }
}

/// ε = 1 and δ = 1e-8 for all releases together.
pub(crate) fn total() -> Target {
    let target = Target::budget(approximate("1", "1e-8"));
    Target { scope: BudgetScope::Total, ..target }
}

const TOEPLITZ: &str = "histogram-percentiles-gaussian";
const TREE: &str = "histogram-ranges-laplace";
const LAPLACE: &str = "histogram-laplace";

/// The most accurate policy of each workload, number of releases and number of buckets.
fn check_best(table: &[(Workload, u32, usize, &str)]) -> Result<(), Error> {
    let policies = [LAPLACE, "histogram-gaussian", TOEPLITZ, "histogram-ranges-gaussian", TREE];
    let policies = policies.map(|name| PolicyName::find(name).expect("a policy"));
    for &(workload, releases, buckets, expected) in table {
        let job = asked(workload, buckets, releases);
        let stds = policies.iter().map(|policy| std_of(&job, &total(), policy));
        let stds = stds.collect::<Result<Vec<f64>, Error>>()?;
        let found = policies.iter().zip(&stds).min_by(|(_, one), (_, other)| one.total_cmp(other));
        let name = found.map(|(policy, _)| policy.name);
        assert_eq!(name, Some(expected), "{workload} {releases} {buckets}: {stds:?}");
    }
    Ok(())
}

/// The table of `docs/strategy-matrices.md`.
#[test]
fn matrices_win_from_some_number_of_buckets_on() -> Result<(), Error> {
    check_best(&[
        (Workload::Percentiles, 1, 96, TREE),
        (Workload::Percentiles, 4, 16, LAPLACE),
        (Workload::Percentiles, 4, 24, TOEPLITZ),
        (Workload::Percentiles, 8, 12, TOEPLITZ),
        (Workload::Ranges, 12, 32, "histogram-ranges-gaussian"),
    ])
}

#[test]
#[ignore = "takes seconds: thousands of buckets"]
fn matrices_win_for_many_buckets() -> Result<(), Error> {
    check_best(&[
        (Workload::Percentiles, 1, 12, LAPLACE),
        (Workload::Percentiles, 1, 64, LAPLACE),
        (Workload::Percentiles, 1, 128, TREE),
        (Workload::Percentiles, 12, 32, TOEPLITZ),
        (Workload::Percentiles, 2, 64, LAPLACE),
        (Workload::Percentiles, 2, 96, TOEPLITZ),
        (Workload::Ranges, 1, 128, LAPLACE),
        (Workload::Ranges, 1, 256, TREE),
        (Workload::Percentiles, 1, 256, TREE),
        (Workload::Percentiles, 12, 256, TOEPLITZ),
        (Workload::Percentiles, 1, 1024, TREE),
        (Workload::Percentiles, 1, 2048, TOEPLITZ),
    ])
}

#[test]
fn a_matrix_is_for_percentiles_and_ranges_of_some_buckets() -> Result<(), Error> {
    let buckets = plan(&asked(Workload::Buckets, 12, 1), &total())?;
    let refused = buckets.choice("histogram-ranges-gaussian").expect_err("for ranges").to_string();
    assert!(refused.contains("--for percentiles"), "{refused}");
    let two = plan(&asked(Workload::Ranges, 2, 1), &total())?;
    let refused = two.choice("histogram-ranges-gaussian").expect_err("too few").to_string();
    assert!(refused.contains("length is 2: expected from 3 to 16384 buckets"), "{refused}");
    Ok(())
}

#[test]
fn only_the_buckets_of_a_histogram_have_an_order() {
    let job = Job { workload: Workload::Ranges, ..job("multihot:5:2", 100) };
    let refused = plan(&job, &total()).expect_err("refused").to_string();
    assert!(refused.starts_with("for is ranges: expected buckets: "), "{refused}");
}

/// The standard error that the collector reports of a total; of prefixes and ranges the root mean
/// square over all, corrected by the known number of reports.
fn standard_error(task: &Task, job: &Job) -> f64 {
    let length = usize::try_from(job.estimates()).expect("few");
    // Equal shares, which k-ary randomized response leaves as they are.
    let totals = vec![i128::from(job.clients) / i128::from(job.estimates()); length];
    let (policy, reports) = (task.policy(), job.clients);
    let total = policy.estimate(&totals, reports)[0].standard_error;
    if job.workload == Workload::Buckets {
        return total;
    }
    let mut variances = Vec::new();
    for (start, end) in
        (0..length).flat_map(|start| (start + 1..=length).map(move |end| (start, end)))
    {
        let is_asked = match job.workload {
            Workload::Percentiles => start == 0 && end < length,
            _ => end - start < length,
        };
        if is_asked {
            let error = policy.range_error(start..end).expect("aggregators alone add noise");
            variances.push(error.standard_error().powi(2));
        }
    }
    let count = f64::from(u32::try_from(variances.len()).expect("few"));
    (variances.iter().sum::<f64>() / count).sqrt()
}

#[test]
fn every_policy_has_the_error_that_was_planned() -> Result<(), Error> {
    let mut tried = 0;
    let others = "count sum:9 average:80 sumvec:4:7 multihot:5:2 l1boundsum:4:9";
    let others = others.split(' ').map(|query| (query, Workload::Buckets));
    let workloads = [Workload::Buckets, Workload::Percentiles, Workload::Ranges];
    for (query, workload) in others.chain(workloads.map(|workload| ("histogram:7", workload))) {
        for (if_all_collude, aggregators) in [(None, 2), (Some("3".parse()?), 3)] {
            let job = Job { workload, aggregators, ..job(query, 7000) };
            let target = Target { if_all_collude, ..Target::budget(approximate("1", "1e-6")) };
            for choice in plan(&job, &target)?.choices {
                let expected = standard_error(&choice.task(&target)?, &job);
                let (name, ratio) = (choice.policy.name, choice.errors.std / expected);
                assert!((ratio - 1.0).abs() < 1e-3, "{query} {workload} {name}: {ratio}");
                tried += 1;
            }
        }
    }
    assert!(tried > 35, "{tried}");
    Ok(())
}

#[test]
fn an_accuracy_is_that_of_a_prefix_or_a_range() -> Result<(), Error> {
    let standard = Accuracy::StandardDeviation;
    for (workload, accuracy, is_std) in [
        (Workload::Percentiles, standard("200".parse()?), true),
        (Workload::Percentiles, Accuracy::Margin("200".parse()?), false),
        (Workload::Ranges, standard("2%".parse()?), true),
    ] {
        let (job, allowed) = (asked(workload, 12, 1), 200.0);
        let target = Target::accuracy(accuracy, "1e-8".parse()?);
        let found = plan(&job, &target)?;
        assert!(found.choices.iter().any(|choice| choice.policy.strategy().is_some()));
        for choice in &found.choices {
            let error = if is_std { choice.errors.std } else { choice.errors.margin_95 };
            assert!(error <= allowed * (1.0 + 1e-6), "{workload} {choice:?}");
            assert!(error >= allowed * 0.99, "{workload} {choice:?}");
            assert!(choice.errors.std <= choice.errors.max_error_95);
        }
        // The noise of a budget with the ε that was found is the noise of the accuracy.
        let toeplitz = found.choice("histogram-percentiles-gaussian")?;
        let budget = approximate(&epsilon(&toeplitz.per_release.oaoc).to_string(), "1e-8");
        let again = alone(&job, &Target::budget(budget), toeplitz.policy.name)?;
        let ratio = again.errors.std / toeplitz.errors.std;
        assert!((ratio - 1.0).abs() < 1e-4, "{ratio}");
    }
    Ok(())
}

#[test]
fn fewest_clients_reach_the_accuracy_of_a_prefix() -> Result<(), Error> {
    let job = asked(Workload::Percentiles, 12, 1);
    let accuracy = Some(Accuracy::StandardDeviation("1%".parse()?));
    let target = Target { accuracy, ..Target::budget(approximate("1", "1e-8")) };
    for choice in plan(&job, &target)?.choices {
        let share = choice.errors.std / f64::from(u32::try_from(choice.clients).expect("fewer"));
        assert!((0.0099..=0.01).contains(&share), "{share} {choice:?}");
    }
    Ok(())
}

/// ρ of a release behind a matrix adds up, and the ε of a release is the one of its noise, not of
/// its ρ.
#[test]
fn a_guarantee_behind_a_matrix_is_that_of_the_noise() -> Result<(), Error> {
    let job = asked(Workload::Percentiles, 32, 12);
    let target = Target {
        scope: BudgetScope::Total,
        ..Target::budget(Budget::ZeroConcentrated { rho: "0.12".parse()? })
    };
    let toeplitz = alone(&job, &target, "histogram-percentiles-gaussian")?;
    let PairGuarantee::Kept { rho: Some(rho), .. } = &toeplitz.total.oaoc else {
        panic!("{toeplitz:?}");
    };
    assert!((rho.to_f64() - 0.12).abs() < 1e-9, "{rho}");
    // Gaussian noise of the same ρ, whose ε at 1e-9 has the exact divergence.
    let independent = alone(&job, &target, "histogram-gaussian")?;
    for (one, other) in
        [(&toeplitz.per_release, &independent.per_release), (&toeplitz.total, &independent.total)]
    {
        let (one, other) = (epsilon(&one.oaoc), epsilon(&other.oaoc));
        assert!((one / other - 1.0).abs() < 2e-3, "{one} {other}");
    }
    Ok(())
}
