//! Several releases: against one release, and against the datasets of few clients.

use dp_calibration::Error;
use dp_exact::{Delta, Rational};

use super::super::AggregatedResponse;

#[test]
fn one_release_of_many_is_nearly_what_one_release_alone_guarantees() -> Result<(), Error> {
    for (epsilon0, answers, clients) in [("3", 5, 10_000), ("1", 40, 250_000), ("2", 3, 20)] {
        let survey = AggregatedResponse::new(epsilon0.parse()?, answers, clients)?;
        let delta: Delta = "1e-6".parse()?;
        let alone = survey.epsilon(&delta)?.upper.to_f64();
        let one = survey.epsilon_of_releases(&delta, 1)?.to_f64();
        assert!(
            (alone * (1.0 - 1e-9)..alone * 1.001).contains(&one),
            "{alone} {one}"
        );
    }
    Ok(())
}

/// One client alone: k answers are as many randomized responses with three losses.
#[test]
fn answers_of_one_client_compose_as_their_losses_do() -> Result<(), Error> {
    let (epsilon0, answers, releases) = (0.7_f64, 4.0, 6);
    let survey = AggregatedResponse::new("0.7".parse()?, 4, 1)?;
    let delta: Delta = "1e-3".parse()?;
    let found = survey.epsilon_of_releases(&delta, releases)?.to_f64();
    let odds = epsilon0.exp();
    let total = odds + answers - 1.0;
    // The law of the number of answers in favour, less those against.
    let mut law = vec![1.0];
    for _ in 0..releases {
        let mut next = vec![0.0; law.len() + 2];
        for (place, mass) in law.iter().enumerate() {
            next[place] += mass / total;
            next[place + 1] += mass * (answers - 2.0) / total;
            next[place + 2] += mass * odds / total;
        }
        law = next;
    }
    let at = |epsilon: f64| -> f64 {
        let terms = law.iter().enumerate().map(|(place, mass)| {
            let favour = i32::try_from(place).expect("few") - i32::try_from(releases).expect("few");
            mass * (1.0 - (epsilon - epsilon0 * f64::from(favour)).exp()).max(0.0)
        });
        terms.sum()
    };
    assert!(at(found) <= 1e-3 * (1.0 + 1e-9), "{found}: {}", at(found));
    assert!(at(found * 0.999) > 1e-3, "{found} is not the least");
    Ok(())
}

#[test]
fn four_releases_cost_about_twice_one() -> Result<(), Error> {
    let survey = AggregatedResponse::new("2".parse()?, 12, 100_000)?;
    let delta = "1e-6".parse()?;
    let few = survey.epsilon_of_releases(&delta, 5)?.to_f64();
    let many = survey.epsilon_of_releases(&delta, 20)?.to_f64();
    assert!((2.0..2.2).contains(&(many / few)), "{few} {many}");
    assert!(survey.epsilon_of_releases(&delta, 0).is_err());
    assert_eq!(
        survey.epsilon_of_releases(&"0".parse()?, 3)?,
        Rational::from(6u64)
    );
    Ok(())
}

/// Ten thousand releases have nearly normal losses: about as many standard deviations as δ asks for.
#[test]
fn many_releases_of_many_clients_are_no_looser_than_few() -> Result<(), Error> {
    let survey = AggregatedResponse::new("9".parse()?, 100_000, 1_000_000_000)?;
    let delta = "1e-8".parse()?;
    let few = survey.epsilon_of_releases(&delta, 100)?.to_f64();
    let many = survey.epsilon_of_releases(&delta, 10_000)?.to_f64();
    assert!((10.0..11.5).contains(&(many / few)), "{few} {many}");
    Ok(())
}
