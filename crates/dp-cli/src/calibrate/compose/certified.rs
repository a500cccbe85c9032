//! What `--certificate` may write of many releases.

use dp_calibration::Adjacency;
use dp_exact::{Delta, Rational};

use crate::calibrate::certificate::{
    self, Candidates, Claim, Counts, Crowd, Mechanism as Claimed, Named, Noise, Release, Steering,
};
use crate::calibrate::typed::noise_law;

/// What is added to ε, in parts of it: without a grid, and with one.
const EXACT: [&str; 1] = ["1e-9"];
const LOOSER: [&str; 6] = ["1e-6", "3e-5", "1e-4", "1e-3", "0.01", "0.05"];

/// Steps of a grid to an ε.
const STEPS: [f64; 2] = [5e3, 2e4];

/// Certificates to try, or none where the checker knows no such mechanism.
pub(super) fn candidates(
    typed: impl Iterator<Item = (impl AsRef<str>, u32)>,
    adjacency: Adjacency,
    delta: &Delta,
    upper: &Rational,
) -> Candidates {
    candidates_if_known(typed, adjacency, delta, upper).unwrap_or_default()
}

fn candidates_if_known(
    typed: impl Iterator<Item = (impl AsRef<str>, u32)>,
    adjacency: Adjacency,
    delta: &Delta,
    upper: &Rational,
) -> Option<Candidates> {
    let mut releases = Vec::new();
    let mut crowds = Vec::new();
    let mut neighbours = Vec::new();
    let slack = delta.value().to_f64();
    for (text, times) in typed {
        let (mechanism, of) = claimed(text.as_ref(), adjacency)?;
        if let Claimed::Named(Named::Rappor {
            epsilon0,
            clients,
            noise,
            ..
        }) = &mechanism
        {
            let epsilon0 = epsilon0.parse::<Rational>().ok()?.to_f64();
            let counts = Counts::of_bits(epsilon0, *clients, 2.0 * f64::from(times));
            let counts = match noise {
                Some(noise) => counts.with(&noise.0, 1),
                None => counts,
            };
            crowds.push(Crowd::of(&counts, slack)?);
        }
        neighbours.extend(of);
        releases.push(Release { mechanism, times });
    }
    // A query that is typed is about the option's neighbours, `pair` about replaced measurements.
    let adjacency = neighbours.first().copied().unwrap_or(adjacency);
    if neighbours.iter().any(|of| *of != adjacency) {
        return None;
    }
    let is_noise = |release: &Release| matches!(release.mechanism, Claimed::Noise { .. });
    let trust_model = match (crowds.is_empty(), releases.iter().any(is_noise)) {
        (false, _) => "OAMC",
        (true, true) => "OAOC",
        (true, false) => "OC",
    };
    let claim = Claim {
        epsilon: upper.to_string(),
        delta: delta.to_string(),
        adjacency,
        trust_model,
        releases,
        every_larger_variance: false,
    };
    let mut candidates = Candidates::default();
    let steering = Steering {
        crowds,
        ..Steering::default()
    };
    candidates.add_larger(&claim, upper, &EXACT, &steering);
    for steps in STEPS {
        let steering = Steering {
            grid: Steering::grid(upper, steps),
            ..steering.clone()
        };
        candidates.add_larger(&claim, upper, &LOOSER, &steering);
    }
    Some(candidates)
}

/// A mechanism as the checker knows it, and the neighbours under which its query moves what it moves.
fn claimed(text: &str, adjacency: Adjacency) -> Option<(Claimed, Option<Adjacency>)> {
    let cells: Vec<&str> = text.splitn(3, ':').collect();
    let private = |epsilon: &Rational, delta: &str| {
        Claimed::Named(Named::Private {
            epsilon: epsilon.to_string(),
            delta: delta.to_owned(),
        })
    };
    Some(match cells[..] {
        ["response", epsilon] => (private(&epsilon.parse().ok()?, "0"), None),
        ["response", epsilon, delta] => (private(&epsilon.parse().ok()?, delta), None),
        ["rappor", epsilon0, clients] => crowd(epsilon0, clients, None, adjacency)?,
        ["hedged", epsilon0, end] => {
            let [name, parameter, clients] = end.split(':').collect::<Vec<&str>>()[..] else {
                return None;
            };
            let law = noise_law(name, parameter).ok()??;
            crowd(epsilon0, clients, Some(Noise(law)), adjacency)?
        }
        [name, parameter, query] => {
            let law = noise_law(name, parameter).ok()??;
            let of = certificate::adjacency(query, adjacency);
            let query = certificate::query(query);
            let of = (query != "count").then_some(of);
            let mechanism = Claimed::Noise {
                noise: Noise(law),
                query,
                aggregators: 1,
            };
            (mechanism, of)
        }
        _ => return None,
    })
}

/// The sum of so many clients' one-hot reports, and of noise.
fn crowd(
    epsilon0: &str,
    clients: &str,
    noise: Option<Noise>,
    adjacency: Adjacency,
) -> Option<(Claimed, Option<Adjacency>)> {
    let mechanism = Named::Rappor {
        query: "histogram",
        epsilon0: epsilon0.to_owned(),
        clients: clients.parse().ok()?,
        noise,
    };
    Some((Claimed::Named(mechanism), Some(adjacency)))
}
