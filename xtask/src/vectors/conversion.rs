//! The group `conversion`: from one currency of privacy to another.

use dp_calibration::accounting::{Accountant, AccountedMechanism};
use dp_calibration::conversion::{Conversion, Currency, for_group};
use dp_calibration::{Budget, Rational};
use serde_json::{Map, Value};

use super::model::{Figure, Outcome, Vector, upper};

/// For each vector, the name of the conversion and its parameters.
#[rustfmt::skip]
pub(super) const ROWS: &[(&str, &str)] = &[
    ("rho_to_epsilon", "rho=0.025 delta=1e-6"), ("rho_to_epsilon", "rho=1/8 delta=1e-9"), ("rho_to_epsilon", "rho=2 delta=1e-5"),
    ("rho_to_delta", "rho=0.025 epsilon=1"), ("rho_to_delta", "rho=1/8 epsilon=4"),
    ("renyi_to_epsilon", "alpha=2 tau=0.01 delta=1e-3"), ("renyi_to_epsilon", "alpha=16 tau=0.5 delta=1e-6"),
    ("renyi_to_epsilon", "alpha=5/2 tau=1 delta=1e-2"), ("renyi_to_delta", "alpha=16 tau=0.5 epsilon=1"),
    ("pure_to_rho", "epsilon=1"), ("pure_to_rho", "epsilon=0.1"), ("pure_to_rho", "epsilon=5"), ("pure_to_tau", "epsilon=1 alpha=2"),
    ("pure_to_tau", "epsilon=2 alpha=10"), ("pure_to_delta", "epsilon0=2 epsilon=1"), ("pure_to_delta", "epsilon0=0.5 epsilon=0.1"),
    ("deletion_to_replacement_delta", "epsilon=1 delta=1e-9"), ("deletion_to_replacement_delta", "epsilon=0.25 delta=1e-6"),
];

/// The test vector of a row of [`ROWS`]: the converted figure, at most what is computed and at
/// least 0.999999999 times as much, with the figures that known mistakes give.
pub(super) fn vector(&(conversion, parameters): &(&'static str, &str)) -> Outcome<Vector> {
    let fields = parameters.split(' ').filter_map(|field| field.split_once('='));
    let mut input: Map<String, Value> =
        fields.map(|(name, value)| (name.to_owned(), value.into())).collect();
    /// The parameter of a row with this name, parsed as the type that is needed.
    macro_rules! given {
        ($name:literal) => {
            input[$name].as_str().unwrap_or_default().parse()?
        };
    }
    let bound = |from: Budget, to: Currency| -> Outcome<Rational> {
        Ok(Conversion { from, to }.bound()?.value)
    };
    let renyi = || -> Outcome<Budget> { Ok(Budget::renyi(given!("alpha"), given!("tau"))?) };
    let rho = || -> Outcome<Budget> { Ok(Budget::ZeroConcentrated { rho: given!("rho") }) };
    let pure = || -> Outcome<Budget> { Ok(Budget::Pure { epsilon: given!("epsilon") }) };
    let mut others = Vec::new();
    let least = match conversion {
        "rho_to_epsilon" => bound(rho()?, Currency::EpsilonAt(given!("delta")))?,
        "rho_to_delta" => bound(rho()?, Currency::DeltaAt(given!("epsilon")))?,
        "renyi_to_epsilon" => {
            others.push(("tau_for_epsilon", given!("tau")));
            bound(renyi()?, Currency::EpsilonAt(given!("delta")))?
        }
        "renyi_to_delta" => bound(renyi()?, Currency::DeltaAt(given!("epsilon")))?,
        "pure_to_rho" => bound(pure()?, Currency::Rho)?,
        "pure_to_tau" => bound(pure()?, Currency::TauAt(given!("alpha")))?,
        // Randomized response is the worst pure mechanism.
        "pure_to_delta" => {
            let (epsilon, delta) = (given!("epsilon0"), "0".parse()?);
            let mut one = Accountant::new();
            one.add(AccountedMechanism::RandomizedResponse { epsilon, delta }, 1)?;
            upper(&one.delta(&given!("epsilon"))?)?
        }
        _ => {
            let (epsilon, delta): (_, Rational) = (given!("epsilon"), given!("delta"));
            others.push(("delta_doubled", &delta + &delta));
            others.push(("add_remove", delta));
            let pair = Budget::Approximate { epsilon, delta: given!("delta") };
            let Budget::Approximate { delta, .. } = for_group(&pair, 2)? else {
                return Err("an approximate guarantee".into());
            };
            delta.value().clone()
        }
    };
    // The looseness that the documentation of the conversions states.
    let lower = &least * &"0.999999999".parse()?;
    let quantity = conversion.rsplit('_').next().expect("a text has a last part");
    let mut figure = Figure::bound(quantity, &lower, &least);
    for (name, value) in others {
        figure = figure.mistake(name, &value);
    }
    input.insert("conversion".to_owned(), conversion.into());
    let name = format!("{conversion} {parameters}");
    Ok(Vector { name, input: input.into(), figures: vec![figure] })
}
