//! The page for people leaves nothing out that weakens a promise.

use dp_statement::{Percent, Total, belief};
use dp_task::Task;

use crate::common::{RELEASES, all, of, section, stated, task};

const NOTHING: &str = "**Then nothing protects you.**";
const NOBODY: &str = "protects nobody.**";

fn together(name: &str) -> String {
    section(
        &of(name).to_markdown(),
        "What if the operators work together?",
    )
}

#[test]
fn where_only_aggregators_add_noise_nothing_protects_against_all_of_them() {
    for name in [
        "average",
        "count",
        "histogram",
        "l1boundsum",
        "sum",
        "sumvec",
        "weight",
    ] {
        let text = together(name);
        assert!(text.contains("they can read your answer"), "{name}: {text}");
        assert!(text.contains(NOTHING), "{name}: {text}");
        let year = section(&of(name).to_markdown(), "What if you take part every day");
        let nothing = "If all operators work together, nothing protects you.";
        assert!(year.contains(nothing), "{name}: {year}");
    }
}

#[test]
fn where_clients_add_noise_theirs_remains_with_its_own_figures() {
    for (name, kind) in [
        ("multihot", "Even if all of them"),
        ("hedged", "their own random errors are of no use"),
        ("compensated", "their made-up reports are of no use"),
    ] {
        let text = together(name);
        assert!(text.contains(kind), "{name}: {text}");
        assert!(
            text.contains("an answer that it changed at random"),
            "{name}: {text}"
        );
        assert!(!text.contains(NOTHING), "{name}: {text}");
        let alone = of(name).in_model(dp_statement_model("OC")).expect("stated");
        let once = format!("at most {} % likely", belief(&alone.once, 50));
        assert!(text.contains(&once), "{name}: {once}: {text}");
        // 30 releases of epsilon 4 or 6 are no protection, and that is said.
        assert!(
            alone.all.protects_nobody() && text.contains(NOBODY),
            "{name}: {text}"
        );
    }
}

fn dp_statement_model(name: &str) -> dp_calibration::TrustModel {
    name.parse().expect("a trust model")
}

/// What counts on two honest aggregators says what one gives, and what counts on a crowd says what is left
/// without it.
#[test]
fn every_stronger_adversary_has_a_paragraph() {
    for (name, models) in [
        ("average", vec!["OAOC"]),
        ("hedged", vec!["OAOC"]),
        ("compensated", vec!["OAOC"]),
    ] {
        let text = together(name);
        let paragraphs = text.matches("What if only this is true").count();
        assert_eq!(paragraphs, models.len(), "{name}: {text}");
        for model in models {
            let left = of(name)
                .in_model(dp_statement_model(model))
                .expect("stated");
            let once = format!("at most {} % likely", belief(&left.once, 50));
            assert!(text.contains(&once), "{name}: {text}");
        }
    }
}

#[test]
fn the_table_and_its_sentence_are_about_the_model_that_the_task_relies_on() {
    for (name, statement) in all() {
        let page = statement.to_markdown();
        let text = section(&page, "How sure could anybody become");
        let relied = statement
            .in_model(statement.task().trust_model())
            .expect("stated");
        for prior in [1, 10, 50] {
            let row = format!(
                "| {prior} % | {} % | {} % |",
                belief(&relied.once, prior),
                belief(&relied.all, prior)
            );
            assert!(text.contains(&row), "{name}: {row}: {text}");
        }
        assert_eq!(
            text.contains(NOBODY),
            relied.all.protects_nobody(),
            "{name}: {text}"
        );
        assert!(
            page.contains(&format!("takes part in {RELEASES} results")),
            "{name}"
        );
        let year = section(&page, "What if you take part every day");
        let after = format!("at most {} % likely", belief(&relied.year, 50));
        assert!(year.contains(&after), "{name}: {year}");
    }
}

/// Whatever a guarantee is provided that, the page says in plain words.
#[test]
fn every_condition_has_plain_words() {
    for (name, statement) in all() {
        let page = statement.to_markdown();
        let conditions = section(&page, "When do these limits hold?");
        assert!(
            !conditions.contains("In the words of experts"),
            "{name}: {conditions}"
        );
        let relied = statement
            .in_model(statement.task().trust_model())
            .expect("stated");
        let lines = conditions.matches("\n- ").count();
        assert!(
            lines >= relied.guarantee.assumptions.len().min(4),
            "{name}: {conditions}"
        );
        if relied.guarantee.trust_model.needs_other_clients() {
            assert!(
                conditions.contains("At least 900 reports"),
                "{name}: {conditions}"
            );
        }
    }
}

#[test]
fn what_is_not_protected_is_said() {
    for (name, statement) in all() {
        let text = section(&statement.to_markdown(), "What is not protected");
        for part in [
            "take part, and when",
            "How many reports",
            "network address",
            "in general",
            "second report",
        ] {
            assert!(text.contains(part), "{name}: {part}: {text}");
        }
        let drops = matches!(name.as_str(), "hedged" | "compensated");
        assert_eq!(
            text.contains("your device sends none"),
            drops,
            "{name}: {text}"
        );
    }
}

#[test]
fn a_promise_that_protects_nobody_says_so_for_one_release_too() {
    let weak = "version = 2\nname = \"weak\"\n[vdaf]\ntype = \"Prio3Count\"\naggregators = 2\n\
                [aggregator_noise]\ntype = \"discrete-laplace\"\nbudget = { pure = { epsilon = \"30\" } }\n\
                [trust]\nmodel = \"OAOC\"\naccept_weak_promise = true\n[batch]\nmin_reports = 10\n";
    let statement = stated(&Task::from_toml(weak).expect("a task"), 1);
    let page = statement.to_markdown();
    assert!(
        section(&page, "How sure could anybody").contains(NOBODY),
        "{page}"
    );
    let yaml = statement.to_yaml().expect("YAML");
    assert!(yaml.contains("protects nobody"), "{yaml}");
}

/// One release has one column, and no sentence about many.
#[test]
fn one_release_is_told_as_one() {
    let page = stated(&task("count"), 1).to_markdown();
    let text = section(&page, "How sure could anybody become");
    assert!(
        text.contains("| sure before | sure after the result |"),
        "{text}"
    );
    assert!(!text.contains("After all"), "{text}");
    // e^0.5/(1 + e^0.5) = 0.62246
    assert!(text.contains("| 50 % | 63 % |"), "{text}");
}

/// More releases never make a guess less sure, and no limit is below what was believed before.
#[test]
fn beliefs_grow_with_releases() {
    for (name, statement) in all() {
        for stated in statement.stated() {
            let of = |total: &Total| -> Percent { belief(total, 50) };
            let order = [of(&stated.once), of(&stated.all), of(&stated.year)];
            assert!(order.is_sorted(), "{name}: {order:?}");
            assert!(
                *order[0].value() >= dp_exact::Rational::from(50u64),
                "{name}: {order:?}"
            );
        }
    }
}

/// What protects for one result and not for all is told so, in no order of words that says the opposite, and not where
/// one result gives nearly all away.
#[test]
fn a_limit_that_protects_once_alone_is_told_from_one_that_never_does() {
    let all_together = format!("**For all {RELEASES} together the limit protects nobody.**");
    let mut seen = [0; 2];
    for (name, statement) in all() {
        let page = statement.to_markdown();
        assert!(!page.contains("It does for one"), "{name}: {page}");
        let little = section(&page, "What if the operators work together?");
        for line in little.lines().filter(|line| line.contains(&all_together)) {
            let is_sure = line.contains("(almost sure) after one result");
            assert_eq!(
                line.contains("protects you little"),
                is_sure,
                "{name}: {line}"
            );
            seen[usize::from(is_sure)] += 1;
        }
        let text = section(&page, "How sure could anybody become");
        let relied = statement
            .in_model(statement.task().trust_model())
            .expect("stated");
        if relied.once.protects_nobody() || !relied.all.protects_nobody() {
            assert!(!text.contains(&all_together), "{name}: {text}");
            continue;
        }
        let nearly = *belief(&relied.once, 50).value() > dp_exact::Rational::from(99u64);
        let once = match nearly {
            true => "Even for one result the limit protects you little. ",
            false => "For one result the limit protects you. ",
        };
        assert!(
            text.contains(&format!("{once}{all_together}")),
            "{name}: {text}"
        );
    }
    assert!(seen[1] > 0, "{seen:?}");
}

/// A limit without a delta does not fail by chance, and no page says that it may; nor is it said of one that protects
/// nobody.
#[test]
fn only_a_limit_with_a_delta_may_fail() {
    let may = |total: &Total| {
        matches!(total, Total::Kept { delta, .. } if !delta.is_zero()) && !total.protects_nobody()
    };
    let mut seen = [0_u32; 2];
    for (name, statement) in all() {
        let page = statement.to_markdown();
        let text = section(&page, "How sure could anybody become");
        let relied = statement
            .in_model(statement.task().trust_model())
            .expect("stated");
        let (once, all) = (may(&relied.once), may(&relied.all));
        let says = [
            text.contains("The limit after one result may fail, in at most 1 of "),
            text.contains(&format!(
                "The limit after all {RELEASES} may fail, in at most 1 of "
            )),
            text.contains("Either limit may fail, in at most 1 of "),
        ];
        assert_eq!(
            says,
            [once && !all, !once && all, once && all],
            "{name}: {text}"
        );
        seen[usize::from(once)] += 1;
        let year = section(&page, "What if you take part every day");
        assert_eq!(
            year.contains("This limit may fail"),
            may(&relied.year),
            "{name}: {year}"
        );
    }
    assert!(seen.iter().all(|count| *count > 0), "{seen:?}");
    // Nothing of one release of pure noise can fail.
    let page = stated(&task("count"), 1).to_markdown();
    let text = section(&page, "How sure could anybody become");
    assert!(!text.contains("fail"), "{text}");
}

/// No symbols, no word that only experts know.
#[test]
fn a_page_has_no_greek_and_no_jargon() {
    let jargon = [
        "epsilon",
        "delta",
        "rho",
        "budget",
        "aggregator",
        "differential",
        "adversary",
        "collector",
        "randomiz",
        "guarantee",
        "parameter",
        "batch",
        "OAOC",
        "OAMC",
        "VDAF",
        "Prio3",
    ];
    for (name, statement) in all() {
        let page = statement.to_markdown();
        // The comment in front and the digest at the end are for experts.
        let text = page.split_once("-->").expect("a comment").1;
        for word in jargon {
            assert!(!text.contains(word), "{name}: {word}");
        }
        let is_greek = |character: char| ('\u{370}'..'\u{400}').contains(&character);
        assert!(!text.contains(is_greek), "{name}");
    }
}

/// What fits on a page, with little space between the lines: 810 words.
#[test]
fn a_page_is_one_page() {
    for (name, statement) in all() {
        let page = statement.to_markdown();
        let words = page.split_whitespace();
        let words = words
            .filter(|word| word.contains(char::is_alphanumeric))
            .count();
        assert!(words <= 810, "{name}: {words}");
    }
}
