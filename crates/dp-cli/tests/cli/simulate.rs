//! `simulate` and `policies`: tasks, data of one's own, synthetic data, runs without reports,
//! lists.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::support::{Folder, ROOT, json, number, refusal, rows, run, simulated, success, text};

/// The truth in every coordinate.
fn truth(document: &Value) -> String {
    let rows = document["coordinates"].as_array().expect("an array");
    let pair = |row: &Value| format!("{}={}", text(&row["label"]), text(&row["truth"]));
    rows.iter().map(pair).collect::<Vec<_>>().join(" ")
}

#[test]
fn every_policy_runs_by_its_name_and_says_whom_it_protects_from() {
    let listed = json("policies");
    let policies = listed["policies"].as_array().expect("an array");
    assert!(policies.len() >= 33);
    for (place, policy) in policies.iter().enumerate() {
        let name = text(&policy["policy"]);
        let job = match text(&policy["vdaf"]) {
            "Prio3Count" => "count",
            "Prio3Sum" => "sum:80",
            "Prio3Average" => "average:80",
            "Prio3SumVec" => "sumvec:3:10",
            "Prio3Histogram" => "histogram:6",
            // Of one-hot policies a bucket.
            "Prio3MultihotCountVec" => "multihot:6:1",
            "Prio3L1BoundSum" => "l1boundsum:3:10",
            other => panic!("{other}"),
        };
        let law = ["uniform", "zipf", "normal"][place % 3];
        let ideal = ["", " --ideal"][place % 2];
        let line = format!("--policy {name} --clients 40 --accept-weak-guarantee");
        let synthetic = simulated(&format!("{line} --type {job} --synthetic {law}{ideal}"));
        assert!(text(&synthetic["synthetic"]).starts_with(&format!("{law} over ")), "{name}");
        let document = simulated(&line);
        for document in [&document, &synthetic] {
            assert_eq!((text(&document["policy"]), &document["vdaf"]), (name, &policy["vdaf"]));
            assert_eq!(document["summary"]["clients"], "40");
            assert!(number(&document["summary"]["predicted_std"]) > 0.0, "{name}");
        }
        let guarantees = document["guarantees"].as_array().expect("an array");
        let listed = policy["guarantees"].as_array().expect("an array");
        assert_eq!((guarantees.len(), listed.len()), (3, 3));
        for (guarantee, listed) in guarantees.iter().zip(listed) {
            assert_eq!(
                guarantee.is_null(),
                listed["budget"].is_null(),
                "{name}: {guarantee} and {listed}"
            );
            assert!(!text(&listed["otherwise"]).is_empty(), "{name}: {listed}");
        }
    }
}

#[test]
fn each_example_task_runs_by_its_command_and_without_data() {
    let mut vdafs = BTreeSet::new();
    for entry in fs::read_dir(Path::new(ROOT).join("examples/tasks")).expect("a folder") {
        let path = entry.expect("a file").path();
        let task = fs::read_to_string(&path).expect("text");
        let command =
            task.lines().next().and_then(|line| line.strip_prefix("# cargo xtask simulate "));
        let document =
            simulated(&format!("{} --clients 1000 --ideal", command.expect("a command")));
        assert_eq!(text(&document["parameters"]["task_digest"]).len(), 64);
        vdafs.insert(text(&document["vdaf"]).to_owned());
        // Guarantees of noisy clients take long to prove.
        if task.contains("client_noise") {
            continue;
        }
        let synthetic = simulated(&format!("--task {} --ideal", path.display()));
        assert_eq!(synthetic["summary"]["clients"], "1000", "as many as the batch needs: {path:?}");
        assert!(synthetic["synthetic"].is_string(), "{path:?}");
    }
    assert_eq!(vdafs.len(), 7, "one for each VDAF: {vdafs:?}");
}

/// Every type of Prio3, as `plan` takes it, with the law that suits it: the task that is planned
/// runs as it is, and by the command in its first line.
#[test]
fn a_planned_task_runs() {
    let folder = Folder::new();
    let task = folder.at("task.toml");
    for [job, law] in rows(
        "\
        --type count | uniform over no and yes
        --type average:64 | normal over the integers from 0 to 64
        --type average --grid 40..140/0.1 | normal over a grid from 40 to 140 in steps of 0.1
        --type sumvec:2 --grid=-1..1/0.01 | uniform over a grid from -1 to 1 in steps of 0.01, for each of 2 entries
        --type sumvec:1:9 | uniform over the integers from 0 to 9, for each of 1 entry
        --type histogram:40 | zipf over 40 buckets
        --type multihot:14:3 | zipf over the places of up to 3 ones of 14 bits
        --type l1boundsum:4:100 | uniform over sums from 0 to 100 of 4 entries",
    ) {
        let said = success(&format!("plan {job} --clients 300 --epsilon 1 --delta 1e-9 --task {task}"));
        let document = simulated(&format!("--task {task} --ideal"));
        assert_eq!(text(&document["synthetic"]), law);
        assert!(said.contains(&format!("The task of {} is in ", text(&document["policy"]))), "{said}");
        let written = folder.read("task.toml");
        let command = written.lines().next().and_then(|line| line.split_once(" simulate "));
        assert_eq!(simulated(command.expect("a command").1)["summary"]["clients"], "300");
    }
    // Of too many clients to report one by one.
    success(&format!("plan --type histogram:40 --clients 1e9 --epsilon 1 --task {task}"));
    let written = folder.read("task.toml");
    let command = written.lines().next().and_then(|line| line.split_once(" simulate "));
    assert_eq!(simulated(command.expect("a command").1)["functionality"], "ideal");
}

#[test]
fn values_are_measured_as_the_options_say() {
    let folder = Folder::new();
    let people = include_str!("../people.csv").replace("70,5", "70.5");
    let path = folder.with("people.csv", people);
    for [line, expected] in rows(
        "\
        --column platform --bins ios,android,KaiOS | ios=2 android=1 KaiOS=1
        --column platform --bins android,ios --overflow-bins | android=1 ios=2 other=1
        --column platform --bins KaiOS,android,ios --delimiter ; | KaiOS=1 android=1 ios=2
        --column age --bins 40..60/10 --missing skip --clamp | 40..50=2 50..60=1
        --column age --bins 40..60/10 --missing skip --overflow-bins | below 40=1 40..50=1 50..60=0 60 and above=1
        --policy count-laplace --column agree --yes yes --no no,unknown,NA | agree=1
        --policy sum-laplace --column age --max-measurement 80 --clamp --missing skip | age=156
        --policy sum-laplace --column weight_kg --grid 0..150/0.5 | weight_kg=331
        --policy average-gaussian --column weight_kg --grid 40..140/20 --clamp | weight_kg=85
        --policy sumvec-laplace --columns weight_kg,age --grid 0..200/0.5 --missing skip | weight_kg=250 age=276
        --policy multihot-rappor --columns agree --yes yes --no no,unknown,NA | agree=1
        --policy sumvec-laplace --max-measurement 1 --columns agree --yes yes --no no,unknown,NA | agree=1
        --policy multihot-rappor --column platform --bins ios,android --overflow-bins | ios=2 android=1 other=1",
    ) {
        assert_eq!(truth(&simulated(&format!("--data {path} {line}"))), expected, "{line}");
    }
    let line = format!("--data {path} --column age --bins 40..60/10 --missing skip --clamp");
    let data = simulated(&line)["data"].clone();
    for (name, count) in [
        ("rows", "4"),
        ("rows_skipped", "1"),
        ("values_clamped_below", "1"),
        ("values_clamped_above", "1"),
    ] {
        assert_eq!(data[name], count, "{name}");
    }
    let printed = success(&format!("simulate {line}"));
    assert!(printed.contains("Rows left out because a value is missing: 1 of 4."), "{printed}");
    // --grid measures like the grid of a task.
    let spelled_out = simulated(
        "--policy average-laplace --epsilon 0.5 --column weight_kg --grid 40..140/0.1 --clamp",
    );
    let from_file = simulated("--task examples/tasks/weight.toml --column weight_kg");
    for name in ["coordinates", "question", "data", "vdaf", "policy"] {
        assert_eq!(spelled_out[name], from_file[name], "{name}");
    }
}

/// Integers without any option: bucket numbers in bins of their own, others in the narrowest bins.
#[test]
fn the_only_column_of_integers_and_its_bins_fit_a_task() {
    let folder = Folder::new();
    let task = folder.at("task.toml");
    success(&format!(
        "plan --type histogram:4 --clients 4 --epsilon 1 --policy histogram-laplace --min-reports 1 --task {task}"
    ));
    for (ages, bins) in
        [("0 1 2 3", "0..4/1"), ("-3 1 2 9", "-4..12/4"), ("20 21 NA 39", "20..40/5")]
    {
        let rows: String = ages.split(' ').map(|age| format!("a,{age},1.5\n")).collect();
        let data = folder.with("data.csv", format!("name,age,size\n{rows}"));
        let line = format!("--task {task} --data {data} --missing skip");
        let found = simulated(&line);
        let given = simulated(&format!("{line} --column age --bins {bins}"));
        assert_eq!(truth(&found), truth(&given), "{ages}");
        let said = success(&format!("simulate --seed 1 {line}")).replace("\n    ", " ");
        assert!(said.contains(&format!("--bins {bins}")), "{said}");
    }
}

#[test]
fn a_task_file_that_is_refused_is_named() {
    let task = fs::read_to_string(Path::new(ROOT).join("examples/tasks/histogram.toml"));
    let task = task.expect("a task").replace("\"OAOC\"", "\"OC\"");
    let folder = Folder::new();
    let path = folder.with("task.toml", task);
    let refused = refusal(&format!("simulate --task {path}"));
    assert!(refused.starts_with(&format!("{path}: trust.model is OC: ")), "{refused}");
}

#[test]
fn consistent_estimates_use_every_known_constraint() {
    // The sum of one-hot vectors is known, too.
    for (policy, known) in [
        ("histogram-laplace", "add up to the number of reports"),
        ("multihot-one-hot-rappor --epsilon0 1", "add up to the number of reports"),
        ("multihot-rappor --epsilon0 1", "the range of a total over these reports"),
        ("average-laplace", "the range of the measurements"),
        ("l1boundsum-laplace", "add up to no more than these reports can"),
    ] {
        let document = simulated(&format!("--consistent --clients 50 --policy {policy}"));
        assert!(text(&document["post_processing"]).contains(known), "{policy}");
    }
    assert!(simulated("--policy count-laplace")["post_processing"].is_null());
}

/// Dropped and missing reports are counted, and a batch below its least size is not released.
#[test]
fn missing_reports_are_said_to_be_missing() {
    let lossy =
        "--policy multihot-one-hot-rappor --epsilon0 3 --false-positive-rate 0.3 --clients 300";
    let lossy = success(&format!("simulate --seed 1 {lossy}"));
    assert!(
        lossy.contains(" not sent, as the randomized measurement was not a valid one\n"),
        "{lossy}"
    );
    let folder = Folder::new();
    let task =
        fs::read_to_string(Path::new(ROOT).join("examples/tasks/multihot.toml")).expect("a task");
    let task = folder.with("task.toml", task.replace("rate = 0", "rate = \"0.4\""));
    let line = format!(
        "simulate --task {task} --columns asthma,tb,colitis,polio,tumor --seed 1 --clients"
    );
    success(&format!("{line} 5000"));
    let refused = run(&format!("{line} 1000"));
    let error = String::from_utf8(refused.stderr).expect("UTF-8");
    assert_eq!(refused.status.code(), Some(2), "{error}");
    assert!(error.trim_end().ends_with("the policy releases none below 1000"), "{error}");
    // Added reports hide.
    let policy = "--policy compensated-rappor --clients 40 --accept-weak-guarantee";
    let few = simulated(&format!("{policy} --target-honest-clients 30"));
    let many = simulated(policy);
    let epsilon = |document: &Value| number(&epsilon_or_rho(&document["guarantees"][1]));
    assert!(epsilon(&few) > 5.0 && epsilon(&many) < 1.0);
}

/// The bound of a guarantee.
fn epsilon_or_rho(guarantee: &Value) -> Value {
    let budget = guarantee["budget"].as_object().expect("a budget").values().next();
    let budget = budget.expect("of one kind");
    [&budget["epsilon"], &budget["rho"]].into_iter().find(|it| !it.is_null()).expect("one").clone()
}

/// A row of a table of runs is the run alone, and what is refused is a row.
#[test]
fn each_combination_of_listed_values_is_the_run_alone() {
    let line = "simulate --seed 5 --trials 2 --policy histogram-laplace,histogram-gaussian,histogram-response \
                --bins 140..200/10,140..200/20 --rho 0.1,0.2 --clients 40,1e2";
    let document = json(line);
    assert_eq!(
        (text(&document["format"]), text(&document["inputs"]["rho"])),
        ("dp-cli runs", "0.1,0.2")
    );
    let runs = document["runs"].as_array().expect("runs");
    // Laplace noise and answers do not take rho.
    assert_eq!(runs.len(), (1 + 2 + 1) * 2 * 2);
    let alone = |run: &Value| {
        let options = ["policy", "rho", "bins", "clients"]
            .iter()
            .filter_map(|name| Some(format!("--{name} {}", run.get(name)?.as_str()?)));
        let options: Vec<String> = options.collect();
        json(&format!("simulate --seed 5 --trials 2 {}", options.join(" ")))
    };
    for run in [&runs[0], &runs[5], &runs[15]] {
        let alone = alone(run);
        for name in ["results_digest", "observed_std", "coverage_95"] {
            assert_eq!(run[name], alone["summary"][name], "{run}");
        }
        let bound = epsilon_or_rho(&alone["guarantees"][1]);
        let bounds = ["oaoc_epsilon", "oaoc_rho"].map(|name| run.get(name));
        assert_eq!(bounds.into_iter().flatten().next(), Some(&bound), "{run}");
        let rows = alone["coordinates"].as_array().expect("rows").iter();
        let errors = rows.map(|row| (number(&row["estimate"]) - number(&row["truth"])).abs());
        let (largest, all) = errors.fold((0.0, 0.0), |(most, sum), it| (it.max(most), sum + it));
        let count = alone["coordinates"].as_array().expect("rows").len();
        let mean = all / f64::from(u32::try_from(count).expect("few"));
        assert!((number(&run["mean_absolute_error"]) - mean).abs() < 1e-9, "{run}");
        assert_eq!(number(&run["largest_error"]), largest, "{run}");
    }
    let folder = Folder::new();
    let (csv, page) = (folder.at("runs.csv"), folder.at("runs.html"));
    let said = success(&format!("{line} --csv {csv} --html {page}"));
    assert!(said.contains("16 runs. Each one alone, with its options and --seed 5,"), "{said}");
    let table = folder.read("runs.csv");
    assert_eq!(table.lines().count(), 17);
    assert!(table.starts_with("policy,rho,bins,clients,oc_epsilon,"), "{table}");
    assert!(table.lines().nth(5).is_some_and(|row| row.starts_with("histogram-gaussian,0.1,")));
    assert!(folder.read("runs.html").contains("<h1>Comparison of 16 trial runs</h1>"));
    let refused =
        success("simulate --seed 1 --ideal --epsilon 30,1,2 --policy count-laplace --csv");
    let rows: Vec<&str> = refused.lines().collect();
    assert!(rows[1].starts_with("30,,,,") && rows[1].contains("accept-weak-guarantee is missing"));
    assert!(rows[2].starts_with("1,,,,1,") && rows[2].ends_with(','), "{refused}");
}

/// The commands of the examples on real people, over real Prio3: every interval holds the truth.
/// Each would miss it with a probability of 5 %; the seeds are fixed.
#[test]
fn the_intervals_of_the_examples_hold_the_truth() {
    let readme = fs::read_to_string(Path::new(ROOT).join("examples/README.md")).expect("a file");
    let commands = readme.lines().filter(|line| line.contains("--percentiles"));
    let commands: Vec<&str> = commands.collect();
    assert_eq!(commands.len(), 3, "heights, weights and cigarettes");
    for command in commands {
        let document = json(command.strip_prefix("cargo xtask ").expect("a command"));
        assert_eq!(
            (text(&document["functionality"]), text(&document["summary"]["clients"])),
            ("prio3", "1629")
        );
        let summary = &document["summary"]["cumulative"];
        let parts = ["percentiles", "ranges"].map(|part| summary[part].as_array().expect(part));
        assert_eq!(parts[0].len(), 3, "the median and the quartiles");
        for part in parts.into_iter().flatten() {
            assert_eq!(part["coverage_95"], "1", "{command}: {part}");
        }
    }
}
