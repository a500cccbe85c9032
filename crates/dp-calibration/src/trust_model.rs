//! Who is assumed to be honest.
//!
//! In a distributed aggregation the outcome is the adversary's view, so a guarantee depends on who
//! is honest. The first three models come from the Internet-Draft
//! draft-wang-ppm-differential-privacy, section 3.3; the others count on several honest
//! aggregators, whose noise adds up, and carry that number in their names.

use std::fmt;
use std::str::FromStr;

use dp_exact::ParameterError;
use serde::{Deserialize, Serialize};

/// Who is assumed to be honest.
///
/// From the strongest adversary to the weakest, OC ⊃ OAOC ⊃ OAMC: a guarantee against a stronger
/// adversary holds against a weaker one.
///
/// ```
/// use dp_calibration::TrustModel;
///
/// let model: TrustModel = "2AMC".parse()?;
/// assert_eq!(model.honest_aggregators(), 2);
/// assert_eq!(model.must_be_honest(), "the client itself, 2 aggregators and most clients");
/// # Ok::<(), dp_exact::ParameterError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum TrustModel {
    /// OC: only the client itself. Everyone else may work together against it.
    OneClient,
    /// OAOC: the client itself and one aggregator. The other aggregators, the collector and all
    /// other clients may work together against it.
    OneAggregatorOneClient,
    /// OAMC: one aggregator and most clients. The other aggregators, the collector and the
    /// remaining clients may work together.
    OneAggregatorMostClients,
    /// As OAOC, but with 2 to 254 honest aggregators: 2AOC, 3AOC, …
    SeveralAggregatorsOneClient(u8),
    /// As OAMC, but with 2 to 254 honest aggregators: 2AMC, 3AMC, …
    SeveralAggregatorsMostClients(u8),
}

impl TrustModel {
    /// The three models of the Internet-Draft, from the strongest adversary to the weakest.
    pub const ALL: [Self; 3] =
        [Self::OneClient, Self::OneAggregatorOneClient, Self::OneAggregatorMostClients];

    /// The three models and, for more than one honest aggregator, the two that count on them.
    ///
    /// # Errors
    /// If there are more than 254 honest aggregators, the most that Prio3 has.
    pub fn with_honest_aggregators(aggregators: usize) -> Result<Vec<Self>, ParameterError> {
        let mut models = Self::ALL.to_vec();
        if aggregators > 1 {
            let count = u8::try_from(aggregators).ok().filter(|count| *count <= 254);
            let accepted = "an integer from 2 to 254";
            let refused = || ParameterError::new("honest_aggregators", aggregators, accepted);
            let count = count.ok_or_else(refused)?;
            models.push(Self::SeveralAggregatorsOneClient(count));
            models.push(Self::SeveralAggregatorsMostClients(count));
        }
        Ok(models)
    }

    /// How many aggregators must be honest.
    #[must_use]
    pub const fn honest_aggregators(self) -> u8 {
        match self {
            Self::OneClient => 0,
            Self::OneAggregatorOneClient | Self::OneAggregatorMostClients => 1,
            Self::SeveralAggregatorsOneClient(count)
            | Self::SeveralAggregatorsMostClients(count) => count,
        }
    }

    /// Whether other clients must be honest.
    #[must_use]
    pub const fn needs_other_clients(self) -> bool {
        matches!(self, Self::OneAggregatorMostClients | Self::SeveralAggregatorsMostClients(_))
    }

    /// Whether every guarantee in this model holds in `other`, which trusts all whom this one does.
    ///
    /// The adversary of this model can do all that the adversary of `other` does, by letting its
    /// further parties follow the protocol, and sees more. This is a partial order: OC implies all
    /// others, and neither of OAMC and 2AOC implies the other.
    #[must_use]
    pub const fn implies(self, other: Self) -> bool {
        self.honest_aggregators() <= other.honest_aggregators()
            && (!self.needs_other_clients() || other.needs_other_clients())
    }

    /// The model that trusts all whom either model does, and nobody else.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        let aggregators = self.honest_aggregators().max(other.honest_aggregators());
        match (aggregators, self.needs_other_clients() || other.needs_other_clients()) {
            (0, _) => Self::OneClient,
            (1, false) => Self::OneAggregatorOneClient,
            (1, true) => Self::OneAggregatorMostClients,
            (count, false) => Self::SeveralAggregatorsOneClient(count),
            (count, true) => Self::SeveralAggregatorsMostClients(count),
        }
    }

    /// The abbreviation that the Internet-Draft uses, or one formed in this way.
    #[must_use]
    pub fn abbreviation(self) -> String {
        match self {
            Self::OneClient => "OC".to_owned(),
            Self::OneAggregatorOneClient => "OAOC".to_owned(),
            Self::OneAggregatorMostClients => "OAMC".to_owned(),
            Self::SeveralAggregatorsOneClient(count) => format!("{count}AOC"),
            Self::SeveralAggregatorsMostClients(count) => format!("{count}AMC"),
        }
    }

    /// Who must be honest, in words.
    #[must_use]
    pub fn must_be_honest(self) -> String {
        let aggregators = match self.honest_aggregators() {
            0 => return "only the client itself".to_owned(),
            1 => "one aggregator".to_owned(),
            count => format!("{count} aggregators"),
        };
        if self.needs_other_clients() {
            format!("the client itself, {aggregators} and most clients")
        } else {
            format!("the client itself and {aggregators}")
        }
    }

    /// Whom the guarantee holds against, in words.
    #[must_use]
    pub fn adversary(self) -> String {
        let aggregators = match self.honest_aggregators() {
            0 => "all aggregators".to_owned(),
            1 => "all aggregators but one".to_owned(),
            count => format!("all aggregators but {count}"),
        };
        let clients = if self.needs_other_clients() {
            "a minority of the clients"
        } else {
            "all other clients"
        };
        format!("{aggregators}, the collector and {clients} together")
    }
}

impl fmt::Display for TrustModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.abbreviation(), self.must_be_honest())
    }
}

impl FromStr for TrustModel {
    type Err = ParameterError;

    /// Reads [`TrustModel::abbreviation`].
    fn from_str(text: &str) -> Result<Self, ParameterError> {
        let accepted = "OC, OAOC, OAMC, or for N honest aggregators NAOC or NAMC, such as 2AOC";
        let refused = || ParameterError::new("trust model", text, accepted);
        // Models that count on several honest aggregators begin with their number.
        let digits = text.trim_end_matches(|letter: char| letter.is_ascii_alphabetic());
        // Without a number only one counts; a number that is too large is of no model.
        let models = Self::with_honest_aggregators(digits.parse().unwrap_or(1));
        let mut models = models.unwrap_or_default().into_iter();
        models.find(|model| model.abbreviation() == text).ok_or_else(refused)
    }
}

impl TryFrom<String> for TrustModel {
    type Error = ParameterError;

    fn try_from(text: String) -> Result<Self, ParameterError> {
        text.parse()
    }
}

impl From<TrustModel> for String {
    fn from(model: TrustModel) -> Self {
        model.abbreviation()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_model_is_read_back_from_its_abbreviation() {
        let models = TrustModel::with_honest_aggregators(254).expect("254 are accepted");
        assert_eq!(models.len(), 5);
        for few in [0, 1] {
            let models = TrustModel::with_honest_aggregators(few);
            assert_eq!(models, Ok(TrustModel::ALL.to_vec()));
        }
        assert!(TrustModel::with_honest_aggregators(255).is_err());
        for model in models {
            assert_eq!(model.abbreviation().parse(), Ok(model));
            assert_eq!(String::from(model), model.abbreviation());
        }
        for text in ["1AOC", "0AMC", "02AOC", "+2AMC", "255AOC", "AOC", "oaoc", ""] {
            assert!(text.parse::<TrustModel>().is_err(), "{text}");
        }
    }

    /// Whether an adversary of the model may have these numbers, of 5 aggregators and 3 other
    /// clients. Of other clients that must be mostly honest it may have one.
    fn is_adversary(model: TrustModel, aggregators: u8, clients: u8) -> bool {
        let most_clients = if model.needs_other_clients() { 1 } else { 3 };
        aggregators + model.honest_aggregators() <= 5 && clients <= most_clients
    }

    #[test]
    fn a_guarantee_carries_over_where_every_adversary_was_one_before() {
        let mut models = TrustModel::ALL.to_vec();
        for aggregators in 2..=5 {
            let several = TrustModel::with_honest_aggregators(aggregators).expect("at most 254");
            models.extend(&several[3..]);
        }
        for &one in &models {
            for &other in &models {
                let covered = (0..=5).all(|aggregators| {
                    (0..=3).all(|clients| {
                        !is_adversary(other, aggregators, clients)
                            || is_adversary(one, aggregators, clients)
                    })
                });
                assert_eq!(one.implies(other), covered, "{one}, {other}");
                assert_eq!(one.implies(other) && other.implies(one), one == other);
                for &third in &models {
                    let carries_over = one.implies(third) && other.implies(third);
                    assert_eq!(one.and(other).implies(third), carries_over, "{one}, {other}");
                    assert!(!one.implies(other) || !other.implies(third) || one.implies(third));
                }
            }
        }
    }
}
