//! The cells of a sweep: every combination of its lists that fits.

mod fit;

use std::fmt::{self, Display, Formatter};

use dp_exact::{ParameterError, Refusal};
use dp_task::{NoiseParameters, PolicyName};
use serde::Serialize;

use crate::sweep::SweepError;
use crate::sweep::data::{DataSource, Kind};
use crate::sweep::file::Sweep;
use crate::sweep::seed;
use fit::Fitting;
pub(crate) use fit::written;

/// The most cells of a sweep.
pub const MAX_CELLS: u64 = 100_000;

/// One simulation of a sweep.
#[derive(Clone, Debug, PartialEq)]
pub struct Cell {
    /// Its number, from 1.
    pub number: u64,
    /// The policy.
    pub policy: PolicyName,
    /// What the policy takes of its budget, and the aggregators.
    pub parameters: NoiseParameters,
    /// The entries of `budgets` that it stands for, from 0: several, if they differ in what the policy does
    /// not take.
    pub budgets: Vec<usize>,
    /// How long the vectors are, of synthetic data, or the bins of a table.
    pub size: Option<String>,
    /// The clients.
    pub clients: u64,
    /// The trials.
    pub trials: u64,
    /// The seed of the simulation: it follows from that of the sweep and from the parameters above, not from
    /// the number.
    pub seed: u64,
    pub(crate) kind: Kind,
    /// The number of the length or of the bins.
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

/// A policy and a budget that do not go together.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ExcludedPair {
    /// The policy.
    pub policy: &'static str,
    /// The entry of `budgets`, in words.
    pub budget: String,
    /// Why.
    pub reason: String,
}

/// The cells of a sweep in order, and what is left out.
#[derive(Clone, Debug, PartialEq)]
pub struct CellGrid {
    /// The cells: by policy, budget, length or bins, aggregators, clients and trials, the last changing
    /// fastest.
    pub cells: Vec<Cell>,
    /// The pairs of policy and budget that do not go together. Each policy and each budget occurs in a cell.
    pub left_out: Vec<ExcludedPair>,
    /// The seed of the sweep.
    pub seed: u64,
}

impl CellGrid {
    /// The cells of a sweep with this seed.
    ///
    /// # Errors
    /// If a policy goes with none of the budgets or a budget with none of the policies, a budget has a
    /// parameter that no policy takes or whose value is out of its range, lengths are missing, or there are more than [`MAX_CELLS`] cells.
    pub fn new(sweep: &Sweep, seed: u64) -> Result<Self, SweepError> {
        let Fitting { fitting, left_out } = fit::fitting(sweep)?;
        check_lengths(sweep)?;
        let mut grid = Self { cells: Vec::new(), left_out, seed };
        for (policy, budgets) in fitting {
            for (parameters, entries) in budgets {
                grid.add(sweep, policy, &parameters, &entries)?;
            }
        }
        Ok(grid)
    }

    /// The cells of a policy with a budget.
    fn add(
        &mut self,
        sweep: &Sweep,
        policy: PolicyName,
        parameters: &NoiseParameters,
        entries: &[usize],
    ) -> Result<(), SweepError> {
        let kind = Kind::of(policy);
        for choice in 0..sweep.data.choices(kind, &sweep.lengths) {
            for aggregators in &sweep.aggregators {
                for clients in &sweep.clients {
                    for trials in &sweep.trials {
                        let number = u64::try_from(self.cells.len()).unwrap_or(u64::MAX);
                        if number >= MAX_CELLS {
                            let accepted = format!("lists of at most {MAX_CELLS} combinations");
                            let value = format!("more than {MAX_CELLS}");
                            return Err(ParameterError::new("cells", value, accepted).into());
                        }
                        let mut cell = Cell {
                            number: number + 1,
                            policy,
                            parameters: NoiseParameters {
                                aggregators: Some(aggregators.to_string()),
                                ..parameters.clone()
                            },
                            budgets: entries.to_vec(),
                            size: size(sweep, kind, choice),
                            clients: *clients,
                            trials: *trials,
                            seed: 0,
                            kind,
                            choice,
                        };
                        cell.seed = seed::of(self.seed, &cell);
                        self.cells.push(cell);
                    }
                }
            }
        }
        Ok(())
    }
}

/// What says how long the vectors are, for a seed and for people.
fn size(sweep: &Sweep, kind: Kind, choice: usize) -> Option<String> {
    match &sweep.data {
        DataSource::Synthetic(_) if kind.has_length() => {
            let length = sweep.lengths.get(choice);
            length.map(|length| format!("length {length}"))
        }
        DataSource::Table(table) if kind.has_bins(table) => {
            let bins = table.bins.get(choice);
            bins.map(|bins| format!("bins {bins}"))
        }
        DataSource::Synthetic(_) | DataSource::Table(_) => None,
    }
}

/// Lengths of synthetic data are given if a policy has vectors, and only then.
fn check_lengths(sweep: &Sweep) -> Result<(), Refusal> {
    let mut policies = sweep.policies.iter();
    let has_vectors = policies.any(|policy| Kind::of(*policy).has_length());
    match (&sweep.data, sweep.lengths.first()) {
        (DataSource::Synthetic(_), None) if has_vectors => {
            let accepted = "how long the vectors are, such as [12, 1000]";
            Err(Refusal::missing("lengths", accepted))
        }
        (DataSource::Synthetic(_), Some(length)) if !has_vectors => {
            let place = "with policies that count, add up or average one number";
            Err(Refusal::contradiction("lengths", length, place, "leave it out"))
        }
        _ => Ok(()),
    }
}
