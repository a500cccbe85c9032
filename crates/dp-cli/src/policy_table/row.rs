//! The figures of one policy: its guarantee in each trust model, and its error.

use std::collections::BTreeMap;

use dp_calibration::{Budget, Query};
use dp_exact::{Rational, Rounding, directed, figure};
use dp_planner::normal_margin_95;
use dp_prio3::{Circumstances, Guarantee, PrivacyBound, TrustModel};
use dp_simulation::report::{GuaranteeTerms, PersonFields, ReleasePairs};
use dp_task::{Task, VdafType};
use serde::Serialize;

#[derive(Debug, Serialize)]
pub(super) struct PolicyRow {
    pub(super) policy: &'static str,
    vdaf: &'static str,
    description: String,
    pub(super) parameters: BTreeMap<&'static str, String>,
    /// The number of reports of a batch to which the errors belong.
    clients: u64,
    /// Standard deviation of one estimate from all noise, in the unit of the estimate.
    pub(super) std: f64,
    /// The error that one estimate exceeds with probability at most 5 %, in its unit.
    pub(super) margin_95: f64,
    /// The guarantees in the order of `TrustModel::ALL`: OC, OAOC, OAMC.
    pub(super) guarantees: Vec<GuaranteeCell>,
    /// Of a task whose person has several reports: the guarantees in the same order.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) person: Option<PersonFields>,
}

#[derive(Debug, Serialize)]
pub(super) struct GuaranteeCell {
    trust_model: String,
    must_be_honest: String,
    holds_against: String,
    adjacency: String,
    /// The bound for the table. A `≤` before it says that a smaller bound may be provable.
    #[serde(skip)]
    pub(super) short: String,
    guarantee: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    budget: Option<Budget>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) none_because: Option<String>,
    /// The trust model whose guarantee, against a stronger adversary, also holds here.
    #[serde(skip_serializing_if = "Option::is_none")]
    carried_over_from: Option<String>,
    #[serde(flatten)]
    terms: GuaranteeTerms,
}

/// Remark in OAMC where the guarantee of OAOC stands in for a better one.
pub(super) const CARRIED_OVER: &str =
    "the effect of other clients is computed for one policy, by --policy";

impl PolicyRow {
    /// The figures of the task's policy: errors in batches of `clients` reports, guarantees of one
    /// release and, for a person with several reports, of all. `with_clients` computes what other
    /// clients add to a policy with noise of clients and aggregators; others have it in any case.
    pub(super) fn of(
        task: &Task,
        clients: u64,
        circumstances: &Circumstances,
        with_clients: bool,
    ) -> Self {
        let policy = task.policy_name();
        let are_both = policy.client_noise.is_some() && policy.aggregator_noise.is_some();
        let share = match policy.vdaf {
            VdafType::Histogram => u64::try_from(task.query().totals()).expect("at most 2^24"),
            _ => 2,
        };
        let (std, margin_95) = predicted_error(task, clients, share);
        let one = circumstances.clone().over(1);
        let pairs =
            || TrustModel::ALL.map(|model| ReleasePairs::of(task.policy(), model, circumstances));
        Self {
            policy: policy.name,
            vdaf: policy.vdaf.name(),
            description: task.policy().name(),
            parameters: task.policy().parameters().into_iter().collect(),
            clients,
            std,
            margin_95,
            guarantees: guarantees(task, &one, with_clients || !are_both),
            person: PersonFields::of(circumstances, pairs),
        }
    }
}

/// The guarantees of one release in OC, OAOC and OAMC. Without `with_clients` nothing is computed
/// for OAMC: it has the guarantee of OAOC, which holds there too.
fn guarantees(
    task: &Task,
    circumstances: &Circumstances,
    with_clients: bool,
) -> Vec<GuaranteeCell> {
    let of = |model| task.policy().guarantee(model, circumstances);
    let [client, aggregator, most_clients] = TrustModel::ALL;
    let (oc, oaoc) = (of(client), of(aggregator));
    let oamc = match with_clients {
        true => of(most_clients),
        false => Guarantee {
            trust_model: most_clients,
            carried_over_from: oaoc.carried_over_from.or(Some(aggregator)),
            ..oaoc.clone()
        },
    };
    vec![
        GuaranteeCell::new(&oc, false),
        GuaranteeCell::new(&oaoc, false),
        GuaranteeCell::new(&oamc, !with_clients),
    ]
}

/// The standard deviation of one estimate, and the error that it exceeds with probability at most
/// 5 %, in the unit of the estimate, if one in `share` clients contributes to an estimate. Behind a
/// strategy matrix the first is the root mean square over all estimates. The second is exact for
/// noise of aggregators alone in one total; other errors are taken as normal, as `plan` does.
fn predicted_error(task: &Task, reports: u64, share: u64) -> (f64, f64) {
    let policy = task.policy();
    // With a strategy matrix every estimate depends on all totals.
    let is_behind_strategy = matches!(policy.query(), Query::HistogramRanges { .. });
    let variance = |total: u64| {
        let totals = match policy.corrected_buckets() {
            _ if is_behind_strategy => vec![total.into(); policy.query().totals()],
            1 => vec![total.into()],
            // All reports are in the totals, which are therefore not corrected.
            buckets => {
                let others = (2..buckets).map(|_| 0);
                let rest = i128::from(reports) - i128::from(total);
                [total.into(), rest].into_iter().chain(others).collect()
            }
        };
        let estimates = policy.estimate(&totals, reports);
        let counted = if is_behind_strategy { &estimates[..] } else { &estimates[..1] };
        let squares = counted.iter().map(|one| one.standard_error * one.standard_error);
        squares.sum::<f64>() / directed::index(counted.len())
    };
    // The variance is linear in the total: interpolated where a share is no whole number.
    let rest = directed::count(reports % share) / directed::count(share);
    let (low, high) = (variance(reports / share), variance(reports / share + 1));
    let unit = task.grid().map_or(1.0, |grid| grid.granularity().to_f64());
    let std = (rest * (high - low) + low).sqrt() * unit;
    let noise = policy.noisy_total(reports).filter(|_| policy.report_probabilities().is_none());
    let beta = Rational::new(1, 20).expect("a denominator of 20");
    let margin = noise.and_then(|noise| noise.margin(0, &beta).ok());
    let divisor = directed::count(policy.divisor(reports));
    (std, margin.map_or_else(|| normal_margin_95(std), |margin| margin * unit / divisor))
}

impl GuaranteeCell {
    /// The cell of the guarantee `proved`; `is_cut` if a smaller bound may be provable, as other
    /// clients' effect is not computed.
    fn new(proved: &Guarantee, is_cut: bool) -> Self {
        let model = proved.trust_model;
        let none_because = match &proved.bound {
            PrivacyBound::Absent { reason } => Some(reason.to_string()),
            PrivacyBound::Proved(_) => None,
        };
        let at_most = if is_cut { "≤" } else { "" };
        let mut terms = GuaranteeTerms::from(proved);
        terms.notes.extend(is_cut.then(|| CARRIED_OVER.to_owned()));
        Self {
            short: format!("{at_most}{}", short(&proved.bound)),
            guarantee: proved.bound.to_string(),
            budget: proved.bound.budget().cloned(),
            terms,
            trust_model: model.abbreviation(),
            must_be_honest: model.must_be_honest(),
            holds_against: model.adversary(),
            adjacency: proved.adjacency.to_string(),
            none_because,
            carried_over_from: proved.carried_over_from.map(TrustModel::abbreviation),
        }
    }
}

/// The bound in a few characters: ε, δ and ρ with four significant digits, rounded up; a Rényi
/// bound exactly; `none` if there is none.
fn short(bound: &PrivacyBound) -> String {
    let up = |value: &Rational| figure(value, 4, Rounding::Up);
    match bound {
        PrivacyBound::Absent { .. } => "none".to_owned(),
        PrivacyBound::Proved(Budget::Pure { epsilon }) => format!("ε {}", up(epsilon.value())),
        PrivacyBound::Proved(Budget::Approximate { epsilon, delta }) => {
            format!("ε {}, δ {}", up(epsilon.value()), up(delta.value()))
        }
        PrivacyBound::Proved(Budget::ZeroConcentrated { rho }) => format!("ρ {}", up(rho.value())),
        PrivacyBound::Proved(Budget::Renyi { alpha, tau }) => format!("τ {tau} at α {alpha}"),
    }
}
