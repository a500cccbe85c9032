//! What a ledger says: what was spent of it, what is left, and its entries.

use std::path::Path;

use dp_calibration::{Budget, NoiseDistribution};
use dp_exact::{Delta, Rational, grouped};
use dp_ledger::{
    Cost, Entry, Head, Ledger, LedgerError, Mechanism, Noise, Randomizer, Release, Rule,
};
use serde::Serialize;

use crate::calibrate::answer::Answer;
use crate::failure::Failure;
use crate::text::wrapped;
use crate::typed::up;

/// What a ledger refuses names the ledger; what its file or a parameter is refused for names those
/// already.
pub(super) fn about(path: &Path, error: LedgerError) -> Failure {
    match error {
        LedgerError::Overspend { .. }
        | LedgerError::Conflict { .. }
        | LedgerError::OtherShares { .. }
        | LedgerError::Adjacency { .. }
        | LedgerError::TrustModel { .. }
        | LedgerError::NoHonestAggregator { .. }
        | LedgerError::Kind(_) => Failure::Usage(format!("{}: {error}", dp_exact::shown(path))),
        other => other.into(),
    }
}

/// What a ledger shows, in ε at this δ; by default at that of its limit.
pub(super) fn shown(
    path: &Path,
    ledger: &Ledger,
    head: Head,
    delta: Option<Delta>,
) -> Result<Answer, Failure> {
    let mut answer = Answer::to(format!("Ledger {}", dp_exact::shown(path)));
    terms(&mut answer, ledger);
    let mut guaranteed = vec![ledger.terms().limit().clone()];
    guaranteed.extend(totals(&mut answer, ledger, delta)?);
    answer.figure("entries", ledger.entries().len(), "");
    answer.figure("head", head, "keep it, and an older copy of the file is told by --head");
    if let Some(last) = ledger.entries().last() {
        answer.figure("last_entry", last.name(), "");
        answer.budget("last_guarantee", Some(last.release().budget().clone()));
        let charge = last.charge()?;
        cost(&mut answer, "last_spent", Some(charge.clone()));
        guaranteed.push(last.release().budget().clone());
        guaranteed.extend(sum(charge));
    }
    let answer = guaranteed.iter().fold(answer, Answer::about);
    Ok(answer.because(certificate(ledger.terms().rule())))
}

/// How many more of a release fit.
pub(super) fn room(path: &Path, ledger: &Ledger, release: &Release) -> Result<Answer, Failure> {
    let failed = |error| about(path, error);
    let title = format!("Ledger {}, and one more release", dp_exact::shown(path));
    let mut answer = Answer::to(title);
    let fit = ledger.room_for(release).map_err(failed)?;
    let meaning = "so many fit, if nothing else is spent";
    if fit == u64::MAX {
        answer.figure("more_releases", format!("{fit} or more"), meaning);
    } else {
        answer.figure("more_releases", fit, meaning);
    }
    let one = ledger.terms().charge("the release", release);
    cost(&mut answer, "each_costs", Some(one.map_err(failed)?));
    terms(&mut answer, ledger);
    totals(&mut answer, ledger, None)?;
    Ok(answer.because(certificate(ledger.terms().rule())))
}

fn terms(answer: &mut Answer, ledger: &Ledger) {
    let terms = ledger.terms();
    answer.budget("limit", Some(terms.limit().clone()));
    answer.figure("adjacency", terms.adjacency(), "");
    answer.figure("trust_model", terms.trust_model().abbreviation(), "");
    match terms.rule() {
        Rule::Basic => answer.figure("rule", "basic", ""),
        Rule::ZeroConcentrated { releases_delta, rho } => {
            answer.figure("rule", "zcdp", "");
            answer.figure("rho", rho, "the limit of rho, found once");
            let meaning = "what the deltas of releases may come to";
            answer.figure("delta_for_releases", releases_delta, meaning);
        }
        _ => {}
    }
}

/// What was spent and what is left, and the budgets among them.
fn totals(
    answer: &mut Answer,
    ledger: &Ledger,
    delta: Option<Delta>,
) -> Result<Vec<Budget>, Failure> {
    let (spent, left) = (ledger.spent()?, ledger.left()?);
    cost(answer, "spent", spent.clone());
    cost(answer, "left", left.clone());
    let by_sums = *ledger.terms().rule() == Rule::Basic;
    let delta = match (delta, ledger.terms().limit()) {
        (Some(delta), _) => Some(delta),
        (None, Budget::Approximate { delta, .. }) if !by_sums => Some(delta.clone()),
        _ => None,
    };
    if let Some(delta) = delta {
        let words = |epsilon: Option<Rational>| {
            epsilon.map_or_else(|| "none".to_owned(), |epsilon| up(&epsilon))
        };
        let meaning = format!("what was released comes to, at delta {delta}");
        answer.figure("spent_epsilon", words(ledger.spent_epsilon(&delta)?), meaning);
        let meaning = format!("what is left can come to by itself, at delta {delta}");
        answer.figure("left_epsilon", words(ledger.left_epsilon(&delta)?), meaning);
    }
    Ok(spent.into_iter().chain(left).filter_map(sum).collect())
}

/// Adds what is counted, in its parts where it is a budget.
fn cost(answer: &mut Answer, name: &'static str, cost: Option<Cost>) {
    match cost {
        None => answer.budget(name, None),
        Some(Cost::Sum(budget)) => answer.budget(name, Some(budget)),
        Some(other) => answer.figure(name, other, ""),
    }
}

fn sum(cost: Cost) -> Option<Budget> {
    match cost {
        Cost::Sum(budget) => Some(budget),
        _ => None,
    }
}

fn certificate(rule: &Rule) -> String {
    let by_rule = match rule {
        Rule::ZeroConcentrated { .. } => {
            "The limit holds whatever is asked next, also if that depends on what came out: of every \
             release rho is counted, and epsilon where it has one without delta, and it is taken while the \
             sum of rho, or that of epsilon, and the sum of delta are within their limits (a filter of \
             approximate zero-concentrated privacy: Whitehouse, Ramdas, Rogers, Wu 2023; \
             docs/filters.md of dp-ledger). What is spent is rounded up to 30 digits, the limit down."
        }
        _ => {
            "What is spent is rounded up to 30 digits, the limit down, and the sums are exact: of epsilon \
             and delta, or of rho."
        }
    };
    format!(
        "{by_rule} Every entry guarantees privacy for the neighbours and in the trust model that are shown, \
         or was converted to them. Every entry that is shown is on the disk; one that would exceed the \
         limit is refused and leaves no trace."
    )
}

/// A recorded release, and what was counted of it.
#[derive(Debug, Serialize)]
pub(crate) struct Listed {
    /// Its place in the order in which entries were recorded, from 1 on.
    number: usize,
    name: String,
    release: Release,
    charge: Cost,
    #[serde(skip_serializing_if = "Option::is_none")]
    shares: Option<String>,
}

impl Listed {
    /// All entries in their order.
    pub(crate) fn all(entries: &[Entry]) -> Result<Vec<Self>, LedgerError> {
        let entries = (1..).zip(entries);
        let listed = entries.map(|(number, entry)| {
            Ok(Self {
                number,
                name: entry.name().to_owned(),
                release: entry.release().clone(),
                charge: entry.charge()?,
                shares: entry.shares().map(ToString::to_string),
            })
        });
        listed.collect()
    }

    /// The entries for people, two lines or more for each.
    pub(crate) fn text(entries: &[Self]) -> String {
        let mut text = String::from(
            "\nEntries, in the order in which they were recorded (a ledger has no clock: a name says when)\n",
        );
        if entries.is_empty() {
            text += "  none\n";
        }
        for entry in entries {
            let number = format!("  {}. ", grouped(entry.number));
            text += &wrapped(&number, "       ", &dp_exact::shown(&entry.name));
            text += &wrapped("       ", "       ", &entry.words());
        }
        text
    }

    fn words(&self) -> String {
        let release = &self.release;
        let batch = match release.minimum_batch() {
            0 | 1 => String::new(),
            fewest => format!(" of at least {} reports", grouped(fewest)),
        };
        let shares = self.shares.as_ref();
        let shares = shares.map(|digest| format!(" Shares {digest}."));
        format!(
            "{}{batch}: {} ({}, {}). Charge: {}.{}",
            made_by(release.mechanism()),
            release.budget(),
            release.trust_model().abbreviation(),
            release.adjacency(),
            self.charge,
            shares.unwrap_or_default()
        )
    }
}

/// A mechanism as `record` has it typed, or in words.
fn made_by(mechanism: &Mechanism) -> String {
    match mechanism {
        Mechanism::Aggregators(noise) => of_noise(noise),
        Mechanism::Clients(randomizer) => of_clients(randomizer),
        Mechanism::Both { clients, aggregators } => {
            format!("{} and {}", of_clients(clients), of_noise(aggregators))
        }
        Mechanism::Other(words) => dp_exact::shown(words),
        _ => OTHER.to_owned(),
    }
}

const OTHER: &str = "another mechanism";

/// Noise of aggregators, as `record` has it typed, and what one client moves.
pub(crate) fn of_noise(Noise { distribution: law, difference }: &Noise) -> String {
    let law = match law {
        NoiseDistribution::DiscreteGaussian { variance } => format!("gaussian:{variance}"),
        NoiseDistribution::DiscreteLaplace { scale } => format!("laplace:{scale}"),
    };
    let (coordinates, step) = (grouped(difference.coordinates()), grouped(difference.step()));
    format!("{law} on {coordinates} moved by {step}")
}

fn of_clients(randomizer: &Randomizer) -> String {
    match randomizer {
        Randomizer::RandomizedResponse { epsilon } => format!("response:{epsilon}"),
        Randomizer::CoinFlip {} => "coin-flip".to_owned(),
        Randomizer::KaryRandomizedResponse { answers, epsilon } => {
            format!("k-ary:{answers}:{epsilon}")
        }
        Randomizer::SymmetricRappor { epsilon0, length, input_weight, .. } => {
            format!("symmetric-rappor:{length}:{input_weight}:{epsilon0}")
        }
        _ => OTHER.to_owned(),
    }
}
