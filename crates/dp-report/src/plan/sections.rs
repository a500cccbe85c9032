//! The sections of the report of a plan.

use dp_calibration::{NoiseKind, TrustModel};
use dp_exact::{Interval, Rational, Rounding, grouped};
use dp_planner::{PairGuarantee, Plan, PolicyChoice, Task};
use dp_prio3::{MAX_MEANINGFUL_EPSILON, WEAK};

use super::answer::{PlanAnswer, scopes};
use super::question::are_clients_asked;
use super::{curves, tables};
use crate::figures::{self, sentence, up};
use crate::guarantee::{self, CERTIFIED, GuaranteeText, is_weak, pair, words};
use crate::model::{Block, Fact, Section, Table, TrustCard};
use crate::risk;
use crate::text::counted;

/// All sections of the report on a plan about one choice, in reading order; `min_reports` is the
/// smallest batch of its task, or `None` for the choice's own.
pub(super) fn all(
    plan: &Plan,
    choice: &PolicyChoice,
    min_reports: Option<u64>,
    answer: &PlanAnswer,
) -> Vec<Section> {
    let mut document = choice.document(&plan.target);
    let least = min_reports.unwrap_or(document.batch.min_reports);
    document.batch.min_reports = least;
    let task = Task::new(document).ok();
    let models = TrustModel::ALL.map(|model| trust(plan, choice, model));
    let mut sections = vec![
        estimates(plan, choice),
        guarantee::trust(models.to_vec()),
        guaranteed(plan, choice, task.as_ref()),
        risk::section(&scopes(plan, choice, plan.target.trust_model), plan.job.adjacency),
    ];
    sections.extend(curves::section(plan, choice));
    sections.push(policies(plan, Some(choice), answer));
    sections.push(details(plan, choice, least, task.as_ref()));
    sections
}

/// Section on the accuracy of the estimates.
fn estimates(plan: &Plan, choice: &PolicyChoice) -> Section {
    let errors = &choice.errors;
    let mut facts = vec![
        Fact::new("95 % interval", format!("{} ± {}", plan.job.estimate(), up(errors.margin_95))),
        Fact::new("standard deviation", up(errors.std)),
    ];
    if plan.job.estimates() > 1 {
        let largest = format!("at most {} in 95 % of cases", up(errors.max_error_95));
        facts.push(Fact::new("largest error of all", largest));
    }
    if !are_clients_asked(plan) {
        let sampled = up(plan.job.sampling_error());
        facts.push(Fact::new("standard error without noise", sampled));
    }
    facts.push(Fact::new("noise", tables::noise(choice)));
    facts.push(Fact::new("clients", grouped(choice.clients)));
    Section::new("estimates", "How accurate it is", vec![Block::Facts(facts)])
}

/// The card of a trust model: the guarantees of the choice in it, and what is left if parties that
/// must be honest are not.
fn trust(plan: &Plan, choice: &PolicyChoice, model: TrustModel) -> TrustCard {
    let guarantees = &choice.per_release;
    let bound = guarantees.of(model);
    let alone = match &guarantees.oc {
        PairGuarantee::Absent { .. } => "nothing protects a report".to_owned(),
        kept @ PairGuarantee::Kept { .. } => {
            format!("the client's own noise guarantees {}", words(kept))
        }
    };
    let remark = match (bound, model) {
        (PairGuarantee::Absent { reason }, _) => sentence(&reason.to_string()),
        (_, TrustModel::OneClient) => String::new(),
        (_, TrustModel::OneAggregatorMostClients) if *guarantees.oamc() != guarantees.oaoc => {
            format!(
                "With fewer honest clients, {} is left; without an honest aggregator {alone}.",
                words(&guarantees.oaoc)
            )
        }
        _ => format!("Without an honest aggregator {alone}."),
    };
    let releases = plan.job.releases;
    let total = || format!("all {} releases: {}", grouped(releases), words(choice.total.of(model)));
    TrustCard {
        bound: words(bound),
        total: (releases > 1).then(total),
        is_kept: bound.epsilon().is_some(),
        mark: (plan.target.trust_model == model).then_some("asked for"),
        remark,
        model,
        aggregators: plan.job.aggregators,
    }
}

/// Section on the guarantee in the requested trust model, in words and in numbers, with the
/// conditions of the task. Without a task, as it would protect nobody, they are left out.
fn guaranteed(plan: &Plan, choice: &PolicyChoice, task: Option<&Task>) -> Section {
    let model = plan.target.trust_model;
    let mut blocks = vec![Block::Paragraph(format!(
        "{} This holds against {}.",
        guarantee::neighbours(plan.job.adjacency),
        model.adversary()
    ))];
    let guarantees = scopes(plan, choice, model);
    let facts = guarantees.iter().flat_map(|(name, bound)| numbers(name, bound));
    blocks.push(Block::Facts(facts.collect()));
    let weak = guarantees.iter().filter(|(_, bound)| is_weak(bound));
    blocks.extend(weak.map(|(name, bound)| {
        Block::Warning(format!("{} is guaranteed of {name}. {WEAK}", pair(bound)))
    }));
    match task {
        Some(task) => {
            // A guarantee that is carried over has its conditions in the model where it was proved.
            let own = task.guarantee();
            let proved = match own.carried_over_from {
                None => own.clone(),
                Some(model) => task.policy().guarantee(model, task.circumstances()),
            };
            let words = GuaranteeText::of(&proved);
            blocks.push(Block::Paragraph(format!(
                "The task guarantees in {} for one report in one release, under {}: {}",
                proved.trust_model.abbreviation(),
                proved.adjacency.in_words(),
                words.guarantee
            )));
            blocks.extend(words.blocks());
        }
        None => {
            let words = "The conditions are those of the task, which has to say that its guarantee protects nobody.";
            blocks.push(Block::Paragraph(words.to_owned()));
        }
    }
    Section::new("guarantee", "What is guaranteed", blocks)
}

/// ε, e^ε, δ and, if there is one, ρ of a guarantee, rounded up, behind its `name`; for an ε above
/// 20 words in place of e^ε. Without a guarantee only the reason.
fn numbers(name: &str, bound: &PairGuarantee) -> Vec<Fact> {
    let (epsilon, delta, rho) = match bound {
        PairGuarantee::Kept { epsilon, delta, rho, .. } => (epsilon, delta, rho),
        PairGuarantee::Absent { reason } => {
            return vec![Fact::new(name, format!("no guarantee: {reason}"))];
        }
    };
    let is_small = *epsilon <= Rational::from(MAX_MEANINGFUL_EPSILON);
    let growth = is_small.then(|| Interval::rational(epsilon, 64).exp()?.upper().to_rational());
    let factor = growth.flatten().map_or_else(
        || "so large that it means nothing".to_owned(),
        |growth| format!("at most {}", dp_exact::figure(&growth, 4, Rounding::Up)),
    );
    let mut facts = vec![
        Fact::new(name, format!("epsilon {}", figures::epsilon(epsilon))),
        Fact::new("", format!("factor between probabilities, e^epsilon: {factor}")),
        Fact::new("", format!("delta {}", figures::delta(delta))),
    ];
    let rho = rho.as_ref().map(figures::epsilon);
    facts.extend(rho.map(|rho| Fact::new("", format!("rho {rho} (zero-concentrated)"))));
    facts
}

/// Section on the policies that do the job, the row of `choice` marked, and on why the others do
/// not.
pub(super) fn policies(plan: &Plan, choice: Option<&PolicyChoice>, answer: &PlanAnswer) -> Section {
    let mut blocks = Vec::new();
    if plan.chosen().is_some() {
        let name = choice.map(|choice| choice.policy.name);
        let mut choices = plan.choices.iter();
        let chosen = choices.position(|one| Some(one.policy.name) == name);
        for table in [answer.errors.clone(), tables::guarantees(plan)] {
            blocks.push(Block::Table(Table { chosen, ..table }));
        }
    }
    let reasons = Block::List(answer.excluded.clone());
    blocks.push(Block::Group("Not for this job".to_owned(), vec![reasons]));
    Section::new("policies", "Every policy for this job", blocks)
}

/// Section on every parameter, the fewest reports of a batch, the digest of the task if there is
/// one, and the origin of the figures.
fn details(plan: &Plan, choice: &PolicyChoice, least: u64, task: Option<&Task>) -> Section {
    let fact = |(name, value): (&str, String)| Fact::new(name.replace('_', " "), grouped(value));
    let mut facts: Vec<Fact> = plan.inputs().into_iter().map(fact).collect();
    if are_clients_asked(plan) {
        facts.push(Fact::new("clients", grouped(choice.clients)));
    }
    let mut of_policy = vec![Fact::new("policy", choice.policy.name)];
    match task {
        Some(task) => {
            let own = task.policy().parameters().into_iter();
            of_policy.extend(own.map(|(name, value)| Fact::new(name, grouped(value))));
            of_policy.push(Fact::new("task digest", task.digest().to_string()));
        }
        None => {
            let own = choice.parameters.iter();
            of_policy.extend(own.map(|(name, value)| Fact::new(*name, value.to_string())));
        }
    }
    of_policy.push(Fact::new("smallest batch", counted(least, "report")));
    of_policy.push(Fact::new("version", env!("CARGO_PKG_VERSION")));
    let has = |name: &str| choice.parameters.iter().any(|(known, _)| *known == name);
    let is_behind_matrix = choice.policy.strategy().is_some();
    let is_cube = choice.policy.noise_kind() == Some(NoiseKind::DiscreteKNorm);
    let certificates = [
        (true, CERTIFIED),
        (
            is_behind_matrix,
            "Noise behind the strategy matrix: an upper bound on delta at epsilon, for every difference of the largest norm that \
             one person makes after the multiplication (the proofs of dp-calibration).",
        ),
        (
            is_cube,
            "Cube-shaped noise: the exact delta of discrete Laplace noise of its scale on one number, of which \
             this noise under any difference is a randomization (the proofs of dp-calibration).",
        ),
        (
            !is_cube && !is_behind_matrix && (has("scale") || has("variance")),
            "Noise of an aggregator: the exact delta of the discrete distribution at epsilon, for the worst-case difference \
             that one person makes (the proofs of dp-calibration).",
        ),
        (
            has("epsilon0"),
            "Noise of clients: the distribution of the randomized report; with amplification by aggregation, the exact \
             distribution of the sum of the honest clients' randomness (the proofs of dp-amplification).",
        ),
        (
            plan.job.releases > 1,
            "All releases together: the composition of their privacy losses, for the same person in every release (the \
             proofs of dp-calibration).",
        ),
        (
            true,
            "Errors are predictions, and decide no bound: margins follow from the exact distribution of aggregators' noise, \
             and from a normal approximation of clients' noise and of sums of buckets.",
        ),
    ];
    let certificates = certificates.into_iter().filter(|(is_there, _)| *is_there);
    let certificates = certificates.map(|(_, words)| words.to_owned()).collect();
    let blocks = vec![
        Block::Group("The job".to_owned(), vec![Block::Facts(facts)]),
        Block::Group("The policy".to_owned(), vec![Block::Facts(of_policy)]),
        Block::Group("Certificates".to_owned(), vec![Block::List(certificates)]),
    ];
    Section::new("details", "Every parameter, and how the figures were found", blocks)
}
