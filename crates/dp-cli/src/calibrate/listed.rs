//! The entries of a ledger, for people and for programs.

use dp_calibration::NoiseLaw;
use dp_exact::{grouped, shown};
use dp_ledger::{Cost, Entry, LedgerError, Mechanism, Noise, Randomizer, Release};
use serde::Serialize;

use crate::text::wrapped;

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
            text += &wrapped(&number, "       ", &shown(&entry.name));
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
        Mechanism::Both {
            clients,
            aggregators,
        } => {
            format!("{} and {}", of_clients(clients), of_noise(aggregators))
        }
        Mechanism::Other(words) => shown(words),
        _ => OTHER.to_owned(),
    }
}

const OTHER: &str = "another mechanism";

/// Noise of aggregators, as `record` has it typed, and what one client moves.
pub(crate) fn of_noise(Noise { law, corner }: &Noise) -> String {
    let law = match law {
        NoiseLaw::DiscreteGaussian { variance } => format!("gaussian:{variance}"),
        NoiseLaw::DiscreteLaplace { scale } => format!("laplace:{scale}"),
    };
    let (coordinates, step) = (grouped(corner.coordinates()), grouped(corner.step()));
    format!("{law} on {coordinates} moved by {step}")
}

fn of_clients(randomizer: &Randomizer) -> String {
    match randomizer {
        Randomizer::RandomizedResponse { epsilon } => format!("response:{epsilon}"),
        Randomizer::CoinFlip {} => "coin-flip".to_owned(),
        Randomizer::KaryRandomizedResponse { answers, epsilon } => {
            format!("k-ary:{answers}:{epsilon}")
        }
        Randomizer::SymmetricRappor {
            epsilon0,
            length,
            input_weight,
            ..
        } => format!("symmetric-rappor:{length}:{input_weight}:{epsilon0}"),
        _ => OTHER.to_owned(),
    }
}
