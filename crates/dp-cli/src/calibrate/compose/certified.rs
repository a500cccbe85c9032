//! What `--certificate` may write of many releases.

use dp_calibration::Adjacency;
use dp_exact::{Delta, Rational};

use crate::calibrate::certificate::{
    self, Candidates, Claim, Crowd, Mechanism as Claimed, Release, Steering,
};

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
        if let Claimed::Rappor {
            epsilon0, clients, ..
        } = &mechanism
        {
            let epsilon0 = epsilon0.parse::<Rational>().ok()?.to_f64();
            crowds.push(Crowd::of(
                epsilon0,
                *clients,
                2.0 * f64::from(times),
                slack,
            )?);
        }
        neighbours.extend(of);
        releases.push(Release { mechanism, times });
    }
    // A query that is typed is about the option's neighbours, `pair` about replaced measurements.
    let adjacency = neighbours.first().copied().unwrap_or(adjacency);
    if neighbours.iter().any(|of| *of != adjacency) {
        return None;
    }
    let is_noise = |release: &Release| {
        matches!(
            release.mechanism,
            Claimed::Gaussian { .. } | Claimed::Laplace { .. }
        )
    };
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
    let private = |epsilon: &Rational, delta: &str| Claimed::Private {
        epsilon: epsilon.to_string(),
        delta: delta.to_owned(),
    };
    Some(match cells[..] {
        ["response", epsilon] => (private(&epsilon.parse().ok()?, "0"), None),
        ["response", epsilon, delta] => (private(&epsilon.parse().ok()?, delta), None),
        ["rappor", epsilon0, clients] => {
            let (epsilon0, clients) = (epsilon0.to_owned(), clients.parse().ok()?);
            (
                Claimed::Rappor {
                    query: "histogram",
                    epsilon0,
                    clients,
                },
                Some(adjacency),
            )
        }
        [name @ ("gaussian" | "laplace"), parameter, query] => {
            let of = certificate::adjacency(query, adjacency);
            let (query, parameter) = (certificate::query(query), parameter.to_owned());
            let of = (query != "count").then_some(of);
            let mechanism = match name {
                "gaussian" => Claimed::Gaussian {
                    query,
                    variance: parameter,
                },
                _ => Claimed::Laplace {
                    query,
                    scale: parameter,
                },
            };
            (mechanism, of)
        }
        _ => return None,
    })
}
