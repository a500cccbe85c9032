//! Which options a policy has, and which of them says what.

use dp_exact::Refusal;
use dp_task::{Mechanism, PolicyName, Randomizer, VdafType};

use crate::options::Options;
use crate::suggest;

/// The names that are nearest to one that is none.
pub(super) fn accepted_names(typed: &str) -> String {
    let near = suggest::policies(typed);
    match near.split_last() {
        None => "a name that `policies` lists, such as histogram-laplace".to_owned(),
        Some((only, [])) => format!("{only}, or another name that `policies` lists"),
        Some((last, others)) => format!(
            "{} or {last}, or another name that `policies` lists",
            others.join(", ")
        ),
    }
}

/// The option that says what the answer of one client promises: --epsilon, unless that is what the noise
/// of the aggregators promises.
pub(super) const fn of_answers(policy: PolicyName) -> &'static str {
    match policy.aggregator_noise {
        None => "epsilon",
        Some(_) => "local-epsilon",
    }
}

/// Refuses options that the policy does not have.
pub(super) fn refuse_foreign(options: &Options, policy: PolicyName) -> Result<(), Refusal> {
    if let (Some(epsilon), Some(_)) = (&options.epsilon, &options.rho)
        && policy.aggregator_noise == Some(Mechanism::DiscreteGaussian)
    {
        let (place, change) = ("with --rho", "leave one of them out");
        return Err(Refusal::contradiction("epsilon", epsilon, place, change));
    }
    if let (Some(epsilon), None) = (&options.epsilon, policy.aggregator_noise)
        && matches!(
            policy.client_noise,
            Some(Randomizer::SymmetricRappor | Randomizer::OneHotRappor)
        )
    {
        let place = format!("with --policy {}", policy.name);
        let change = "take --epsilon0, RAPPOR's parameter";
        return Err(Refusal::contradiction("epsilon", epsilon, place, change));
    }
    let of_vdaf: &[&str] = match policy.vdaf {
        VdafType::Count | VdafType::Histogram => &[],
        VdafType::MultihotCountVec if policy.client_noise.is_none() => &["max-weight"],
        VdafType::MultihotCountVec => &["false-positive-rate"],
        VdafType::Sum | VdafType::Average | VdafType::SumVec | VdafType::L1BoundSum => {
            &["max-measurement"]
        }
    };
    let on_grids: &[&str] = match policy.vdaf {
        VdafType::Sum | VdafType::Average | VdafType::SumVec => &["grid"],
        _ => &[],
    };
    let of_clients: &[&str] = match policy.client_noise {
        None | Some(Randomizer::CoinFlip) => &[],
        Some(Randomizer::SymmetricRappor) => &["epsilon0", "max-weight"],
        Some(Randomizer::OneHotRappor) => &["epsilon0"],
        Some(
            Randomizer::RandomizedResponse
            | Randomizer::KaryRandomizedResponse
            | Randomizer::BasicRappor,
        ) => {
            let name = of_answers(policy);
            if let Some(epsilon0) = &options.epsilon0 {
                let place = format!("with --policy {}", policy.name);
                let change = format!("take --{name}, what the answer of one client promises");
                return Err(Refusal::contradiction("epsilon0", epsilon0, place, change));
            }
            if name == "epsilon" {
                &["epsilon"]
            } else {
                &["local-epsilon"]
            }
        }
    };
    let of_aggregators: &[&str] = match policy.aggregator_noise {
        None => &[],
        Some(Mechanism::DiscreteLaplace) => &["epsilon"],
        Some(Mechanism::DiscreteGaussian) => &["epsilon", "rho"],
        Some(Mechanism::Compensation) => &["wanted-honest-clients", "assumed-malicious-clients"],
    };
    let has = [
        &["aggregators", "delta"],
        of_vdaf,
        on_grids,
        of_clients,
        of_aggregators,
    ]
    .concat();
    let mut foreign = options.of_policies().to_vec();
    foreign.retain(|(name, _)| !has.contains(name));
    options.refuse(&foreign)
}
