//! What is collected, who sees what, and what is seen without any protection.

use dp_exact::{Rational, grouped};
use dp_task::{ClientNoise, Range, Task, Vdaf};

use super::{Kind, counted};
use crate::markdown::{escaped, sentence};
use crate::statement::Statement;

pub(super) fn collected(statement: &Statement) -> String {
    let (product, task) = (&statement.deployment().product, statement.task());
    let releases = counted(statement.releases().into(), "result");
    format!(
        "{} {} What it is for: {} When: {}\n\nOn this page, one person takes part in {releases}, with one \
         report for each.",
        sentence(&product.collected),
        answer(task),
        sentence(&product.purpose),
        sentence(&product.schedule),
    )
}

/// What one report holds.
fn answer(task: &Task) -> String {
    let count = |length: &usize| grouped(length);
    match &task.document().vdaf {
        Vdaf::Count { .. } => "It is a yes or a no.".to_owned(),
        Vdaf::Sum { range, .. } => format!("It is one number, {}", numbers(range)),
        Vdaf::Average { range, .. } => format!("It is one number, {}", numbers(range)),
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
        Vdaf::L1BoundSum {
            length,
            max_measurement,
            ..
        } => format!(
            "It is {} numbers that add up to {} at most.",
            count(length),
            grouped(max_measurement)
        ),
    }
}

fn numbers(range: &Range) -> String {
    match range {
        Range::MaxMeasurement(most) => format!("from 0 to {}.", grouped(most)),
        Range::Grid(grid) => format!(
            "from {} to {}, in steps of {}. What lies beyond counts as the end that is nearer.",
            grouped(grid.low()),
            grouped(grid.high()),
            grouped(grid.granularity())
        ),
    }
}

pub(super) fn who_sees_what(statement: &Statement, kind: Kind) -> String {
    let deployment = statement.deployment();
    let parts = deployment.aggregators.len();
    let mut lines = Vec::new();
    let device = if kind.has_clients() {
        "**Your device** first changes your answer at random. Then it "
    } else {
        "**Your device** "
    };
    lines.push(format!(
        "- {device}splits what it sends into {parts} coded parts. One part by itself looks like random \
         numbers."
    ));
    let names = deployment.aggregators.iter();
    let names: Vec<String> = names
        .map(|one| format!("**{}**", escaped(&one.operator)))
        .collect();
    lines.push(format!(
        "- {} are the operators. Each gets one part of every report, and adds these parts up.",
        names.join(" and ")
    ));
    for (name, one) in names.iter().zip(&deployment.aggregators) {
        lines.push(format!(
            "- Why {name} does not share its part: {}",
            sentence(&one.trust)
        ));
    }
    lines.push(match kind {
        Kind::Clients => "- The sum hides which report is yours.".to_owned(),
        Kind::Aggregators | Kind::Both => {
            "- **Each operator** also adds random errors to the sum. They hide what one person adds to it."
                .to_owned()
        }
        Kind::Compensated => {
            "- **Each operator** also adds made-up reports if there are few real ones. They hide the real ones."
                .to_owned()
        }
    });
    lines.push(format!(
        "- **{}** gets the sums, not your answer. The results are shown to: {}",
        escaped(&deployment.collector.operator),
        sentence(&deployment.collector.audience)
    ));
    lines.join("\n")
}

pub(super) fn not_protected(statement: &Statement) -> String {
    let task = statement.task();
    let least = counted(task.min_reports(), "report");
    let mut lines = vec![
        "- That you take part, and when.".to_owned(),
        format!(
            "- How many reports a result has: at least {least}, of which some may be fake."
        ),
        "- Your network address. The operators see it.".to_owned(),
        "- What is true of people in general. If most people in your town smoke, some will think that you \
         do, even if you take no part."
            .to_owned(),
        "- A second report of yours. With two devices more can be learned than this page says."
            .to_owned(),
    ];
    if let Some(rate) = drop_rate(task) {
        lines.push(format!(
            "- That a report is missing. In rare cases your device sends none, at most 1 in {rate}: its random \
             changes came out too large."
        ));
    }
    lines.join("\n")
}

/// In how many honest reports at least one is dropped for its weight; `None` if none ever is.
fn drop_rate(task: &Task) -> Option<String> {
    let rate: &Rational = match task.document().client_noise.as_ref()? {
        ClientNoise::SymmetricRappor {
            false_positive_rate,
            ..
        }
        | ClientNoise::OneHotRappor {
            false_positive_rate,
            ..
        }
        | ClientNoise::BasicRappor {
            false_positive_rate,
            ..
        } => false_positive_rate,
        _ => return None,
    };
    let cases = rate.reciprocal()?.floor();
    Some(u64::try_from(cases).map_or_else(|_| "a million million".to_owned(), grouped))
}
