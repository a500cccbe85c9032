//! `plan`, `statement` and `audit`, before and after a deployment.

use std::fmt::Write as _;

use crate::support::{Folder, ROOT, json, number, refusal, run, success, text};

/// What is asked if nothing is said is what is planned for that question.
#[test]
fn the_default_policy_is_the_one_that_is_planned() {
    let plan = json("plan --type histogram:12 --clients 1629 --epsilon 0.906 --delta 1e-9");
    assert!(success("simulate --seed 1").contains(&format!("Policy: {}\n", text(&plan["chosen"]))));
    // The answer has the reasons; the status is that of other refusals.
    let none = run("plan --type sum:9 --clients 10 --epsilon 1 --against all-aggregators");
    let [text, error] = [&none.stdout, &none.stderr].map(|part| String::from_utf8_lossy(part));
    assert!(
        text.contains("No policy does this job.") && text.contains("Not for this job:"),
        "{text}"
    );
    assert_eq!(none.status.code(), Some(2));
    assert!(error.starts_with("error: no policy does this job; "), "{error}");
}

/// Without a budget policies of one accuracy differ in their guarantee over all releases.
#[test]
fn a_plan_for_an_accuracy_names_the_policy_with_the_smallest_total() {
    let job = "plan --type histogram:40 --clients 10000 --margin 40 --delta 1e-8 --releases 12";
    for (policy, is_named) in [("histogram-laplace", true), ("histogram-gaussian", false)] {
        let printed = success(&format!("{job} --policy {policy}"));
        let printed = printed.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(printed.contains("All 12 releases together guarantee epsilon "), "{printed}");
        let named = printed.contains("the smallest total is that of histogram-gaussian");
        assert_eq!(named, is_named, "{printed}");
        assert!(printed.contains("Another survey of the same people adds to this"), "{printed}");
    }
}

/// Task, strategy and document are the program's own: a second run replaces them.
#[test]
fn plan_writes_the_task_and_the_strategy_of_its_policy() {
    let folder = Folder::new();
    let (strategy, document) = (folder.at("b.json"), folder.at("c.json"));
    for (policy, task, replaced) in [
        ("histogram-laplace", "a.toml", "none"),
        ("histogram-gaussian", "a.json", "b.json"),
        ("histogram-gaussian", "a.toml", "a.toml"),
    ] {
        let task = folder.at(task);
        let printed = success(&format!(
            "plan --type histogram:6 --clients 2000 --epsilon 1 --delta 1e-8 --policy {policy} --task {task} \
             --strategy {strategy} --json {document} --force"
        ));
        assert!(printed.contains(&format!("\nThe noise of each aggregator is in {strategy}.\n")));
        for path in [&task, &strategy] {
            let is_replaced = printed.contains(&format!("\nIt replaced {path}, "));
            assert_eq!(is_replaced, path.ends_with(replaced), "{printed}");
        }
        let run = success(&format!(
            "simulate --task {task} --column height_cm --bins 140..200/10 --seed 1"
        ));
        assert!(run.contains(&format!("Policy: {policy}")), "{run}");
        assert!(folder.read("b.json").starts_with("{\"version\":1,\"law\":\"discrete_"));
        assert!(folder.read("c.json").contains("\"chosen\": \"histogram-laplace\""));
        assert!(folder.read("c.json").contains("\"min_reports\": \"1000\""));
    }
    let task = folder.at("a.toml");
    let deleted = "plan --type count --clients 100 --epsilon 1 --adjacency deletion";
    success(&format!("{deleted} --task {task} --force"));
    assert!(folder.read("a.toml").contains("adjacency = \"deletion\""));
    let both = folder.at("both");
    let said = refusal(&format!(
        "plan --type count --clients 100 --epsilon 1 --task {both} --strategy {both}"
    ));
    assert!(said.contains("with --task, which goes there as well"), "{said}");
}

const STATEMENT: &str = "statement --task examples/tasks/histogram.toml --deployment examples/deployments/heights.toml --releases 12";

#[test]
fn both_forms_of_a_statement_are_printed_and_written_alike() {
    let folder = Folder::new();
    let files = format!(
        "{STATEMENT} --markdown {} --yaml {} --json {}",
        folder.at("page.md"),
        folder.at("record.yaml"),
        folder.at("all.json")
    );
    let written =
        format!("The statement is in {}, {}.\n", folder.at("page.md"), folder.at("record.yaml"));
    assert_eq!(success(&files), written);
    assert_eq!(success(&files), written, "its own files are replaced");
    let page = folder.at("page.html");
    let alone = success(&format!("{STATEMENT} --html {page}"));
    assert_eq!(alone, format!("The statement is in {page}.\n"));
    // A file has one line more, which shows that nobody has edited it.
    let [markdown, yaml] = ["page.md", "record.yaml"].map(|name| {
        let file = folder.read(name);
        let above = file.trim_end().rsplit_once('\n').expect("lines").0;
        format!("{above}\n")
    });
    assert_eq!(success(STATEMENT), format!("{markdown}\n```yaml\n{yaml}```\n"));
    assert_eq!(success(&format!("{STATEMENT} --yaml -")), yaml);
    assert_eq!(success(&format!("{STATEMENT} --markdown -")), markdown);
    let document = json(STATEMENT);
    assert_eq!(text(&document["page"]), markdown);
    let parameters = &document["record"]["deployment"]["privacy_loss"]["privacy_parameters"];
    assert!(yaml.contains(&format!("      epsilon: {}\n", text(&parameters["epsilon"]))), "{yaml}");
    let html = success(&format!("{STATEMENT} --html -"));
    assert!(html.contains("<h1>How tall we are: your privacy</h1>"), "{html}");
    let heights = format!("{ROOT}/examples/deployments/heights.toml");
    let heights = std::fs::read_to_string(&heights).expect("a deployment");
    let alone = folder.with("alone.toml", heights.replace("Example Hosting", "Example University"));
    let alone = STATEMENT.replace("examples/deployments/heights.toml", &alone);
    assert!(refusal(&alone).contains("\"Example University\": expected another operator"));
    assert!(success(&format!("{alone} --accept-single-operator")).contains("**Warning: "));
    let year = format!("{}365 --accept-weak-guarantee", STATEMENT.trim_end_matches("12"));
    assert!(success(&year).contains("**which protects nobody** after all 365"));
    let one = folder.at("both.md");
    assert!(
        refusal(&format!("{STATEMENT} --markdown {one} --yaml {one}"))
            .contains("which goes there as well")
    );
}

/// The template leads to a statement: refused while a field is open, with as many operators as the
/// task, and never written over what was filled in.
#[test]
fn a_template_is_written_filled_in_and_stated() {
    let folder = Folder::new();
    let file = folder.at("us.toml");
    let template = "statement --task examples/tasks/average.toml --template";
    let printed = success(template);
    assert_eq!(printed.matches("[[aggregators]]").count(), 3, "{printed}");
    assert_eq!(success("statement --template -").matches("[[aggregators]]").count(), 2);
    assert_eq!(success(&format!("{template} {file}")), "");
    assert_eq!(folder.read("us.toml"), printed);
    let statement =
        format!("statement --task examples/tasks/average.toml --deployment {file} --releases 3");
    let open = "us.toml: the deployment leaves out aggregators[0].operator, ";
    assert!(refusal(&statement).contains(open));
    let filled = [
        ("sector = \"\"", "sector = \"Education\""),
        ("data_source = \"\"", "data_source = \"Static\""),
        ("first_published = \"\"", "first_published = 2027-01-31"),
        ("type = \"\"", "type = \"Government\""),
        ("authors = \"\"", "authors = [\"Example Office\"]"),
        ("people = \"\"", "people = 1000"),
        (" = \"\"", " = \"Example\""),
    ];
    let filled = filled.iter().fold(printed, |text, (open, said)| text.replace(open, said));
    folder.with("us.toml", &filled);
    // One operator for all.
    let statement = format!("{statement} --accept-single-operator");
    assert!(success(&statement).starts_with("<!-- Privacy statement"));
    assert!(refusal(&format!("{template} {file}")).contains("--force"));
    assert_eq!(folder.read("us.toml"), filled);
}

#[test]
fn a_policy_is_not_refuted_and_every_form_says_so() {
    let line = "audit --policy count-laplace --runs 2e4";
    let said = success(&format!("{line} --seed {}", u64::MAX));
    assert!(said.ends_with("  not refuted\n\nNo guarantee is refuted.\n"), "{said}");
    let bound = &json(line)["guarantees"][0];
    let (bound, guaranteed) = (number(&bound["lower_bound"]), number(&bound["epsilon"]));
    assert!(bound > 0.8 && bound <= guaranteed, "{bound}");
}

/// What two aggregators release for a thousand reports in the first of twelve buckets, if their
/// noise is all 0.
fn without_noise() -> String {
    let mut lines = "batch,attempt,reports,truth,released\n".to_owned();
    for (batch, bucket) in (0..6).flat_map(|batch| (0..12).map(move |bucket| (batch, bucket))) {
        let total = 1000 * u32::from(bucket == 0);
        writeln!(lines, "{batch},1,1000,{total},{total}").expect("a line");
    }
    lines
}

#[test]
fn a_deployment_without_noise_is_found_out_and_other_collections_are_refused_by_line() {
    let folder = Folder::new();
    let whole = without_noise();
    let path = folder.with("collected.csv", &whole);
    let line = format!("audit --task examples/tasks/histogram.toml --collections {path}");
    let output = run(&line);
    let told = String::from_utf8(output.stdout).expect("UTF-8");
    assert_eq!(output.status.code(), Some(3), "{told}");
    assert!(told.contains("2 aggregators add no noise"), "{told}");
    let few = "0,1,999,999,1000\n".to_owned() + &"0,1,999,0,0\n".repeat(11);
    let (header, _) = whole.split_once('\n').expect("lines");
    folder.with("collected.csv", format!("{header}\n{few}"));
    let output = run(&line);
    let told = String::from_utf8(output.stdout).expect("UTF-8");
    assert_eq!(output.status.code(), Some(3), "{told}");
    assert!(told.contains("batches of fewer reports than the task admits"), "{told}");
    for (text, told) in [
        (
            format!("{whole}5,1,1000,0,0\n5,1,1000,0,0\n"),
            "line 62, batch 5, attempt 1: totals is 14: expected 12",
        ),
        (
            whole.replace("\n0,1,1000,1000,1000", "\n0,1,1000,1001,1000"),
            "line 2, batch 0, attempt 1: truth is 1001: expected a total from 0 to 1000",
        ),
    ] {
        folder.with("collected.csv", text);
        let refused = refusal(&line);
        assert!(refused.contains("collected.csv: ") && refused.contains(told), "{told}: {refused}");
    }
}

/// A program collects from a deployment: its answers are tested, and what it says wrong is refused.
#[cfg(unix)]
#[test]
fn a_command_that_collects_is_run_until_it_is_found_out() {
    use crate::support::program;
    let folder = Folder::new();
    let audit = |script: &str| {
        let script = folder.with("collect.sh", script);
        let mut command =
            program("audit --task examples/tasks/count.toml --time-limit 1 --command");
        let output = command.arg(format!("sh {script}")).output().expect("it runs");
        let said =
            [output.stdout, output.stderr].map(|text| String::from_utf8(text).expect("UTF-8"));
        (output.status.code(), said.concat())
    };
    let counts = "yes=$(echo $input | grep -o true | wc -l)\necho '{\"attempt\":1,\"reports\":1000,\"released\":['$yes']}'\n";
    // Who answers about 999 reports releases too small batches.
    let (status, told) = audit(&format!("input=$(cat)\n{counts}"));
    assert!(status == Some(3) && told.contains("batches of fewer reports"), "{told}");
    let all =
        "input=$(cat); [ $(echo $input | grep -oE 'true|false' | wc -l) -eq 1000 ] || exit 0\n";
    let (status, told) = audit(&format!("{all}{counts}"));
    assert!(status == Some(3) && told.contains("2 aggregators add no noise"), "{told}");
    let answer = |fields: &str| format!("{all}echo '{{{fields}}}'");
    let crashed = all.replace("exit 0", "kill -SEGV $$");
    for (script, told) in [
        (format!("{crashed}{counts}"), "the batch has to be refused, by no answer"),
        (all.replace("exit 0", "exit 5"), "exit status: 5"),
        (all.to_owned(), "no attempt gave an answer"),
        (answer(""), "line 1 of the answer is"),
        (answer(r#""attempt":2,"reports":1000,"released":[1]"#), "attempt is 2: expected 1"),
        (answer(r#""attempt":1,"reports":999,"released":[1]"#), "reports is 999: expected 1000"),
        ("echo out of order >&2; exit 7".to_owned(), "exit status: 7: out of order"),
        ("exec sleep 600".to_owned(), "did not end within 1 s"),
    ] {
        let (status, said) = audit(&script);
        assert!(status == Some(2) && said.contains(told), "{script}: {said}");
    }
}
