//! The tables of where Gaussian noise begins to beat Laplace noise, as the documentation has them.

use dp_planner::{Error, Job, Scope, Wanted};

use crate::answers::{alone, approximate, job};

const DELTAS: [&str; 3] = ["1e-6", "1e-8", "1e-10"];

const RELEASES: [u32; 9] = [1, 2, 4, 6, 8, 16, 30, 100, 365];

/// The standard deviations of one aggregator's Laplace and Gaussian noise.
fn deviations(releases: u32, delta: &str) -> Result<[f64; 2], Error> {
    let job = Job {
        releases,
        honest_aggregators: 1,
        ..job("histogram:40", 1_000_000)
    };
    let wanted = Wanted {
        scope: Scope::Total,
        ..Wanted::budget(approximate("1", delta))?
    };
    let each = |name| Ok::<_, Error>(alone(&job, &wanted, name)?.errors.std / 2f64.sqrt());
    Ok([each("histogram-laplace")?, each("histogram-gaussian")?])
}

fn table() -> Result<String, Error> {
    let head = DELTAS.map(|delta| format!(" Laplace, δ = {delta} | Gaussian, δ = {delta} |"));
    let mut text = format!("| k |{}\n|{}\n", head.concat(), "---|".repeat(7));
    for releases in RELEASES {
        text += &format!("| {releases} |");
        for delta in DELTAS {
            let [laplace, gaussian] = deviations(releases, delta)?;
            let cell = |value: f64, wins: bool| {
                let value = format!("{value:.2}");
                if wins {
                    format!(" **{value}** |")
                } else {
                    format!(" {value} |")
                }
            };
            text += &cell(laplace, laplace < gaussian);
            text += &cell(gaussian, gaussian < laplace);
        }
        text.push('\n');
    }
    Ok(text)
}

/// Written anew with SNAPSHOT=write.
#[test]
fn the_tables_of_the_documentation_are_what_the_planner_says() -> Result<(), Error> {
    let table = table()?;
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/");
    for file in ["README.md", "../../docs/dap.md"] {
        let path = format!("{root}{file}");
        let text = std::fs::read_to_string(&path).expect("a document");
        let (before, rest) = text
            .split_once("tests/planner/crossover.rs -->\n")
            .expect("a table");
        let (found, after) = rest.split_once("<!-- end -->").expect("its end");
        if std::env::var_os("SNAPSHOT").is_some_and(|mode| mode == "write") {
            let written =
                format!("{before}tests/planner/crossover.rs -->\n{table}<!-- end -->{after}");
            std::fs::write(&path, written).expect("a document");
        } else {
            assert_eq!(found, table, "{file}");
        }
    }
    Ok(())
}
