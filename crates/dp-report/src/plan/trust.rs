//! Who learns what, in each trust model.

use dp_calibration::TrustModel;
use dp_exact::grouped;
use dp_planner::{Choice, Plan, Promise};

use super::wording::{section as made, words};
use crate::figures::sentence;
use crate::model::{Block, Section, Trust};

pub(super) fn section(plan: &Plan, choice: &Choice) -> Section {
    let models = TrustModel::ALL.map(|model| of(plan, choice, model));
    let intro = "A promise depends on who keeps to the rules. From one picture to the next more parties have to; whoever \
                 is not honest may work together with all others that are not, and sees all that they see.";
    made(
        "trust",
        "Who could learn what",
        vec![
            Block::Paragraph(intro.to_owned()),
            Block::Trust(models.to_vec()),
        ],
    )
}

fn of(plan: &Plan, choice: &Choice, model: TrustModel) -> Trust {
    let promise = choice.per_release.of(model);
    let promised = |promise: &Promise| match promise {
        Promise::Absent { .. } => "no promise".to_owned(),
        Promise::Kept { .. } => words(promise),
    };
    let releases = plan.job.releases;
    let total = (releases > 1).then(|| {
        let total = promised(choice.total.of(model));
        format!("all {} releases: {total}", grouped(releases))
    });
    Trust {
        title: Trust::title(model),
        name: model.abbreviation(),
        honest: model.must_be_honest(),
        adversary: model.adversary(),
        aggregators: plan.job.aggregators,
        honest_aggregators: usize::from(model.honest_aggregators()),
        are_clients_honest: model.needs_other_clients(),
        promise: promised(promise),
        total,
        is_kept: promise.epsilon().is_some(),
        is_asked: plan.wanted.against.trust_model() == model,
        mark: "asked for",
        remark: remark(choice, model),
    }
}

/// What remains if those who must be honest are not, or why there is no promise.
fn remark(choice: &Choice, model: TrustModel) -> String {
    let promises = &choice.per_release;
    if let Promise::Absent { reason } = promises.of(model) {
        return sentence(reason);
    }
    let alone = match &promises.oc {
        Promise::Absent { .. } => "nothing protects a report".to_owned(),
        kept @ Promise::Kept { .. } => format!("the client's own noise promises {}", words(kept)),
    };
    match model {
        TrustModel::OneClient => String::new(),
        TrustModel::OneAggregatorMostClients if promises.oamc != promises.oaoc => format!(
            "With fewer honest clients, {} is left; without an honest aggregator {alone}.",
            match &promises.oaoc {
                Promise::Absent { .. } => "no promise".to_owned(),
                kept @ Promise::Kept { .. } => words(kept),
            }
        ),
        _ => format!("Without an honest aggregator {alone}."),
    }
}
