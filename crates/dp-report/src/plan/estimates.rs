//! How far off the estimates of a choice will be.

use dp_exact::grouped;
use dp_planner::{Choice, Plan};

use super::choices::noise;
use super::wording::section as made;
use crate::figures::figure;
use crate::model::{Block, Fact, Section};

pub(super) fn section(plan: &Plan, choice: &Choice) -> Section {
    let errors = &choice.errors;
    let estimates = plan.job.estimates();
    let one = match estimates {
        1 => "The estimate".to_owned(),
        estimates => format!("Each of the {} estimates", grouped(estimates)),
    };
    let words = format!(
        "{one} comes with an interval of ± {}: it holds the true number in 95 % of cases.",
        figure(errors.margin_95)
    );
    let mut facts = vec![
        Fact::new("95 % interval", format!("± {}", figure(errors.margin_95))),
        Fact::new("standard deviation", figure(errors.std)),
    ];
    if estimates > 1 {
        let largest = figure(errors.max_error_95);
        let words = format!("at most {largest} in 95 % of cases");
        facts.push(Fact::new("largest error of all", words));
    }
    if !super::question::are_clients_asked(plan) {
        let sampled = figure(plan.job.sampling_error());
        facts.push(Fact::new("standard error without noise", sampled));
    }
    facts.push(Fact::new("noise", noise(choice)));
    facts.push(Fact::new("clients", grouped(choice.clients)));
    made(
        "estimates",
        "How accurate it is",
        vec![Block::Paragraph(words), Block::Facts(facts)],
    )
}
