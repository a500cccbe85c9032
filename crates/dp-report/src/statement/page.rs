//! The page for the people whose data are used: short sentences, no symbols, nothing left out.

use dp_calibration::TrustModel;
use dp_exact::{Rational, grouped};
use dp_planner::{PairGuarantee, normal_margin_95};
use dp_prio3::Condition;
use dp_task::{AggregatorNoiseType, ClientNoise, MeasurementRange, Task, Vdaf};

use super::markdown::{escaped, sentence};
use super::{ModelGuarantees, Statement};
use crate::figures::up;
use crate::guarantee::{one_answer, operators};
use crate::risk::{PrivacyPair, share};
use crate::text::counted;

impl Statement {
    /// The page for people, in Markdown.
    #[must_use]
    pub fn to_markdown(&self) -> String {
        let deployment = &self.deployment;
        let version = env!("CARGO_PKG_VERSION");
        let digest = self.task.digest();
        let said = |path: &str| sentence(deployment.text(path));
        let warnings = self.warnings().map(|words| format!("\n\n**Warning: {}**", escaped(&words)));
        let parts = [
            format!(
                "<!-- Privacy statement, made by dp-report {version} for the task {digest} -->"
            ),
            format!("# {}: your privacy", escaped(deployment.text("product.name"))),
            format!("What it shows: {}", said("product.description"))
                + &warnings.collect::<String>(),
            "## What is collected".to_owned(),
            self.collected(),
            "## Who sees what".to_owned(),
            self.who_sees_what(),
            "## How sure could anybody become about you?".to_owned(),
            self.how_sure(),
            "## What if the operators work together?".to_owned(),
            self.together(),
            "## When do these limits hold?".to_owned(),
            self.conditions(),
            "## What is not protected".to_owned(),
            self.not_protected(),
            "## How exact are the results?".to_owned(),
            self.remaining_error(),
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

    /// Text of the page in Markdown on what is sent, what for, and in how many results one person
    /// takes part, with how many reports in each.
    fn collected(&self) -> String {
        let text = |name: &str| sentence(self.deployment.text(name));
        let reports = match self.reports() {
            1 => "one report".to_owned(),
            most => format!("at most {} reports", grouped(most)),
        };
        format!(
            "Your device sends: {} {} What it is for: {} When: {}\n\nOn this page, one person takes part in {}, with \
             {reports} for each.",
            text("product.collected"),
            answer(&self.task),
            text("product.purpose"),
            text("product.schedule"),
            counted(self.releases.into(), "result"),
        )
    }

    /// Markdown list on the parties, what each of them sees, and what hides one person.
    fn who_sees_what(&self) -> String {
        let (deployment, policy) = (&self.deployment, self.task.policy_name());
        let parts = deployment.aggregators().count();
        let device = match policy.client_noise {
            None => "**Your device** ",
            Some(_) => "**Your device** first changes your answer at random. Then it ",
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
        let is_behind_matrix = policy.strategy().is_some();
        let added = match policy.aggregator_noise {
            None => "- The sum hides which report is yours.",
            Some(AggregatorNoiseType::Compensation) => {
                "- **Each operator** also adds made-up reports if there are few real ones. They hide the real ones."
            }
            Some(_) if is_behind_matrix => {
                "- **Each operator** also mixes these sums by a public rule, the same for every result, and adds random \
                 errors to what comes out. They hide what one person adds to it."
            }
            Some(_) => {
                "- **Each operator** also adds random errors to the sum. They hide what one person adds to it."
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

    /// Text of the page on the error that the noise leaves in a published number: with its size for
    /// numbers of people to which aggregators alone add noise, as that does not depend on answers.
    fn remaining_error(&self) -> String {
        let (task, policy) = (&self.task, self.task.policy());
        let mut size = String::new();
        let is_of_people = task.query().max_entry() == 1 && task.grid().is_none();
        if task.document().client_noise.is_none() && is_of_people {
            let totals = vec![0; policy.query().totals()];
            let estimates = policy.estimate(&totals, policy.min_reports());
            let largest = estimates.iter().map(|one| one.standard_error).fold(0.0, f64::max);
            let margin = up(normal_margin_95(largest));
            size = format!("about 95 of 100 numbers are off by at most {margin} people, and ");
        }
        format!(
            "They are estimates, and not exact, on purpose. If all follow the rules, {size}nobody can take the errors out \
             of one result. An average of several results is more exact. One bad operator can change a result at will. No \
             result tells the truth about one person."
        )
    }

    /// Text of the page in Markdown on how sure a guess about a person can become: the table, an
    /// example, and on whom this counts.
    fn how_sure(&self) -> String {
        let totals = self.relied();
        let whose = match totals.guarantee.trust_model.needs_other_clients() {
            true => "some",
            false => "all",
        };
        let but = one_answer(self.task.circumstances().adjacency);
        let but = but.map_or_else(String::new, |words| format!("\n\n**{words}**"));
        format!(
            "Suppose that somebody tries to guess your answer. They know you well. They may know the answers of {whose} \
             other people. They see all results. How sure can they become of one guess, at most?\n\n{}\n\n{}{but}\n\nWhat \
             this counts on: {}",
            self.table(),
            self.example(totals),
            self.counts_on(totals)
        )
    }

    /// Who must be honest for the guarantees of a trust model, in a sentence that begins with a
    /// small letter.
    fn counts_on(&self, totals: &ModelGuarantees) -> String {
        let model = totals.guarantee.trust_model;
        let Some(operators) = operators(model, self.deployment.aggregators().count()) else {
            return "nobody. The limits hold even if everyone else works against you.".to_owned();
        };
        match model.needs_other_clients() {
            true => {
                let people = grouped(self.task.circumstances().honest_clients);
                format!("{operators}, and the honest reports in each result are at least {people}.")
            }
            false => format!("{operators}."),
        }
    }

    /// Markdown table of how sure a guess that was 1, 10 or 50 % sure can become, after one result
    /// and, if there are several, after all, in the trust model that the task relies on.
    fn table(&self) -> String {
        let relied = self.relied();
        let (mut lines, bounds) = match self.releases {
            1 => (
                "| sure before | sure after the result |\n|---|---|".to_owned(),
                vec![&relied.once],
            ),
            many => {
                let all = format!("after all {}", grouped(many));
                let head = format!("| sure before | after one result | {all} |\n|---|---|---|");
                (head, vec![&relied.once, &relied.all])
            }
        };
        for prior in [1, 10, 50] {
            lines += &format!("\n| {prior} % |");
            for bound in &bounds {
                lines += &format!(" {} % |", posterior_percent(&self.guessed(bound), prior));
            }
        }
        lines
    }

    /// The guarantee for guesses between any two answers, whatever the neighbours of the task are.
    fn guessed(&self, bound: &PairGuarantee) -> PairGuarantee {
        PrivacyPair::between(bound, self.task.circumstances().adjacency)
    }

    /// The limit for a guess of 50 % in words, such as "at most 73 % likely", with a remark if it
    /// is almost sure or protects nobody; "as likely as can be" without a guarantee.
    fn at_most(&self, bound: &PairGuarantee) -> String {
        let bound = self.guessed(bound);
        let percent = posterior_percent(&bound, 50);
        let remark = match bound.protects_nobody() {
            true => ", **which protects nobody**",
            false if percent > 99 => " (almost sure)",
            false => "",
        };
        match bound {
            PairGuarantee::Absent { .. } => format!("as likely as can be{remark}"),
            PairGuarantee::Kept { .. } => format!("at most {percent} % likely{remark}"),
        }
    }

    /// Sentence on how likely a guess of 50 % can become by these guarantees, after one result and
    /// after all.
    fn example(&self, totals: &ModelGuarantees) -> String {
        let once = self.at_most(&totals.once);
        let all = match self.releases {
            1 => String::new(),
            many => format!(", and {} after all {}", self.at_most(&totals.all), grouped(many)),
        };
        format!("A guess that they thought 50 % likely can become {once} after one result{all}.")
    }

    /// Text of the page in Markdown on the limits in stronger trust models than the task assumes,
    /// where more parties work together, the strongest adversary first; empty if there is none.
    fn together(&self) -> String {
        let relied = self.task.trust_model();
        let parts = self.totals.iter().filter_map(|totals| match totals.guarantee.trust_model {
            TrustModel::OneClient => Some(self.all_together(totals)),
            model if model.implies(relied) && model != relied => {
                let who = self.counts_on(totals);
                let who = who.trim_end_matches('.');
                Some(format!("What if only this is true: {who}? {}", self.example(totals)))
            }
            _ => None,
        });
        parts.collect::<Vec<_>>().join("\n\n")
    }

    /// Sentences in Markdown on what all aggregators together can see and guess, by the
    /// `guarantees` in OC (only the client is honest); without one, that nothing protects.
    fn all_together(&self, guarantees: &ModelGuarantees) -> String {
        if let PairGuarantee::Absent { .. } = guarantees.once {
            return "If all of them put their parts together, they can read your answer. **Then nothing \
                    protects you.**"
                .to_owned();
        }
        let useless = match self.task.policy_name().aggregator_noise {
            None => "Even if all of them put their parts together, they see only",
            Some(AggregatorNoiseType::Compensation) => {
                "If all of them put their parts together, their made-up reports are of no use. They see"
            }
            Some(_) => {
                "If all of them put their parts together, their own random errors are of no use. They see"
            }
        };
        format!(
            "{useless} what your device sent: an answer that it changed at random. {}",
            self.example(guarantees)
        )
    }

    /// Markdown list of the conditions under which the limits on guesses hold, both in the trust
    /// model that the task relies on and if all aggregators work together.
    fn conditions(&self) -> String {
        let models = [self.relied()].into_iter().chain(self.in_model(TrustModel::OneClient));
        let mut lines: Vec<String> = Vec::new();
        for condition in models.flat_map(|totals| &totals.guarantee.conditions) {
            let line = format!("- {}", in_plain_words(condition));
            if !lines.contains(&line) {
                lines.push(line);
            }
        }
        let relied = self.relied();
        let mut bounds = [&relied.once, &relied.all].into_iter();
        if bounds.any(|bound| bound.delta().is_some_and(|delta| !delta.is_zero())) {
            let average = "- All limits above hold on average over what the results may be. By a rare \
                           chance a guess can become surer.";
            lines.push(average.to_owned());
        }
        if lines.is_empty() {
            lines.push("- The limits hold always.".to_owned());
        }
        lines.join("\n")
    }

    /// What no guarantee hides, as a Markdown list.
    fn not_protected(&self) -> String {
        let least = counted(self.task.policy().min_reports(), "report");
        let mut text = format!(
            "- That you take part, and when.\n\
             - How many reports a result has: at least {least}, of which some may be fake.\n\
             - Your network address. The operators see it.\n\
             - What is true of people in general. If most people in your town smoke, some will think that you \
             do, even if you take no part.\n"
        );
        text += &match self.reports() {
            1 => "- A second report of yours. With two devices more can be learned than this page says.".to_owned(),
            most => format!(
                "- More than {} reports of yours in a result. With more of them more can be learned than this page says.",
                grouped(most)
            ),
        };
        text += "\n- Other surveys of you. With two of them more can be learned than this page says. Experts count both by \
                 `calibrate compose` or in one ledger.";
        if let Some(rate) = drop_rate(&self.task) {
            text += &format!(
                "\n- That a report is missing. In rare cases your device sends none, at most 1 in {rate}: its random \
                 changes came out too large."
            );
        }
        text
    }
}

/// What a client's measurement is, in a sentence.
fn answer(task: &Task) -> String {
    match &task.document().vdaf {
        Vdaf::Count { .. } => "It is a yes or a no.".to_owned(),
        Vdaf::Sum { range, .. } | Vdaf::Average { range, .. } => {
            format!("It is one number, {}", numbers(range))
        }
        Vdaf::SumVec { length, range, .. } => {
            format!("It is {} numbers, each {}", grouped(length), numbers(range))
        }
        Vdaf::MultihotCountVec { length, .. } => match &task.document().client_noise {
            Some(ClientNoise::OneHotRappor { .. } | ClientNoise::BasicRappor { .. }) => {
                format!("It is one of {} groups.", grouped(length))
            }
            _ => format!("It is {} times a yes or a no.", grouped(length)),
        },
        Vdaf::Histogram { length, .. } => format!("It is one of {} groups.", grouped(length)),
        Vdaf::L1BoundSum { length, max_measurement, .. } => format!(
            "It is {} numbers that add up to {} at most.",
            grouped(length),
            grouped(max_measurement)
        ),
    }
}

/// The range of a number in words, with a full stop.
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

/// The number n, rounded down and in words, such that at most one in n honest reports is dropped
/// for its weight; `None` if none ever is.
fn drop_rate(task: &Task) -> Option<String> {
    let (ClientNoise::SymmetricRappor { false_positive_rate: rate, .. }
    | ClientNoise::OneHotRappor { false_positive_rate: rate, .. }
    | ClientNoise::BasicRappor { false_positive_rate: rate, .. }) =
        task.document().client_noise.as_ref()?
    else {
        return None;
    };
    let cases = rate.reciprocal()?.floor();
    // Beyond 64 bits one in 10^12 is an upper bound.
    Some(u64::try_from(cases).map_or_else(|_| "a million million".to_owned(), grouped))
}

/// Upper bound on the probability of a guess after releases with this guarantee, in percent, if it
/// was `prior` percent before: on average over the possible results. It is rounded up: to whole
/// percents up to 99, to hundredths of a percent above.
#[must_use]
pub fn posterior_percent(bound: &PairGuarantee, prior: u32) -> Rational {
    let hundred = Rational::from(100u64);
    let Some(pair) = PrivacyPair::of(bound) else { return hundred };
    let percent = &pair.mean_posterior(&share(prior)) * &hundred;
    let whole = Rational::integer(percent.ceil());
    if whole <= Rational::from(99u64) {
        return whole;
    }
    let hundredths = Rational::integer((&percent * &hundred).ceil());
    &hundredths * &share(1)
}

/// A condition in plain words, for the people whose data are used.
#[must_use]
pub fn in_plain_words(condition: &Condition) -> String {
    let words = match condition {
        Condition::CarefulAggregator => {
            "An operator that follows the rules makes its random numbers well. It gives out each sum \
             once. Then it wipes its part."
        }
        Condition::OnlyTotals => "Nobody breaks the code that splits your answer.",
        Condition::Reports { most: 1 } => "You have one report in each result.",
        Condition::Reports { most } => {
            return format!("You have at most {} reports in each result.", grouped(most));
        }
        Condition::RandomizedReports { most: 1 } => {
            "Your device makes its random changes well, and sends one report for each result."
        }
        Condition::RandomizedReports { most } => {
            return format!(
                "Your device makes its random changes well, and sends at most {} reports for each \
                 result.",
                grouped(most)
            );
        }
        Condition::IndependentArrival | Condition::ArrivalWithinWeight => {
            "Whether your report gets through does not depend on your answer."
        }
        Condition::BatchSize { .. } => {
            "An operator that follows the rules gives out no result with too few or too many reports."
        }
        Condition::SeveralAggregators { honest, aggregators } if honest == aggregators => {
            "All operators follow the rules. One that does not can break the limit."
        }
        Condition::SeveralAggregators { .. } => {
            "As many operators as named above follow the rules. With one less the limit is gone."
        }
        Condition::HonestReports { honest, .. }
        | Condition::HonestAndMaliciousReports { honest, .. } => {
            return format!(
                "At least {} reports in each result are of people who follow the rules. A bad \
                 operator may throw out others.",
                grouped(honest)
            );
        }
    };
    words.to_owned()
}

#[cfg(test)]
mod tests {
    use dp_prio3::AbsenceReason;

    use super::*;

    /// Values of e^ε/(1 + e^ε) and so on from another arithmetic (mpmath, 50 digits).
    #[test]
    fn beliefs_are_rounded_up_from_the_exact_values() {
        let kept = |epsilon: &str, delta: &str| PairGuarantee::Kept {
            epsilon: epsilon.parse().expect("a number"),
            delta: delta.parse().expect("a number"),
            rho: None,
            slack_reason: None,
        };
        for (epsilon, delta, prior, percent) in [
            ("1", "0", 50, "74"),         // 73.105…
            ("1", "0.04", 50, "75"),      // 73.105… + 1
            ("0.906", "1e-9", 10, "22"),  // 21.564…
            ("6", "0", 50, "99.76"),      // 99.7527…
            ("20", "0", 50, "100"),       // all but 2e-9
            ("1e-12", "0", 50, "51"),     // a little above 50
            ("0", "0", 50, "50"),         // nothing is learned
            ("100000", "1e-9", 1, "100"), // nothing is left
        ] {
            let found = posterior_percent(&kept(epsilon, delta), prior).to_string();
            assert_eq!(found, percent, "{epsilon} {delta} {prior}");
        }
        let reason = AbsenceReason::PlainMeasurements;
        assert_eq!(posterior_percent(&PairGuarantee::Absent { reason }, 50), 100);
    }
}
