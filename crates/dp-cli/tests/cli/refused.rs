//! Bad input is refused on one line that names the option or the file, its value, and what is accepted.

use crate::support::{refusal, rows, success};

/// Each line of the table is a command and, behind an arrow, a part of its error.
#[test]
fn bad_input_is_refused_on_one_line_that_names_it() {
    let table = include_str!("../refused.txt");
    let wrong = table.lines().filter_map(|row| {
        let (line, expected) = row.split_once("=> ").expect("an arrow");
        let said = refusal(line);
        (!said.contains(expected)).then(|| format!("{line}\n  {said}\n  lacks {expected}"))
    });
    let wrong: Vec<String> = wrong.collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Other names of an option mean the option.
#[test]
fn aliases_are_the_options_that_they_stand_for() {
    for [alias, option] in rows(
        "\
        simulate --eps 1 --n 20 --seed 1 --markdown | simulate --epsilon 1 --clients 20 --seed 1 --markdown
        plan --query count --users 1k --eps 1 --trust-model OAOC | plan --type count --clients 1000 --epsilon 1 --against one-aggregator
        policies --query count --eps 1 --num-clients 1e3 | policies --type count --epsilon 1 --clients 1_000
        calibrate rappor --target-epsilon 0.5 --epsilon0 4 --delta 1e-6 | calibrate rappor --epsilon 0.5 --epsilon0 4 --delta 1e-6
        calibrate gaussian --eps 1 --sigma 7/3 | calibrate gaussian --epsilon 1 --delta-at --variance 49/9
        calibrate laplace --epsilon 1 --sensitivity 1_000 | calibrate laplace --epsilon 1 --query l1:1000
        calibrate gaussian --epsilon 1 --delta 1e-6 --sensitivity 7 | calibrate gaussian --epsilon 1 --delta 1e-6 --query l2-squared:49
        calibrate gaussian --task examples/tasks/histogram.toml | calibrate gaussian --query histogram:12 --epsilon 0.906 --delta 1e-9
        calibrate laplace --task examples/tasks/l1boundsum.toml | calibrate laplace --query l1boundsum:2:120 --epsilon 1
        calibrate utility --task examples/tasks/count.toml | calibrate utility --mechanism laplace:2 --aggregators 2",
    ) {
        let without_times = |line| -> Vec<String> {
            let text = success(line);
            text.lines().filter(|line| !line.contains("time ") && !line.contains(" s on ") && !line.starts_with("Date")).map(str::to_owned).collect()
        };
        assert_eq!(without_times(alias), without_times(option), "{alias}");
    }
}
