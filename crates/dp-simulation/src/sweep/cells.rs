//! The cells of a sweep: every combination of its lists that goes together.

use std::fmt::{self, Display, Formatter};

use dp_exact::ParameterError;
use dp_prio3::mechanisms::NoiseKind;
use dp_task::{AggregatorNoiseType, Error as TaskError, NoiseParameters, PolicyName};
use serde::Serialize;
use sha2::{Digest as _, Sha256};

use crate::sweep::SweepError;
use crate::sweep::file::Sweep;

/// The most cells of a sweep.
pub const MAX_CELLS: u64 = 100_000;

/// The first text that is hashed for the seed of a cell.
const SEED_PURPOSE: &str = "dp-sweep cell seed 1";

/// One simulation of a sweep.
#[derive(Clone, Debug, PartialEq)]
pub struct Cell {
    /// The cell's number, from 1.
    pub number: u64,
    /// The policy.
    pub policy: PolicyName,
    /// The parameters of the budget that the policy has, and the number of aggregators.
    pub parameters: NoiseParameters,
    /// The entry of `budgets`, from 0.
    pub budget: usize,
    /// The length of synthetic vectors, or the bins of a table.
    pub size: Option<String>,
    /// The number of clients.
    pub clients: u64,
    /// The number of trials.
    pub trials: u64,
    /// The seed of the simulation, from the sweep's seed and all fields above but `number` and
    /// `budget`.
    pub seed: u64,
    /// The place of the length or of the bins in its list.
    pub(crate) choice: usize,
}

impl Display for Cell {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.policy.name)?;
        for (name, value) in self.parameters.given() {
            write!(formatter, ", {name} {value}")?;
        }
        if let Some(size) = &self.size {
            write!(formatter, ", {size}")?;
        }
        write!(formatter, ", clients {}, trials {}", self.clients, self.trials)
    }
}

impl Cell {
    /// The first eight bytes, little-endian, of SHA-256 over the sweep's seed and the cell's
    /// parameters, each after its length.
    fn derived_seed(&self, sweep: u64) -> u64 {
        let mut hash = Sha256::new();
        let mut add = |text: &str| {
            hash.update(u64::try_from(text.len()).unwrap_or(u64::MAX).to_le_bytes());
            hash.update(text);
        };
        add(SEED_PURPOSE);
        add(&sweep.to_string());
        add(self.policy.name);
        for (name, value) in self.parameters.given() {
            add(name);
            add(value);
        }
        add(self.size.as_deref().unwrap_or_default());
        add(&self.clients.to_string());
        add(&self.trials.to_string());
        let hash: [u8; 32] = hash.finalize().into();
        u64::from_le_bytes(hash[..8].try_into().unwrap_or_default())
    }
}

/// A policy and a budget that do not go together.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ExcludedPair {
    /// The policy.
    pub policy: &'static str,
    /// The entry of `budgets`, in words.
    pub budget: String,
    /// The reason.
    pub reason: String,
}

/// The cells of a sweep in order, and the pairs of policy and budget that are left out.
#[derive(Clone, Debug, PartialEq)]
pub struct CellGrid {
    /// The cells by policy, budget, length or bins, aggregators, clients and trials, the last
    /// changing fastest.
    pub cells: Vec<Cell>,
    /// The pairs of policy and budget that do not go together.
    pub left_out: Vec<ExcludedPair>,
    /// The seed of the sweep.
    pub seed: u64,
}

impl CellGrid {
    /// The cells of a sweep with this seed.
    ///
    /// # Errors
    /// If a policy goes with none of the budgets, a budget has a parameter that no policy has or
    /// that is out of its range, or there are more than [`MAX_CELLS`] cells.
    pub fn new(sweep: &Sweep, seed: u64) -> Result<Self, SweepError> {
        let mut grid = Self { cells: Vec::new(), left_out: Vec::new(), seed };
        let mut used = vec![Vec::new(); sweep.budgets.len()];
        let mut fitting = Vec::new();
        for policy in &sweep.policies {
            let budgets = grid.budgets_of(sweep, policy, &mut used)?;
            fitting.extend(budgets.into_iter().map(|(budget, given)| (*policy, budget, given)));
        }
        check_used(sweep, &used)?;
        for (policy, budget, parameters) in fitting {
            grid.add(sweep, policy, &parameters, budget)?;
        }
        Ok(grid)
    }

    /// The entries of `budgets` that go with the policy, and of each the parameters that it has.
    /// Adds the names of used parameters to each entry of `used`, and left out pairs.
    fn budgets_of(
        &mut self,
        sweep: &Sweep,
        policy: &PolicyName,
        used: &mut [Vec<&'static str>],
    ) -> Result<Vec<(usize, NoiseParameters)>, SweepError> {
        let mut budgets = Vec::new();
        for (number, budget) in sweep.budgets.iter().enumerate() {
            let parameters = match parameters_of(policy, budget) {
                Ok(parameters) => parameters,
                Err(reason) => {
                    let (policy, budget) = (policy.name, in_words(budget));
                    self.left_out.push(ExcludedPair { policy, budget, reason });
                    continue;
                }
            };
            policy.check(&parameters).map_err(|error| match error {
                TaskError::Field(error) => {
                    let path = format!("budgets[{number}].{}", error.name());
                    error.renamed(path).into()
                }
                other => SweepError::from(other),
            })?;
            used[number].extend(parameters.given().iter().map(|(name, _)| *name));
            budgets.push((number, parameters));
        }
        if budgets.is_empty() {
            let all: Vec<String> = sweep.budgets.iter().map(in_words).collect();
            let first = self.left_out.iter().find(|pair| pair.policy == policy.name);
            let reason = first.map_or("there are none", |pair| &pair.reason);
            let accepted = format!("budgets of which one goes with {}: {reason}", policy.name);
            return Err(ParameterError::new("budgets", all.join("; "), accepted).into());
        }
        Ok(budgets)
    }

    fn add(
        &mut self,
        sweep: &Sweep,
        policy: PolicyName,
        parameters: &NoiseParameters,
        budget: usize,
    ) -> Result<(), SweepError> {
        let sizes = sweep.data.sizes(&policy, &sweep.lengths);
        for (choice, size) in sizes.into_iter().enumerate() {
            for aggregators in &sweep.aggregators {
                for clients in &sweep.clients {
                    for trials in &sweep.trials {
                        let number = u64::try_from(self.cells.len()).unwrap_or(u64::MAX);
                        if number >= MAX_CELLS {
                            let accepted = format!("lists of at most {MAX_CELLS} combinations");
                            let value = format!("more than {MAX_CELLS}");
                            return Err(ParameterError::new("cells", value, accepted).into());
                        }
                        let aggregators = Some(aggregators.to_string());
                        let mut cell = Cell {
                            number: number + 1,
                            policy,
                            parameters: NoiseParameters { aggregators, ..parameters.clone() },
                            budget,
                            size: size.clone(),
                            clients: *clients,
                            trials: *trials,
                            seed: 0,
                            choice,
                        };
                        cell.seed = cell.derived_seed(self.seed);
                        self.cells.push(cell);
                    }
                }
            }
        }
        Ok(())
    }
}

/// The parameters of `budget` that `policy` has; `Err` says why the two do not go together.
fn parameters_of(policy: &PolicyName, budget: &NoiseParameters) -> Result<NoiseParameters, String> {
    let given = budget.given();
    let needs = |names: &[&str]| match given.iter().any(|(name, _)| names.contains(name)) {
        true => Ok(()),
        false => Err(format!("it takes {}", names.join(" or "))),
    };
    if let Some(name) = policy.client_parameter() {
        needs(&[name])?;
    }
    match policy.aggregator_noise.and_then(AggregatorNoiseType::noise_kind) {
        None => {}
        Some(NoiseKind::DiscreteLaplace) => needs(&["epsilon"])?,
        Some(NoiseKind::DiscreteGaussian) => {
            needs(&["epsilon", "rho"])?;
            if budget.epsilon.is_some() && budget.rho.is_some() {
                return Err("it takes epsilon or rho, and the budget has both".to_owned());
            }
        }
    }
    let has = policy.parameters();
    let mut parameters = NoiseParameters::default();
    for (name, value) in &given {
        if let Some(parameter) = parameters.get_mut(name)
            && (has.contains(name) || *name == "delta")
        {
            *parameter = Some((*value).to_owned());
        }
    }
    Ok(parameters)
}

/// Refuses budgets that no policy takes, and parameters that no policy has.
fn check_used(sweep: &Sweep, used: &[Vec<&str>]) -> Result<(), ParameterError> {
    for (number, (budget, used)) in sweep.budgets.iter().zip(used).enumerate() {
        if let Some((name, value)) = budget.given().iter().find(|(name, _)| !used.contains(name)) {
            let names: Vec<&str> = sweep.policies.iter().map(|policy| policy.name).collect();
            let accepted = format!(
                "parameters that one of the policies {} takes, beside what else it needs",
                names.join(", ")
            );
            return Err(ParameterError::new(format!("budgets[{number}].{name}"), value, accepted));
        }
    }
    Ok(())
}

pub(crate) fn in_words(budget: &NoiseParameters) -> String {
    let given = budget.given();
    let given: Vec<String> = given.iter().map(|(name, value)| format!("{name} {value}")).collect();
    if given.is_empty() { "no budget".to_owned() } else { given.join(", ") }
}
