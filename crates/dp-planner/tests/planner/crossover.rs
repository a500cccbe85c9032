//! The table of where Gaussian noise begins to beat Laplace noise, as the guide has it.

use dp_planner::{BudgetScope, Error, Job, Target};

use crate::answers::{alone, approximate, job};

const DELTAS: [&str; 3] = ["1e-6", "1e-8", "1e-10"];

const RELEASES: [u32; 9] = [1, 2, 4, 6, 8, 16, 30, 100, 365];

/// The standard deviations of one aggregator's Laplace and Gaussian noise.
fn deviations(releases: u32, delta: &str) -> Result<[f64; 2], Error> {
    let job = Job { releases, ..job("histogram:40", 1_000_000) };
    let target = Target { scope: BudgetScope::Total, ..Target::budget(approximate("1", delta))? };
    let each = |name| Ok::<_, Error>(alone(&job, &target, name)?.errors.std / 2f64.sqrt());
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

fn guide() -> String {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/dap.md");
    std::fs::read_to_string(path).expect("a document")
}

#[test]
fn lines_of_the_guide_are_what_the_planner_says() -> Result<(), Error> {
    for releases in [1, 8, 30] {
        let line = line(releases)?;
        assert!(guide().contains(&line), "{line}");
    }
    Ok(())
}

#[test]
#[ignore = "takes seconds: every line of the table"]
fn the_table_of_the_guide_is_what_the_planner_says() -> Result<(), Error> {
    let head = DELTAS.map(|delta| format!(" Laplace, δ = {delta} | Gaussian, δ = {delta} |"));
    let mut table = format!("| k |{}\n|{}\n", head.concat(), "---|".repeat(7));
    for releases in RELEASES {
        table += &line(releases)?;
    }
    assert!(guide().contains(&table), "{table}");
    Ok(())
}
