//! The page for the people whose data are used: short sentences, no symbols, nothing left out.

use dp_calibration::TrustModel;
use dp_exact::{Rational, Rounding, grouped};
use dp_planner::PairGuarantee;
use dp_task::{AggregatorNoise, ClientNoise, MeasurementRange, Task, Vdaf};
use num_bigint::BigInt;

use super::{ModelGuarantees, Statement, YEAR, failure_odds, posterior_percent};
use crate::markdown::escaped;

/// The beginning of a page, by which its file is recognized.
pub(super) const BEGINNING: &str = "<!-- Privacy statement, made by dp-report";

/// The parties that add noise in a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum NoiseSource {
    Clients,
    Aggregators,
    Both,
    Compensated,
}

impl NoiseSource {
    fn of(task: &Task) -> Self {
        let document = task.document();
        match (&document.client_noise, &document.aggregator_noise) {
            (_, Some(AggregatorNoise::Compensation { .. })) => Self::Compensated,
            (Some(_), Some(_)) => Self::Both,
            (Some(_), None) => Self::Clients,
            (None, _) => Self::Aggregators,
        }
    }
}

impl Statement {
    /// The page for people, in Markdown.
    #[must_use]
    pub fn to_markdown(&self) -> String {
        let deployment = &self.deployment;
        let version = env!("CARGO_PKG_VERSION");
        let digest = self.task.digest();
        let said = |path: &str| sentence(deployment.text(path));
        let parts = [
            format!("{BEGINNING} {version} for the task {digest} -->"),
            format!("# {}: your privacy", escaped(deployment.text("product.name"))),
            said("product.description"),
            "## What is collected".to_owned(),
            self.collected(),
            "## Who sees what".to_owned(),
            self.who_sees_what(),
            "## How sure could anybody become about you?".to_owned(),
            self.how_sure(),
            "## What if the operators work together?".to_owned(),
            self.together(),
            "## What if you take part every day for a year?".to_owned(),
            self.a_year(),
            "## When do these limits hold?".to_owned(),
            self.conditions(),
            "## What is not protected".to_owned(),
            self.not_protected(),
            "## How long is it kept?".to_owned(),
            format!(
                "Your reports: {} The results: {}",
                said("retention.reports"),
                said("retention.results")
            ),
            "## Whom can you ask?".to_owned(),
            format!(
                "Ask {}: {} How to stop: {}",
                escaped(deployment.text("contact.name")),
                said("contact.address"),
                said("contact.opt_out")
            ),
            format!("For experts: see the record beside this page. The task is `{digest}`."),
        ];
        parts.join("\n\n") + "\n"
    }

    fn collected(&self) -> String {
        let text = |name: &str| sentence(self.deployment.text(name));
        format!(
            "{} {} What it is for: {} When: {}\n\nOn this page, one person takes part in {}, with one \
             report for each.",
            text("product.collected"),
            answer(&self.task),
            text("product.purpose"),
            text("product.schedule"),
            counted(self.releases.into(), "result"),
        )
    }

    fn who_sees_what(&self) -> String {
        let (deployment, kind) = (&self.deployment, NoiseSource::of(&self.task));
        let parts = deployment.aggregators().count();
        let device = match kind {
            NoiseSource::Aggregators => "**Your device** ",
            _ => "**Your device** first changes your answer at random. Then it ",
        };
        let names: Vec<String> = deployment
            .aggregators()
            .map(|(operator, _)| format!("**{}**", escaped(operator)))
            .collect();
        let mut lines = vec![
            format!(
                "- {device}splits what it sends into {parts} coded parts. One part by itself looks like random \
                 numbers."
            ),
            format!(
                "- {} are the operators. Each gets one part of every report, and adds these parts up.",
                names.join(" and ")
            ),
        ];
        let reasons = names.iter().zip(deployment.aggregators());
        lines.extend(reasons.map(|(name, (_, trust))| {
            format!("- Why {name} does not share its part: {}", sentence(trust))
        }));
        let is_behind_matrix = self.task.policy_name().strategy().is_some();
        let added = match kind {
            NoiseSource::Aggregators if is_behind_matrix => {
                "- **Each operator** also mixes these sums by a public rule, the same for every result, and adds random \
                 errors to what comes out. They hide what one person adds to it."
            }
            NoiseSource::Clients => "- The sum hides which report is yours.",
            NoiseSource::Aggregators | NoiseSource::Both => {
                "- **Each operator** also adds random errors to the sum. They hide what one person adds to it."
            }
            NoiseSource::Compensated => {
                "- **Each operator** also adds made-up reports if there are few real ones. They hide the real ones."
            }
        };
        lines.push(added.to_owned());
        let gets = match is_behind_matrix {
            true => "gets the mixed sums, not your answer, and works the results out from them",
            false => "gets the sums, not your answer",
        };
        lines.push(format!(
            "- **{}** {gets}. The results are shown to: {}",
            escaped(deployment.text("collector.operator")),
            sentence(deployment.text("collector.audience"))
        ));
        lines.join("\n")
    }

    fn how_sure(&self) -> String {
        let totals = &self.relied;
        let limits = Limits::of(totals, self.releases);
        let whose = match totals.guarantee.trust_model.needs_other_clients() {
            true => "some",
            false => "all",
        };
        format!(
            "Suppose that somebody tries to guess your answer. They know you well. They may know the answers of {whose} \
             other people. They see all results. How sure can they become of one guess, at most?\n\n{}\n\n{}\n\nWhat this \
             counts on: {}",
            limits.table(),
            limits.example(),
            self.counts_on(totals)
        )
    }

    /// Who must be honest in a trust model, in a sentence.
    fn counts_on(&self, totals: &ModelGuarantees) -> String {
        let all = self.deployment.aggregators().count();
        let model = totals.guarantee.trust_model;
        let operators = match usize::from(model.honest_aggregators()) {
            0 => {
                return "nobody. The limits hold even if everyone else works against you."
                    .to_owned();
            }
            one if one == all => format!("all {all} operators follow the rules"),
            1 => format!("at least one of the {all} operators follows the rules"),
            several => format!("at least {several} of the {all} operators follow the rules"),
        };
        if model.needs_other_clients() {
            let people = grouped(self.task.circumstances().honest_clients());
            format!("{operators}, and the honest reports in each result are at least {people}.")
        } else {
            format!("{operators}.")
        }
    }

    /// The limits against stronger adversaries than the task assumes, the strongest first.
    fn together(&self) -> String {
        let relied = self.task.trust_model();
        let alone = self.in_model(TrustModel::OneClient);
        let alone =
            alone.map(|totals| all_together(totals, NoiseSource::of(&self.task), self.releases));
        let mut parts: Vec<String> = alone.into_iter().collect();
        for totals in &self.totals {
            let model = totals.guarantee.trust_model;
            let is_between = model.implies(relied) && model != relied;
            if is_between && model != TrustModel::OneClient {
                let who = self.counts_on(totals);
                parts.push(format!(
                    "What if only this is true: {}? {}",
                    who.trim_end_matches('.'),
                    Limits::of(totals, self.releases).example()
                ));
            }
        }
        parts.join("\n\n")
    }

    fn a_year(&self) -> String {
        let limit = |who: &str, totals: &ModelGuarantees| {
            let year = Limits { once: &totals.year, all: None };
            format!("{who} can become {}.{}", at_most(&totals.year), year.caveats())
        };
        let days = counted(YEAR.into(), "result");
        let who = format!("Each report adds a little. After {days} a guess that was 50 % likely");
        let mut parts = vec![limit(&who, &self.relied)];
        let alone = self.in_model(TrustModel::OneClient);
        let alone = alone.filter(|_| self.task.trust_model() != TrustModel::OneClient);
        parts.extend(alone.map(|totals| match totals.year {
            PairGuarantee::Absent { .. } => {
                "If all operators work together, nothing protects you.".to_owned()
            }
            PairGuarantee::Kept { .. } => limit("If all operators work together, it", totals),
        }));
        parts.join(" ")
    }

    /// The conditions of the limits, a line each.
    fn conditions(&self) -> String {
        let honest = self.task.circumstances().honest_clients();
        let models = [&self.relied].into_iter().chain(self.in_model(TrustModel::OneClient));
        let mut lines: Vec<String> = Vec::new();
        for assumption in models.flat_map(|totals| &totals.guarantee.assumptions) {
            let line = format!("- {}", in_plain_words(assumption, honest));
            if !lines.contains(&line) {
                lines.push(line);
            }
        }
        if lines.is_empty() {
            lines.push("- They hold always.".to_owned());
        }
        lines.join("\n")
    }

    fn not_protected(&self) -> String {
        let least = counted(self.task.policy().min_reports(), "report");
        let mut text = format!(
            "- That you take part, and when.\n\
             - How many reports a result has: at least {least}, of which some may be fake.\n\
             - Your network address. The operators see it.\n\
             - What is true of people in general. If most people in your town smoke, some will think that you \
             do, even if you take no part.\n\
             - A second report of yours. With two devices more can be learned than this page says."
        );
        if let Some(rate) = drop_rate(&self.task) {
            text += &format!(
                "\n- That a report is missing. In rare cases your device sends none, at most 1 in {rate}: its random \
                 changes came out too large."
            );
        }
        text
    }
}

/// The content of one report.
fn answer(task: &Task) -> String {
    let count = |length: &usize| grouped(length);
    match &task.document().vdaf {
        Vdaf::Count { .. } => "It is a yes or a no.".to_owned(),
        Vdaf::Sum { range, .. } | Vdaf::Average { range, .. } => {
            format!("It is one number, {}", numbers(range))
        }
        Vdaf::SumVec { length, range, .. } => {
            format!("It is {} numbers, each {}", count(length), numbers(range))
        }
        Vdaf::Histogram { length, .. } => format!("It is one of {} groups.", count(length)),
        Vdaf::MultihotCountVec { length, .. } => match &task.document().client_noise {
            Some(ClientNoise::OneHotRappor { .. } | ClientNoise::BasicRappor { .. }) => {
                format!("It is one of {} groups.", count(length))
            }
            _ => format!("It is {} times a yes or a no.", count(length)),
        },
        Vdaf::L1BoundSum { length, max_measurement, .. } => format!(
            "It is {} numbers that add up to {} at most.",
            count(length),
            grouped(max_measurement)
        ),
    }
}

fn numbers(range: &MeasurementRange) -> String {
    match range {
        MeasurementRange::MaxMeasurement(most) => format!("from 0 to {}.", grouped(most)),
        MeasurementRange::Grid(grid) => format!(
            "from {} to {}, in steps of {}. What lies beyond counts as the end that is nearer.",
            grouped(grid.low()),
            grouped(grid.high()),
            grouped(grid.granularity())
        ),
    }
}

/// A lower bound on n, where at most one in n honest reports is dropped for its weight; `None` if none ever is.
fn drop_rate(task: &Task) -> Option<String> {
    let (ClientNoise::SymmetricRappor { false_positive_rate: rate, .. }
    | ClientNoise::OneHotRappor { false_positive_rate: rate, .. }
    | ClientNoise::BasicRappor { false_positive_rate: rate, .. }) =
        task.document().client_noise.as_ref()?
    else {
        return None;
    };
    let cases = rate.reciprocal()?.floor();
    Some(u64::try_from(cases).map_or_else(|_| "a million million".to_owned(), grouped))
}

/// The limits of one result and, if a person takes part in several, of all of them together.
struct Limits<'a> {
    once: &'a PairGuarantee,
    /// The number of results as words, such as `all 30`, and their limit.
    all: Option<(String, &'a PairGuarantee)>,
}

impl<'a> Limits<'a> {
    fn of(totals: &'a ModelGuarantees, releases: u32) -> Self {
        let all = (releases > 1).then(|| (format!("all {}", grouped(releases)), &totals.all));
        Self { once: &totals.once, all }
    }

    /// A row for each certainty of a guess before the results.
    fn table(&self) -> String {
        let mut lines = match &self.all {
            None => "| sure before | sure after the result |\n|---|---|".to_owned(),
            Some((all, _)) => {
                format!("| sure before | after one result | after {all} |\n|---|---|---|")
            }
        };
        for prior in [1, 10, 50] {
            lines += &format!("\n| {prior} % | {} % |", posterior_percent(self.once, prior));
            if let Some((_, together)) = &self.all {
                lines += &format!(" {} % |", posterior_percent(together, prior));
            }
        }
        lines
    }

    /// The limits for a guess of 50 %, whether they protect nobody, and how often one may fail.
    fn example(&self) -> String {
        let mut text = format!(
            "A guess that they thought 50 % likely can become {} after one result.",
            at_most(self.once)
        );
        if let Some((all, together)) = &self.all {
            text += &format!(" After {all} it can become {}.", at_most(together));
        }
        text + &self.caveats()
    }

    /// Whether the limits protect nobody, and how often one may fail.
    fn caveats(&self) -> String {
        self.weakness() + &self.chances()
    }

    /// The warning about limits that protect nobody.
    fn weakness(&self) -> String {
        match &self.all {
            None if self.once.protects_nobody() => " **This limit protects nobody.**".to_owned(),
            Some(_) if self.once.protects_nobody() => {
                " **These limits protect nobody.**".to_owned()
            }
            Some((all, together)) if together.protects_nobody() => {
                let one = match is_nearly_certain(self.once) {
                    true => "Even for one result the limit protects you little.",
                    false => "For one result the limit protects you.",
                };
                format!(" {one} **For {all} together the limit protects nobody.**")
            }
            _ => String::new(),
        }
    }

    /// How often the limits may fail; nothing for a limit that cannot fail or protects nobody.
    fn chances(&self) -> String {
        let chance = |bound: &PairGuarantee| {
            let cases = failure_odds(bound).filter(|_| !bound.protects_nobody());
            cases.map(|cases| format!("may fail, in at most 1 of {} cases.", in_words(cases)))
        };
        let once = chance(self.once);
        let Some((all, together)) = &self.all else {
            return once.map_or_else(String::new, |once| format!(" This limit {once}"));
        };
        match (once, chance(together)) {
            (Some(once), Some(together)) if once == together => format!(" Either limit {once}"),
            (once, together) => {
                let once = once.map(|once| format!(" The limit after one result {once}"));
                let together = together.map(|chance| format!(" The limit after {all} {chance}"));
                once.unwrap_or_default() + &together.unwrap_or_default()
            }
        }
    }
}

/// Whether a guess of 50 % can become nearly certain: above 99 %.
fn is_nearly_certain(bound: &PairGuarantee) -> bool {
    posterior_percent(bound, 50) > 99
}

/// The limit for a guess of 50 %, such as "at most 73 % likely".
fn at_most(bound: &PairGuarantee) -> String {
    let certain = match (bound, is_nearly_certain(bound)) {
        (PairGuarantee::Absent { .. }, _) => {
            return "as likely as can be: there is no limit".to_owned();
        }
        (_, true) => " (almost sure)",
        (_, false) => "",
    };
    format!("at most {} % likely{certain}", posterior_percent(bound, 50))
}

fn all_together(totals: &ModelGuarantees, kind: NoiseSource, releases: u32) -> String {
    if let PairGuarantee::Absent { .. } = totals.once {
        return "If all of them put their parts together, they can read your answer. **Then nothing \
                protects you.**"
            .to_owned();
    }
    let own = match kind {
        NoiseSource::Clients => {
            "Even if all of them put their parts together, they see only what your device sent: an answer \
             that it changed at random."
        }
        NoiseSource::Aggregators | NoiseSource::Both => {
            "If all of them put their parts together, their own random errors are of no use. They see what \
             your device sent: an answer that it changed at random."
        }
        NoiseSource::Compensated => {
            "If all of them put their parts together, their made-up reports are of no use. They see what \
             your device sent: an answer that it changed at random."
        }
    };
    format!("{own} {}", Limits::of(totals, releases).example())
}

/// Words of a condition for experts, and the condition in plain words. A condition without any of these words is quoted, so
/// that none is left out.
const PLAIN: [(&str, &str); 8] = [
    (
        "releases the batch once",
        "An operator that follows the rules makes its random numbers well. It gives out each sum once. Then it \
         wipes its part.",
    ),
    ("Prio3 reveals nothing", "Nobody breaks the code that splits your answer."),
    ("the client has one report in the batch", "You have one report in each result."),
    (
        "sends one report of its measurement",
        "Your device makes its random changes well, and sends one report for each result.",
    ),
    (
        "whether a report arrives does not depend",
        "Whether your report gets through does not depend on your answer.",
    ),
    (
        "by its own count: the guarantee holds for every number",
        "An operator that follows the rules gives out no result with too few or too many reports.",
    ),
    (
        "aggregators are honest: any one of them voids",
        "All operators follow the rules. One that does not can break the limit.",
    ),
    (
        "aggregators are honest, one fewer voids",
        "As many operators as named above follow the rules. With one less the limit is gone.",
    ),
];

/// A condition in plain words, or quoted. `honest` is the number of honest clients on which the task counts.
fn in_plain_words(assumption: &str, honest: u64) -> String {
    let known = PLAIN.iter().find(|(part, _)| assumption.contains(part));
    if let Some((_, plain)) = known {
        return (*plain).to_owned();
    }
    if assumption.contains("honest clients") {
        // The condition may count on more of them than the task does.
        let mut words = assumption.split(|character: char| !character.is_ascii_digit());
        let first = words.find(|word| !word.is_empty());
        let first = first.and_then(|word| word.parse().ok());
        return format!(
            "At least {} reports in each result are of people who follow the rules. A bad operator may \
             throw out others.",
            grouped(first.unwrap_or(honest).max(honest))
        );
    }
    format!("In the words of experts: {}", sentence(assumption))
}

/// "1 result", "30 results".
fn counted(number: u64, one: &str) -> String {
    match number {
        1 => format!("1 {one}"),
        more => format!("{} {one}s", grouped(more)),
    }
}

/// Names of powers of a thousand, largest first.
const NAMES: [(u64, &str); 4] = [
    (1_000_000_000_000, " trillion"),
    (1_000_000_000, " billion"),
    (1_000_000, " million"),
    (1_000, " thousand"),
];

/// A number of cases rounded down to two digits, in words: "9 million". Beyond a thousand trillion words end.
fn in_words(cases: BigInt) -> String {
    let value = Rational::integer(cases).round_to_digits(2, Rounding::Down);
    for (unit, name) in NAMES {
        let unit = Rational::from(unit);
        if value >= unit {
            let counted = value.checked_div(&unit).unwrap_or_else(Rational::one);
            return format!("{}{name}", counted.min(Rational::from(1_000u64)));
        }
    }
    value.to_string()
}

/// Text as a sentence in Markdown, with punctuation at its end. At the beginning of a line it does not begin a list.
fn sentence(text: &str) -> String {
    let text = text.trim();
    let end = match text.ends_with(['.', '!', '?']) {
        true => "",
        false => ".",
    };
    let text = escaped(text);
    let mark = text.trim_start_matches(|one: char| one.is_ascii_digit());
    let marks: &[char] = match mark.len() == text.len() {
        true => &['-', '+'],
        false => &['.', ')'],
    };
    let is_item =
        mark.strip_prefix(marks).is_some_and(|rest| rest.starts_with(char::is_whitespace));
    let (number, _) = text.split_at(text.len() - mark.len());
    let backslash = if is_item { "\\" } else { "" };
    format!("{number}{backslash}{mark}{end}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_condition_without_plain_words_is_quoted() {
        let quoted = in_plain_words("the sun rises *tomorrow*", 1);
        assert_eq!(quoted, r"In the words of experts: the sun rises \*tomorrow\*.");
    }

    #[test]
    fn a_sentence_begins_no_list() {
        for (text, expected) in [
            ("Every day", "Every day."),
            ("- item", r"\- item."),
            ("+ item", r"\+ item."),
            ("12. item", r"12\. item."),
            ("1) item", r"1\) item."),
            ("3.5 km", "3.5 km."),
            ("12 items, 3.5 each", "12 items, 3.5 each."),
            (" Why? ", "Why?"),
        ] {
            assert_eq!(sentence(text), expected);
        }
    }

    #[test]
    fn the_chance_of_an_exception_is_rounded_up() {
        let kept = |delta: &str| PairGuarantee::Kept {
            epsilon: Rational::one(),
            delta: delta.parse().expect("a number"),
            rho: None,
            slack_reason: None,
        };
        for (delta, cases) in [
            ("1e-9", "9.9 million"), // 9 900 990
            ("1e-3", "9"),
            ("0.9", "1"),
            ("1e-13", "99 billion"),
            ("1e-100", "1000 trillion"),
        ] {
            let found = failure_odds(&kept(delta)).expect("a chance");
            assert_eq!(in_words(found), cases, "{delta}");
        }
        assert_eq!(failure_odds(&kept("0")), None);
    }
}
