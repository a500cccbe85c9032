//! What `--certificate` may write of many releases.

use dp_calibration::{Adjacency, TrustModel};
use dp_certificate::{Candidates, Claim, Mechanism, Release};
use dp_exact::{Delta, Rational, integer};

use crate::calibrate::certificate;
use crate::calibrate::typed::noise_law;

/// Certificates to try, or none where the checker knows no such mechanism.
pub(super) fn candidates(
    typed: impl Iterator<Item = (impl AsRef<str>, u32)>,
    adjacency: Adjacency,
    delta: &Delta,
    upper: &Rational,
) -> Candidates {
    let claim = claim(typed, adjacency, delta, upper);
    claim.map_or_else(Candidates::default, |claim| Candidates::of(&claim))
}

fn claim(
    typed: impl Iterator<Item = (impl AsRef<str>, u32)>,
    adjacency: Adjacency,
    delta: &Delta,
    upper: &Rational,
) -> Option<Claim> {
    let mut releases = Vec::new();
    let mut neighbours = Vec::new();
    for (text, times) in typed {
        let (mechanism, of) = claimed(text.as_ref(), adjacency)?;
        neighbours.extend(of);
        releases.push(Release { mechanism, times });
    }
    // A query that is typed is about the option's neighbours, `pair` about replaced measurements.
    let adjacency = neighbours.first().copied().unwrap_or(adjacency);
    if neighbours.iter().any(|of| *of != adjacency) {
        return None;
    }
    let is_crowd = |release: &Release| matches!(release.mechanism, Mechanism::Rappor(_));
    let is_noise = |release: &Release| matches!(release.mechanism, Mechanism::Noise { .. });
    let trust_model = match (releases.iter().any(is_crowd), releases.iter().any(is_noise)) {
        (true, _) => TrustModel::OneAggregatorMostClients,
        (false, true) => TrustModel::OneAggregatorOneClient,
        (false, false) => TrustModel::OneClient,
    };
    Some(Claim {
        epsilon: upper.clone(),
        delta: delta.value().clone(),
        adjacency,
        trust_model,
        releases,
        every_larger_variance: false,
    })
}

/// A mechanism as the checker knows it, and the neighbours under which its query moves what it moves.
fn claimed(text: &str, adjacency: Adjacency) -> Option<(Mechanism, Option<Adjacency>)> {
    let cells: Vec<&str> = text.splitn(3, ':').collect();
    let people = |typed: &str| integer::<u64>("clients", typed, 1..=u64::MAX).ok();
    let private = |epsilon: &str, delta: &str| {
        let (epsilon, delta) = (epsilon.parse().ok()?, delta.parse().ok()?);
        Some((Mechanism::private(epsilon, delta), None))
    };
    match cells[..] {
        ["response", epsilon] => private(epsilon, "0"),
        ["response", epsilon, delta] => private(epsilon, delta),
        ["rappor", epsilon0, clients] => {
            let (epsilon0, clients) = (epsilon0.parse().ok()?, people(clients)?);
            Some((Mechanism::rappor(epsilon0, clients), Some(adjacency)))
        }
        ["hedged", epsilon0, end] => {
            let [name, parameter, clients] = end.split(':').collect::<Vec<&str>>()[..] else {
                return None;
            };
            let law = noise_law(name, parameter).ok()??;
            let (epsilon0, clients) = (epsilon0.parse().ok()?, people(clients)?);
            Some((Mechanism::hedged(epsilon0, clients, law), Some(adjacency)))
        }
        [name, parameter, query] => {
            let law = noise_law(name, parameter).ok()??;
            let of = certificate::adjacency(query, adjacency);
            let query = certificate::query(query);
            let of = (query != "count").then_some(of);
            Some((Mechanism::noise(law, query), of))
        }
        _ => None,
    }
}
