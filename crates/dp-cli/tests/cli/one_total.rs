//! A task has one total: whichever command states what one person is guaranteed by it names the
//! same figures, to the last digit.

use std::fmt::Write as _;
use std::fs;

use dp_exact::{Rational, Rounding};
use serde_json::Value;

use crate::support::{Folder, ROOT, figures, json, number, text};

/// Jobs and targets of `plan`: every VDAF, every kind of noise, each trust model, one release and
/// several, one report of a person and several, with and without δ, replaced, deleted and one
/// coordinate.
const PLANS: [&str; 26] = [
    "count --clients 1000 --epsilon 1",
    "count --clients 1000 --epsilon 1 --releases 30",
    "count --clients 1000 --epsilon 1 --delta 1e-6 --releases 30 --total",
    "count --clients 1000 --epsilon 1 --delta 1e-6 --against all-aggregators",
    "count --clients 2000 --epsilon 1 --delta 1e-8 --if-all-collude 3 --releases 5 --total",
    "sum:80 --clients 1000 --epsilon 1/2 --delta 1e-8",
    "sum:80 --clients 1000 --rho 1/8 --releases 4 --reports-per-client 3",
    "average --grid 40..140/0.1 --clients 5000 --epsilon 1 --delta 1e-9 --releases 12 --total",
    "sumvec:5:9 --clients 10000 --epsilon 1 --delta 1e-8 --releases 7 --reports-per-client 2 --total",
    "sumvec:3:80 --clients 10000 --std 5% --delta 1e-9",
    "histogram:40 --clients 250000 --epsilon 1 --delta 1e-8 --releases 30 --total",
    "histogram:5 --clients 10000 --epsilon 1 --against all-aggregators",
    "histogram:12 --clients 2000 --epsilon 1 --delta 1e-6 --if-all-collude 6",
    "histogram:12 --clients 2000 --epsilon 1 --delta 1e-6 --policy histogram-response --against collector",
    "histogram:64 --for percentiles --clients 10000 --epsilon 1 --delta 1e-8 --releases 3",
    "histogram:12 --clients 2000 --epsilon 1 --delta 1e-8 --policy multihot-one-hot-rappor --releases 2",
    "multihot:14:3 --clients 10000 --epsilon 4 --delta 1e-6 --against all-aggregators",
    "multihot:14:3 --clients 10000 --epsilon 1 --delta 1e-6 --reports-per-client 2",
    "l1boundsum:6:20 --clients 1000 --epsilon 1 --releases 2",
    "histogram:40 --clients 250000 --epsilon 1 --adjacency deletion",
    "histogram:40 --clients 2000 --epsilon 1 --delta 1e-8 --releases 3 --total --adjacency deletion",
    "sumvec:5:9 --clients 10000 --epsilon 1 --delta 1e-8 --releases 3 --total --adjacency one-coordinate",
    "multihot:14:3 --clients 10000 --rho 1/8 --adjacency one-coordinate",
    "multihot:14:3 --clients 10000 --epsilon 1 --delta 1e-6 --against all-aggregators --reports-per-client 2 --adjacency one-coordinate",
    "multihot:14:3 --clients 2000 --epsilon 1 --delta 1e-6 --if-all-collude 3 --releases 2 --total --adjacency one-coordinate",
    "count --clients 500 --epsilon 1 --delta 1e-6 --policy count-response --honest-fraction 0.9 --against collector",
];

/// The ε of OC, OAOC and OAMC for all releases of a person, as a document writes it; empty without
/// a guarantee.
type Totals = [String; 3];

fn totals(all: &Value) -> Totals {
    let of = |place: usize| all[place]["epsilon"].as_str().unwrap_or_default().to_owned();
    [0, 1, 2].map(of)
}

/// The noise of one aggregator as a mechanism of `compose`, and the δ of the total, where noise of
/// aggregators alone protects one report of a person in each release, with a δ.
fn mechanism(plan: &str, choice: &Value) -> Option<(String, String)> {
    let parameters = choice["parameter"].as_object()?;
    let (name, value) = parameters.iter().next().filter(|_| parameters.len() == 1)?;
    let noise = match name.as_str() {
        "variance" => "gaussian",
        "scale" => "laplace",
        _ => return None,
    };
    let delta = text(choice["total"]["oaoc"].get("delta")?);
    let others = ["--for", "--grid", "--reports-per-client", "--adjacency"];
    let is_plain = delta != "0" && !others.iter().any(|option| plan.contains(option));
    let query = plan.split(' ').next()?;
    is_plain.then(|| (format!("{noise}:{}:{query}", text(value)), delta.to_owned()))
}

/// The number after the first ` = ` behind `name` in TOML.
fn in_toml(document: &str, name: &str) -> u64 {
    let (_, rest) = document.split_once(&format!("{name} = ")).expect(name);
    let end = rest.find(|character: char| !character.is_ascii_digit()).unwrap_or(rest.len());
    rest[..end].parse().expect(name)
}

/// The totals that `policies`, `simulate` and `statement` state about a task with several reports
/// of a person. The errors of `policies` are for the smallest batch, or those of the plan's choice.
fn stated(
    folder: &Folder,
    task: &str,
    document: &str,
    choice: Option<&Value>,
) -> [(&'static str, Totals); 3] {
    let of_plan = choice.map(|choice| format!(" --clients {}", text(&choice["clients"])));
    let listed = json(&format!("policies --task {task}{}", of_plan.unwrap_or_default()));
    let row = &listed["policies"][0];
    match choice {
        None => assert_eq!(text(&row["clients"]), in_toml(document, "min_reports").to_string()),
        Some(choice) => {
            for field in ["std", "margin_95"] {
                let ratio = number(&row[field]) / number(&choice[field]);
                assert!((ratio - 1.0).abs() < 1e-9, "{field} {ratio}: {row}");
            }
        }
    }
    let clients = in_toml(document, "min_reports").max(1000);
    let run = json(&format!(
        "simulate --ideal --seed 1 --task {task} --clients {clients} --synthetic uniform"
    ));
    let example = fs::read_to_string(format!("{ROOT}/examples/deployments/heights.toml"));
    let further = "[[aggregators]]\noperator = \"Post\"\ntrust = \"The law\"\n\n";
    let further = match in_toml(document, "aggregators") {
        2 => "[collector]".to_owned(),
        _ => format!("{further}[collector]"),
    };
    let deployment = example.expect("a file").replace("[collector]", &further);
    let deployment = folder.with("deployment.toml", deployment);
    let line = format!("statement --task {task} --deployment {deployment} --accept-weak-guarantee");
    let made = json(&format!("{line} --releases {}", in_toml(document, "releases")));
    let details = &made["record"]["deployment"]["privacy_loss"]["privacy_parameters_details"];
    let lines: Vec<&str> = text(details).lines().collect();
    let of_statement = ["OC", "OAOC", "OAMC"].map(|model| {
        let begin = format!("- {model} (");
        let line = lines.iter().find(|line| line.starts_with(&begin)).expect(model);
        let all = line.split_once("; in total ").or(line.split_once(" releases "));
        let (_, all) = all.expect("all releases");
        let epsilon = all.strip_prefix("epsilon ").and_then(|rest| rest.split(',').next());
        epsilon.unwrap_or_default().to_owned()
    });
    [
        ("policies", totals(&listed["policies"][0]["person"]["all_releases"])),
        ("simulate", totals(&run["person"]["all_releases"])),
        ("statement", of_statement),
    ]
}

#[test]
fn every_command_names_the_same_total_of_a_task() {
    let folder = Folder::new();
    let mut differences = String::new();
    let mut compare =
        |name: &str, document: &str, planned: Option<Totals>, choice: Option<&Value>| {
            let task = folder.with("compared.toml", document);
            let is_one =
                document.contains("releases = 1\n") && !document.contains("reports_per_client");
            let all = stated(&folder, &task, document, choice);
            let first = planned.unwrap_or_else(|| all[2].1.clone());
            assert!(first.iter().any(|epsilon| !epsilon.is_empty()), "{name}");
            // A task that counts on no other client states OAMC with one honest client.
            let own = document.contains("[client_noise]") && !document.contains("honest_clients");
            let models = if choice.is_some() && own { 2 } else { 3 };
            for (command, found) in all {
                // Of one report of a person the others state the policy's budget.
                if found[..models] != first[..models] && (command == "statement" || !is_one) {
                    let _ = writeln!(differences, "{name}: {command} {found:?}, not {first:?}");
                }
            }
        };
    let mut composed = 0;
    for plan in PLANS {
        let task = folder.at("planned.toml");
        let made = json(&format!("plan --type {plan} --task {task} --force"));
        let chosen = text(&made["chosen"]).to_owned();
        let asked = plan
            .split_once("--policy ")
            .map_or(chosen, |(_, rest)| rest.split(' ').next().expect("a name").to_owned());
        let choices = made["choices"].as_array().expect("choices");
        let choice = choices.iter().find(|one| one["policy"] == *asked).expect("the choice");
        let total = &choice["total"];
        let planned = ["oc", "oaoc", "oamc"]
            .map(|model| total[model]["epsilon"].as_str().unwrap_or_default().to_owned());
        if let Some((mechanism, delta)) = mechanism(plan, choice) {
            let releases = &made["job"]["releases"];
            let (releases, epsilon) = (text(releases), &planned[1]);
            let line =
                format!("compose --mechanism {mechanism} --times {releases} --delta {delta}");
            let upper: Rational = text(&figures(&line)["epsilon_upper"]).parse().expect("a number");
            let upper = upper.round_to_digits(12, Rounding::Up).to_string();
            assert_eq!(upper, *epsilon, "{plan}: {line}");
            composed += 1;
        }
        // Other plans have the errors of prefixes, each of which is a sum of buckets.
        let of_buckets = Some(choice).filter(|_| !plan.contains("--for"));
        compare(plan, &folder.read("planned.toml"), Some(planned), of_buckets);
    }
    assert!(composed > 1, "{composed}");
    for entry in fs::read_dir(format!("{ROOT}/examples/tasks")).expect("a folder") {
        let path = entry.expect("an entry").path();
        let document = fs::read_to_string(&path).expect("a file");
        assert!(document.contains("[trust]\n"), "{document}");
        let often = document.replace("[trust]\n", "[trust]\nreleases = 2\n");
        compare(&path.display().to_string(), &often, None, None);
    }
    assert!(differences.is_empty(), "{differences}");
}

#[test]
fn a_delta_beside_a_task_is_taken() {
    let folder = Folder::new();
    let task = folder.at("planned.toml");
    json(&format!("plan --type sum:80 --clients 1000 --rho 1/8 --releases 4 --task {task}"));
    for command in ["policies", "simulate --ideal --seed 1 --clients 1000 --synthetic uniform"] {
        let all = |delta: &str| {
            let document = json(&format!("{command} --task {task}{delta}"));
            let row = document.get("policies").map_or(&document, |policies| &policies[0]);
            row["person"]["all_releases"][1].clone()
        };
        let (own, larger) = (all(""), all(" --delta 1e-5"));
        assert_eq!((text(&own["delta"]), text(&larger["delta"])), ("1e-9", "1e-5"), "{command}");
        assert!(number(&larger["epsilon"]) < number(&own["epsilon"]), "{command}");
    }
}
