//! Where one noise begins to beat another: Gaussian and Laplace noise in the table of the guide,
//! and noise in the shape of a cube.

use dp_planner::{Accuracy, BudgetScope, Error, ErrorBound, Job, Target, plan};

use crate::answers::{alone, approximate, job};

const DELTAS: [&str; 3] = ["1e-6", "1e-8", "1e-10"];

/// The standard deviations of one aggregator's Laplace and Gaussian noise.
fn deviations(releases: u32, delta: &str) -> Result<[f64; 2], Error> {
    let job = Job { releases, ..job("histogram:40", 1_000_000) };
    let target = Target { scope: BudgetScope::Total, ..Target::budget(approximate("1", delta)) };
    // Of two aggregators; the known number of reports takes a 40th of the variance away.
    let draws = (2.0 * 39.0 / 40.0_f64).sqrt();
    let each = |name| Ok::<_, Error>(alone(&job, &target, name)?.errors.std / draws);
    Ok([each("histogram-laplace")?, each("histogram-gaussian")?])
}

/// The line of the table for this number of releases.
fn line(releases: u32) -> Result<String, Error> {
    let mut text = format!("| {releases} |");
    for delta in DELTAS {
        let [laplace, gaussian] = deviations(releases, delta)?;
        let cell = |value: f64, wins: bool| {
            let value = format!("{value:.2}");
            if wins { format!(" **{value}** |") } else { format!(" {value} |") }
        };
        text += &cell(laplace, laplace < gaussian);
        text += &cell(gaussian, gaussian < laplace);
    }
    Ok(text + "\n")
}

/// The guide has these lines of the table, under a head that names the columns.
fn check(releases: &[u32]) -> Result<(), Error> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/dap.md");
    let guide = std::fs::read_to_string(path).expect("a document");
    let head = DELTAS.map(|delta| format!(" Laplace, δ = {delta} | Gaussian, δ = {delta} |"));
    assert!(guide.contains(&format!("| k |{}\n|---|", head.concat())));
    for line in releases.iter().map(|releases| line(*releases)) {
        let line = line?;
        assert!(guide.contains(&line), "{line}");
    }
    Ok(())
}

#[test]
fn lines_of_the_guide_are_what_the_planner_says() -> Result<(), Error> {
    check(&[1, 8, 30])
}

#[test]
#[ignore = "takes seconds: the other lines of the table"]
fn the_table_of_the_guide_is_what_the_planner_says() -> Result<(), Error> {
    check(&[2, 4, 6, 16, 100, 365])
}

/// The standard deviation of cube noise is t·√(2(d + 1)(d + 2)/3) for two aggregators, t = max/ε.
#[test]
fn few_releases_of_short_vectors_have_noise_in_the_shape_of_a_cube() -> Result<(), Error> {
    for (query, releases, best, std) in [
        ("sumvec:2:255", 1, "sumvec-cube", 721.25),
        ("sumvec:14:255", 1, "sumvec-cube", 3225.5),
        ("sumvec:200:255", 1, "sumvec-gaussian", 26_012.0),
        ("sumvec:1:255", 1, "sumvec-laplace", 510.0),
        ("sumvec:5:255", 8, "sumvec-cube", 10_800.0),
        ("sumvec:5:255", 14, "sumvec-gaussian", 15_390.0),
        ("multihot:8:8", 1, "multihot-cube", 7.735),
        ("multihot:14:3", 1, "multihot-laplace", 12.0),
    ] {
        let job = Job { releases, ..job(query, 100_000) };
        let target =
            Target { scope: BudgetScope::Total, ..Target::budget(approximate("1", "1e-8")) };
        let plan = plan(&job, &target)?;
        let chosen = plan.chosen().expect("a policy");
        assert_eq!(chosen.policy.name, best, "{query} {releases}: {:?}", chosen.errors);
        assert!((chosen.errors.std / std - 1.0).abs() < 0.05, "{query}: {:?}", chosen.errors);
    }
    Ok(())
}

#[test]
fn cube_noise_is_the_largest_for_an_accuracy() -> Result<(), Error> {
    for query in ["sumvec:3:255", "multihot:12:12"] {
        let bound = || ErrorBound::Absolute("40".parse().expect("a number"));
        let name = if query.starts_with("sumvec") { "sumvec-cube" } else { "multihot-cube" };
        let of = |accuracy| {
            let target = Target::accuracy(accuracy, "0".parse().expect("a delta"));
            Ok::<_, Error>(alone(&job(query, 1000), &target, name)?.errors)
        };
        let std = of(Accuracy::StandardDeviation(bound()))?.std;
        assert!((39.999_999..=40.0).contains(&std), "{query}: {std}");
        let margin = of(Accuracy::Margin(bound()))?.margin_95;
        assert!((margin - 40.0).abs() < 1e-9, "{query}: {margin}");
    }
    Ok(())
}
