//! Which options a policy has, and which of them says what.

use dp_exact::Refusal;
use dp_task::{Mechanism, PolicyName, Randomizer, VdafType};

use crate::options::Options;

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
        VdafType::MultihotCountVec
            if matches!(
                policy.client_noise,
                None | Some(Randomizer::SymmetricRappor)
            ) =>
        {
            &["max-weight"]
        }
        VdafType::MultihotCountVec => &[],
        VdafType::Sum | VdafType::Average | VdafType::SumVec | VdafType::L1BoundSum => {
            &["max-measurement"]
        }
    };
    let on_grids: &[&str] = match policy.vdaf {
        VdafType::Sum | VdafType::Average | VdafType::SumVec => &["grid"],
        _ => &[],
    };
    if let (Some(epsilon0), Some(name @ ("epsilon" | "local_epsilon"))) =
        (&options.epsilon0, policy.parameter_of_clients())
    {
        let place = format!("with --policy {}", policy.name);
        let name = name.replace('_', "-");
        let change = format!("take --{name}, what the answer of one client promises");
        return Err(Refusal::contradiction("epsilon0", epsilon0, place, change));
    }
    let of_noise = policy.parameters().into_iter();
    let mut has: Vec<String> = of_noise.map(|name| name.replace('_', "-")).collect();
    let others = [&["aggregators", "delta"], of_vdaf, on_grids].concat();
    has.extend(others.into_iter().map(str::to_owned));
    let mut foreign = options.of_policies().to_vec();
    foreign.retain(|(name, _)| !has.iter().any(|own| own == name));
    options.refuse(&foreign)
}
