//! Answers in several releases, against slow sums over all outcomes.

use dp_calibration::Result;
use dp_exact::Delta;

use super::AggregatedResponse;

/// One client alone: k answers are as many randomized responses with three losses.
#[test]
fn answers_of_one_client_compose_as_their_losses_do() -> Result<()> {
    let (epsilon0, answers, releases) = (0.7_f64, 4.0, 6);
    let survey = AggregatedResponse::new("0.7".parse()?, 4, 1)?;
    let delta: Delta = "1e-3".parse()?;
    let found = survey.epsilon_of_releases(&delta, releases)?.to_f64();
    let odds = epsilon0.exp();
    let total = odds + answers - 1.0;
    // The distribution of the number of answers in favour, less those against.
    let mut pmf = vec![1.0];
    for _ in 0..releases {
        let mut next = vec![0.0; pmf.len() + 2];
        for (place, mass) in pmf.iter().enumerate() {
            next[place] += mass / total;
            next[place + 1] += mass * (answers - 2.0) / total;
            next[place + 2] += mass * odds / total;
        }
        pmf = next;
    }
    let at = |epsilon: f64| -> f64 {
        let terms = pmf.iter().enumerate().map(|(place, mass)| {
            let favour = i32::try_from(place).expect("few") - i32::try_from(releases).expect("few");
            mass * (1.0 - (epsilon - epsilon0 * f64::from(favour)).exp()).max(0.0)
        });
        terms.sum()
    };
    assert!(at(found) <= 1e-3 * (1.0 + 1e-9), "{found}: {}", at(found));
    assert!(at(found * 0.999) > 1e-3, "{found} is not the least");
    Ok(())
}
