//! The table of where Gaussian noise begins to beat Laplace noise, as the guide has it.

use dp_planner::{BudgetScope, Error, Job, Target};

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
