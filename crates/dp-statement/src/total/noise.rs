//! The noise of a task, as what an accountant takes.

use dp_accounting::Release;
use dp_calibration::{Adjacency, Corner, NoiseLaw, local};
use dp_exact::{Delta, Epsilon, Rational};
use dp_task::{AggregatorNoise, ClientNoise, Task, Vdaf};

use crate::Error;

/// What a report is, as randomized responses or answers: so many of them.
pub(super) struct OwnNoise {
    pub(super) release: Release,
    pub(super) epsilon: Rational,
    pub(super) times: u64,
}

/// What clients flip, if they do.
pub(super) fn own_noise(task: &Task) -> Result<Option<OwnNoise>, Error> {
    let Some(noise) = &task.document().client_noise else {
        return Ok(None);
    };
    let entries = match &task.document().vdaf {
        Vdaf::Histogram { length, .. } | Vdaf::MultihotCountVec { length, .. } => *length,
        _ => 1,
    };
    let entries = u64::try_from(entries).unwrap_or(u64::MAX);
    let response = |epsilon: &Epsilon, times: u64| -> Result<OwnNoise, Error> {
        Ok(OwnNoise {
            release: Release::RandomizedResponse {
                epsilon: epsilon.clone(),
                delta: Delta::new(Rational::zero())?,
            },
            epsilon: epsilon.value().clone(),
            times,
        })
    };
    Ok(Some(match noise {
        ClientNoise::RandomizedResponse { epsilon } => response(epsilon, 1)?,
        ClientNoise::CoinFlip {} => response(&local::coin_flip().guarantee()?, 1)?,
        ClientNoise::KaryRandomizedResponse { epsilon } => OwnNoise {
            release: Release::KaryResponse {
                epsilon: epsilon.clone(),
                answers: entries,
            },
            epsilon: epsilon.value().clone(),
            times: 1,
        },
        ClientNoise::SymmetricRappor {
            epsilon0,
            input_weight,
            ..
        } => {
            let weight = u64::try_from(*input_weight).unwrap_or(u64::MAX);
            response(epsilon0, entries.min(weight.saturating_mul(2)))?
        }
        ClientNoise::OneHotRappor { epsilon0, .. } => response(epsilon0, 2)?,
        ClientNoise::BasicRappor { epsilon, .. } => {
            let half = epsilon.value().checked_div(&Rational::integer(2));
            let half = Epsilon::new(half.unwrap_or_else(|| epsilon.value().clone()))?;
            response(&half, 2)?
        }
    }))
}

/// What each aggregator draws, and what one measurement moves; `None` also where a measurement may be
/// dropped for its weight and its neighbour not, which noise does not hide. (Of one-hot vectors both are, with
/// coins that are as likely.)
pub(super) fn drawn_noise(task: &Task) -> Option<(NoiseLaw, Corner)> {
    let parts_by_drops = match &task.document().client_noise {
        Some(ClientNoise::SymmetricRappor {
            false_positive_rate,
            ..
        }) => !false_positive_rate.is_zero(),
        _ => false,
    };
    if parts_by_drops {
        return None;
    }
    let parameter = |wanted: &str| {
        let parameters = task.parameters().iter();
        let mut found = parameters.filter(|(name, _)| *name == wanted);
        found.next()?.1.parse::<Rational>().ok()
    };
    let law = match task.document().aggregator_noise.as_ref()? {
        AggregatorNoise::DiscreteLaplace { .. } => NoiseLaw::DiscreteLaplace {
            scale: parameter("scale")?,
        },
        AggregatorNoise::DiscreteGaussian { .. } => NoiseLaw::DiscreteGaussian {
            variance: parameter("variance")?,
        },
        AggregatorNoise::Compensation { .. } => return None,
    };
    let corner = task.query().corner(Adjacency::Replacement).ok()??;
    Some((law, corner))
}
