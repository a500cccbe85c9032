//! How sure anybody can become of a guess about one person.

use dp_calibration::TrustModel;
use dp_exact::grouped;

use super::{Kind, counted};
use crate::risk::{belief, exception};
use crate::statement::{Stated, Statement, YEAR};
use crate::total::Total;

/// What somebody may believe beforehand, in percent.
const PRIORS: [u32; 3] = [1, 10, 50];

/// Said of a limit that limits nothing.
const WEAK: &str = "**This limit protects nobody.**";

pub(super) fn how_sure(statement: &Statement) -> String {
    let Some(stated) = statement.in_model(statement.task().trust_model()) else {
        return "Nobody can say: there is no limit.".to_owned();
    };
    let releases = statement.releases();
    let mut text = format!(
        "Suppose that somebody tries to guess your answer. They know you well. {} They see all results. \
         How sure can they become of one guess, at most?\n\n",
        what_others_know(stated)
    );
    text += &table(stated, releases);
    text += "\n\n";
    text += &example(stated, releases);
    text += &format!("\n\nWhat this counts on: {}", counts_on(statement, stated));
    text
}

fn what_others_know(stated: &Stated) -> &'static str {
    if stated.guarantee.trust_model.needs_other_clients() {
        "They may know the answers of some other people."
    } else {
        "They may know the answers of all other people."
    }
}

fn table(stated: &Stated, releases: u32) -> String {
    let mut lines = vec![match releases {
        1 => "| sure before | sure after the result |\n|---|---|".to_owned(),
        _ => format!(
            "| sure before | after one result | after all {} |\n|---|---|---|",
            grouped(releases)
        ),
    }];
    for prior in PRIORS {
        let after = |total: &Total| format!("{} %", belief(total, prior));
        lines.push(match releases {
            1 => format!("| {prior} % | {} |", after(&stated.once)),
            _ => format!(
                "| {prior} % | {} | {} |",
                after(&stated.once),
                after(&stated.all)
            ),
        });
    }
    lines.join("\n")
}

/// The row of 50 % in words, with what weakens it: limits that protect nobody, and how often one may fail.
fn example(stated: &Stated, releases: u32) -> String {
    let mut text = format!(
        "A guess that they thought 50 % likely can become {} after one result.",
        at_most(&stated.once)
    );
    if releases > 1 {
        text += &format!(
            " After all {} it can become {}.",
            grouped(releases),
            at_most(&stated.all)
        );
    }
    text + &weakness(stated, releases) + &chances(stated, releases)
}

/// "at most 73 % likely", or that it is as good as known.
fn at_most(total: &Total) -> String {
    if let Total::Absent { .. } = total {
        return "as likely as can be: there is no limit".to_owned();
    }
    let percent = belief(total, 50);
    let certain = if percent.is_nearly_certain() {
        " (almost sure)"
    } else {
        ""
    };
    format!("at most {percent} % likely{certain}")
}

/// How often the limits of an example may fail; nothing of one that cannot, or that protects nobody anyway.
fn chances(stated: &Stated, releases: u32) -> String {
    let chance = |total: &Total| {
        let cases = exception(total).filter(|_| !total.protects_nobody());
        cases.map(|cases| format!("may fail, in at most 1 of {cases} cases."))
    };
    let once = chance(&stated.once);
    if releases == 1 {
        return once.map_or_else(String::new, |once| format!(" This limit {once}"));
    }
    match (once, chance(&stated.all)) {
        (None, None) => String::new(),
        (Some(once), Some(all)) if once == all => format!(" Either limit {once}"),
        (once, all) => {
            let once = once.map(|once| format!(" The limit after one result {once}"));
            let all = all.map(|all| format!(" The limit after all {} {all}", grouped(releases)));
            once.unwrap_or_default() + &all.unwrap_or_default()
        }
    }
}

/// Which limits are too weak to protect anybody.
fn weakness(stated: &Stated, releases: u32) -> String {
    if stated.once.protects_nobody() {
        return match releases {
            1 => format!(" {WEAK}"),
            _ => " **These limits protect nobody.**".to_owned(),
        };
    }
    if stated.all.protects_nobody() {
        let one = match belief(&stated.once, 50).is_nearly_certain() {
            true => "Even for one result the limit protects you little.",
            false => "For one result the limit protects you.",
        };
        let all = grouped(releases);
        return format!(" {one} **For all {all} together the limit protects nobody.**");
    }
    String::new()
}

/// Whom the limits of a trust model need, in a sentence.
fn counts_on(statement: &Statement, stated: &Stated) -> String {
    let all = statement.deployment().aggregators.len();
    let people = grouped(statement.task().circumstances().honest_clients());
    let model = stated.guarantee.trust_model;
    let operators = match usize::from(model.honest_aggregators()) {
        0 => return "nobody. The limits hold even if everyone else works against you.".to_owned(),
        one if one == all => format!("all {all} operators follow the rules"),
        1 => format!("at least one of the {all} operators follows the rules"),
        several => format!("at least {several} of the {all} operators follow the rules"),
    };
    if model.needs_other_clients() {
        format!("{operators}, and the honest reports in each result are at least {people}.")
    } else {
        format!("{operators}.")
    }
}

/// What remains in every model of a stronger adversary, the strongest first.
pub(super) fn together(statement: &Statement, kind: Kind) -> String {
    let releases = statement.releases();
    let relied = statement.task().trust_model();
    let mut parts = Vec::new();
    if let Some(stated) = statement.in_model(TrustModel::OneClient) {
        parts.push(all_together(stated, kind, releases));
    }
    for stated in statement.stated() {
        let model = stated.guarantee.trust_model;
        let is_between = model.implies(relied) && model != relied;
        if is_between && model != TrustModel::OneClient {
            let who = counts_on(statement, stated);
            let who = who.trim_end_matches('.');
            parts.push(format!(
                "What if only this is true: {who}? {}",
                example(stated, releases)
            ));
        }
    }
    parts.join("\n\n")
}

fn all_together(stated: &Stated, kind: Kind, releases: u32) -> String {
    if let Total::Absent { .. } = stated.once {
        return "If all of them put their parts together, they can read your answer. **Then nothing \
                protects you.**"
            .to_owned();
    }
    let own = match kind {
        Kind::Clients => {
            "Even if all of them put their parts together, they see only what your device sent: an answer \
             that it changed at random."
        }
        Kind::Aggregators | Kind::Both => {
            "If all of them put their parts together, their own random errors are of no use. They see what \
             your device sent: an answer that it changed at random."
        }
        Kind::Compensated => {
            "If all of them put their parts together, their made-up reports are of no use. They see what \
             your device sent: an answer that it changed at random."
        }
    };
    format!("{own} {}", example(stated, releases))
}

pub(super) fn a_year(statement: &Statement) -> String {
    let days = counted(YEAR.into(), "result");
    let models = [statement.task().trust_model(), TrustModel::OneClient];
    let mut parts = Vec::new();
    for (place, model) in models.into_iter().enumerate() {
        let Some(stated) = statement.in_model(model) else {
            continue;
        };
        if place == 1 && model == statement.task().trust_model() {
            continue;
        }
        let who = match place {
            0 => format!("Each report adds a little. After {days} a guess that was 50 % likely"),
            _ if matches!(stated.year, Total::Absent { .. }) => {
                parts.push("If all operators work together, nothing protects you.".to_owned());
                continue;
            }
            _ => "If all operators work together, it".to_owned(),
        };
        let year = Stated {
            once: stated.year.clone(),
            ..stated.clone()
        };
        let becomes = format!("{who} can become {}.", at_most(&stated.year));
        parts.push(becomes + &weakness(&year, 1) + &chances(&year, 1));
    }
    parts.join(" ")
}
