//! Which options a policy has, and which of them says what.

use dp_exact::Refusal;
use dp_task::{Mechanism, POLICIES, PolicyName, Randomizer, VdafType};

use crate::options::Options;

/// The most names that are offered.
const OFFERED: usize = 6;

/// The names that have all words of one that is none, or else those that it is a slip of.
pub(super) fn accepted_names(typed: &str) -> String {
    let typed = typed.to_lowercase().replace(['_', ' '], "-");
    let typed = typed.trim_start_matches("prio3").trim_start_matches('-');
    let words: Vec<&str> = typed.split('-').filter(|word| word.len() > 1).collect();
    let names = || POLICIES.iter().map(|policy| policy.name);
    let has = |name: &str, word: &str| name.split('-').any(|own| own.starts_with(word));
    let mut near: Vec<&str> = names()
        .filter(|name| !words.is_empty() && words.iter().all(|word| has(name, word)))
        .collect();
    near.sort_by_key(|name| name.split('-').filter(|own| !words.contains(own)).count());
    if near.contains(&typed) {
        near = vec![typed];
    } else if near.is_empty() {
        let slips = |name: &str| strsim::damerau_levenshtein(name, typed);
        let least = names().map(slips).min();
        near = names()
            .filter(|name| Some(slips(name)) == least && slips(name) < 4)
            .collect();
    }
    near.truncate(OFFERED);
    match near.split_last() {
        None => "a name that `policies` lists, such as histogram-laplace".to_owned(),
        Some((only, [])) => format!("{only}, or another name that `policies` lists"),
        Some((last, others)) => format!(
            "{} or {last}, or another name that `policies` lists",
            others.join(", ")
        ),
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
