//! Bad input is refused on one line that names the option or the file, its value, and what is
//! accepted.

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

#[test]
fn a_bare_command_shows_its_help() {
    assert_eq!(success(""), success("--help"));
}

/// Other names of an option mean the option.
#[test]
fn aliases_are_the_options_that_they_stand_for() {
    for [alias, option] in rows(
        "\
        plan --type count --n 1k --eps 1 | plan --type count --clients 1000 --epsilon 1
        calibrate gaussian --eps 1 --sigma 7/3 | calibrate gaussian --epsilon 1 --delta-at --variance 49/9",
    ) {
        assert_eq!(success(alias), success(option), "{alias}");
    }
}
