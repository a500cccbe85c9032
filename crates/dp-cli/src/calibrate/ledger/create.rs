//! `calibrate ledger create`: the limit and the rule by which it is counted.

use std::path::PathBuf;

use clap::Args;
use dp_calibration::{Adjacency, Budget, TrustModel};
use dp_exact::{Delta, Epsilon, ParameterError, Refusal, Rounding};
use dp_ledger::{Declared, Journal, LedgerError, Rule, Terms};

use super::mechanism::{Exact, MECHANISM};
use super::shown::shown;
use super::{Amount, Counted};
use crate::calibrate::answer::Answer;
use crate::failure::Failure;
use crate::options::parse_integer;
use crate::typed;

/// Digits of a limit that is computed.
const DIGITS: usize = 12;

#[derive(Args, Debug)]
pub(super) struct Create {
    /// The file
    pub(super) file: PathBuf,
    #[command(flatten)]
    limit: Amount,
    #[command(flatten)]
    counted: Counted,
    /// How it counts: basic (sums of epsilon and delta, or of rho), zcdp (rho of every release, converted
    /// once), or declared (the exact privacy losses of a list of --mechanism and --times, fixed now)
    /// [default: declared with --mechanism, zcdp with --rho or a delta, else basic]
    #[arg(long)]
    rule: Option<String>,
    /// With zcdp: what the deltas of releases may come to; the rest of the limit's delta converts rho
    /// [default: a tenth of it, or 0 with --rho]
    #[arg(long)]
    delta_for_releases: Option<String>,
    /// With declared: gaussian:VARIANCE:QUERY, laplace:SCALE:QUERY or response:EPSILON[:DELTA]; may be
    /// repeated. Without --epsilon the limit is what all of them come to at --delta
    #[arg(long)]
    mechanism: Vec<String>,
    /// With declared: the most releases, once for all or once for each mechanism [default: 1]
    #[arg(long)]
    times: Vec<String>,
}

pub(super) fn answer(options: &Create) -> Result<Answer, Failure> {
    let (adjacency, trust_model) = options.counted.parsed()?;
    let model = trust_model.unwrap_or(TrustModel::OneAggregatorOneClient);
    let (limit, rule) = options.limit_and_rule(adjacency.unwrap_or_default(), model)?;
    let mut terms = Terms::new(limit).with_rule(rule);
    if let Some(adjacency) = adjacency {
        terms = terms.with_adjacency(adjacency);
    }
    if let Some(trust_model) = trust_model {
        terms = terms.with_trust_model(trust_model);
    }
    let journal = Journal::create(&options.file, terms)?;
    shown(&options.file, journal.ledger(), journal.head(), None)
}

impl Create {
    fn limit_and_rule(
        &self,
        adjacency: Adjacency,
        trust_model: TrustModel,
    ) -> Result<(Budget, Rule), Failure> {
        let for_releases = ("delta-for-releases", self.delta_for_releases.as_ref());
        let by_default = (!self.mechanism.is_empty()).then_some("declared");
        let named = self.rule.as_deref().or(by_default);
        if named == Some("declared") {
            let rho = ("rho", self.limit.rho.as_ref());
            typed::refuse_all("with the rule declared", [for_releases, rho])?;
            return self.declared(adjacency, trust_model);
        }
        let options = [("mechanism", self.mechanism.first()), ("times", self.times.first())];
        typed::refuse_all("without the rule declared", options)?;
        let limit = self.limit.budget()?;
        let has_slack = !matches!(limit, Budget::Pure { .. });
        let is_concentrated = match named {
            Some("basic") => false,
            Some("zcdp") => true,
            None => has_slack || self.delta_for_releases.is_some(),
            Some(other) => {
                let accepted = "basic, zcdp or declared";
                return Err(ParameterError::new("rule", other, accepted).into());
            }
        };
        if is_concentrated {
            let rule = self.zero_concentrated(&limit)?;
            return Ok((limit, rule));
        }
        typed::refuse_all("with the rule basic", [for_releases])?;
        Ok((limit, Rule::Basic))
    }

    fn zero_concentrated(&self, limit: &Budget) -> Result<Rule, Failure> {
        let delta: Option<Delta> =
            typed::optional("delta-for-releases", self.delta_for_releases.as_ref())?;
        Ok(match delta {
            None => Rule::zero_concentrated(limit)?,
            Some(delta) => {
                Rule::zero_concentrated_with(limit, delta).map_err(|error| match error {
                    LedgerError::Parameter(error) if error.name() == "releases_delta" => {
                        LedgerError::Parameter(error.renamed("delta-for-releases"))
                    }
                    other => other,
                })?
            }
        })
    }

    fn declared(
        &self,
        adjacency: Adjacency,
        trust_model: TrustModel,
    ) -> Result<(Budget, Rule), Failure> {
        if self.mechanism.is_empty() {
            return Err(Refusal::missing("mechanism", MECHANISM).into());
        }
        let releases = self.releases(adjacency, trust_model)?;
        let delta = match &self.limit.delta {
            Some(text) => typed::number("delta", text)?,
            None => typed::number::<Delta>("delta", "0")?,
        };
        let epsilon: Epsilon = match &self.limit.epsilon {
            Some(text) => typed::number("epsilon", text)?,
            None => {
                let all = Declared::epsilon(&releases, &delta)?;
                Epsilon::new(all.round_to_digits(DIGITS, Rounding::Up))?
            }
        };
        Ok((typed::budget_of(epsilon, delta), Rule::Declared { releases }))
    }

    fn releases(
        &self,
        adjacency: Adjacency,
        trust_model: TrustModel,
    ) -> Result<Vec<Declared>, Failure> {
        let (count, given) = (self.mechanism.len(), self.times.len());
        if given > 1 && given != count {
            let accepted = "once for all mechanisms, or once for each";
            return Err(ParameterError::new("times", self.times.join(", "), accepted).into());
        }
        let mut releases = Vec::with_capacity(count);
        for (index, text) in self.mechanism.iter().enumerate() {
            let exact = Exact::typed(text, adjacency)?
                .ok_or_else(|| ParameterError::new("mechanism", text, MECHANISM))?;
            exact.check_trust(trust_model)?;
            let times = self.times.get(index).or_else(|| self.times.first());
            let times = times.map(|times| parse_integer("times", times, 1..=1 << 20));
            releases.push(Declared {
                dominated_by: exact.declared(),
                times: times.transpose()?.unwrap_or(1),
            });
        }
        Ok(releases)
    }
}
