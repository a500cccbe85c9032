//! The filters' guarantees against every adaptive adversary of toy size, and what is no filter.

use dp_calibration::{WorstCaseDifference, zcdp};
use dp_exact::Rho;
use dp_ledger::{Mechanism, Noise, Release, Rule, Terms};

use crate::adversary::{Choice, Game, gaussian, of_list, response};
use crate::{approximate, concentrated, delta, pure, rational, zcdp};

fn number(text: &str) -> f64 {
    text.parse().expect("a number")
}

/// A release of (ε, δ), by the mechanism that is the worst of all that guarantee it.
fn worst(epsilon: &str, slack: &str) -> Choice {
    let budget = if slack == "0" { pure(epsilon) } else { approximate(epsilon, slack) };
    Choice::new(Release::new(budget), response(number(epsilon), number(slack)))
}

fn noise(variance: &str, step: u32) -> Noise {
    crate::gaussian(variance, WorstCaseDifference::new(1, step).expect("in range"))
}

/// Discrete Gaussian noise on a number that one client choices by `step`. Its guarantee of (ε, δ)
/// costs more than its mechanism.
fn bell(variance: &str, step: u32) -> Choice {
    let mechanism = Mechanism::Aggregators(noise(variance, step));
    let release = Release { mechanism, ..Release::new(approximate("9", "0.1")) };
    let step = i32::try_from(step).expect("small");
    Choice::new(release, gaussian(number(variance), step, 4))
}

fn by_rho(rho: &str, releases_delta: &str) -> Terms {
    let limit = concentrated(rho);
    let rho = rho.parse().expect("positive");
    let rule = Rule::ZeroConcentrated { releases_delta: delta(releases_delta), rho };
    Terms { rule, ..Terms::new(limit) }
}

/// The δ that (ρ, d)-approximate zero-concentrated privacy guarantees at ε.
fn guaranteed(rho: &str, lost: f64, epsilon: &str) -> f64 {
    let rho: Rho = rho.parse().expect("positive");
    let converted = zcdp::delta(&rho, &epsilon.parse().expect("positive"));
    lost + (1.0 - lost) * converted.expect("in range").upper().to_f64()
}

#[test]
fn basic_composition_guarantees_its_sums_and_one_release_more_breaks_them() {
    let choices = [worst("0.5", "0.01"), worst("0.2", "0"), worst("0.3", "0.002")];
    let terms = Terms::new(approximate("1", "0.02"));
    let game = Game::against(&choices, &terms);
    assert_eq!(game.depth(), 5);
    let found = game.delta(1.0);
    assert!(found <= 0.02 + 1e-12, "{found}");
    // The sum of all δ, each less what an earlier infinite loss makes needless.
    assert!(found > 0.0195, "{found}");

    // A fault: what is spent is looked up before the last release is counted.
    let late = Game::with_rule(&choices, |counts| {
        let mut before = counts.to_vec();
        if let Some(last) = before.iter_mut().rev().find(|count| **count > 0) {
            *last -= 1;
        }
        game.takes(&before)
    });
    let found = late.delta(1.0);
    assert!(found > 0.021, "the fault is missed: {found}");
}

#[test]
fn a_filter_of_rho_keeps_its_guarantee_at_every_epsilon_against_every_strategy() {
    let choices = [bell("4", 1), bell("9", 2), worst("0.5", "0"), worst("0.3", "0.004")];
    let terms = by_rho("0.5", "0.009");
    let game = Game::against(&choices, &terms);
    assert!(game.depth() >= 4, "{}", game.depth());
    for epsilon in ["0.2", "1", "2", "4"] {
        let (found, most) = (game.delta(number(epsilon)), guaranteed("0.5", 0.009, epsilon));
        assert!(found <= most, "at {epsilon}: {found} is above {most}");
    }
    // At a large ε only infinite losses count: two of 0.004 fit.
    let found = game.delta(20.0);
    assert!((0.0079..=0.009).contains(&found), "{found}");
}

/// Without δ, the Rényi divergence itself is bounded, at every order and for every strategy.
#[test]
fn the_divergence_of_every_strategy_is_below_what_was_spent() {
    let choices = [bell("4", 1), bell("9", 2), worst("0.5", "0"), worst("1", "0")];
    let terms = by_rho("0.5", "0");
    let game = Game::against(&choices, &terms);
    for alpha in [1.01, 2.0, 8.0, 30.0] {
        let divergence = game.moment(alpha).ln() / (alpha - 1.0);
        assert!(divergence <= 0.5 * alpha + 1e-9, "{alpha}: {divergence}");
    }
    let low = game.moment(1.01).ln() / 0.01;
    assert!(low > 0.45, "nothing is given away by much: {low}");

    // A fault: four of the second kind, where two fit.
    let fault = Game::with_rule(&choices[2..3], |counts| vec![counts[0] < 5]);
    let spent = fault.moment(1.01).ln() / 0.01;
    assert!(spent > 0.5 * 1.01, "the fault is missed: {spent}");
}

/// Where every release is pure, Σε is a way of its own beside Σρ, at no cost: Theorem 2.
#[test]
fn pure_sums_or_rho_is_a_filter_of_its_limit() {
    let choices = [worst("0.4", "0.001"), worst("0.2", "0"), bell("6", 1)];
    let terms = zcdp(approximate("1", "0.02"));
    let game = Game::against(&choices, &terms);
    // Two of 0.4 and one of 0.2 are pure but for 0.002, and more in ρ than the limit.
    let ledger = crate::adversary::spent(&choices, &terms, &[2, 1, 0]);
    let dp_ledger::Cost::Concentrated { rho, epsilon, .. } = ledger.spent().unwrap() else {
        panic!("a filter of rho");
    };
    let Rule::ZeroConcentrated { rho: most, .. } = &terms.rule else {
        panic!("a filter of rho");
    };
    assert!(rho > *most.value() && epsilon == Some(rational("1")));
    assert_eq!(ledger.left(), None);
    let found = game.delta(1.0);
    assert!(found <= 0.02, "{found}");
    // Two of the first kind, and hardly more than their infinite losses.
    assert!(found > 0.0019, "{found}");
}

/// A schedule: the adversary chooses the data of each release by the ones before, and when to stop.
/// No strategy is above the product of dominating pairs, and one attains it: Theorem 3.
#[test]
fn a_schedule_guarantees_what_its_releases_come_to_when_they_are_fixed_beforehand() {
    // Two neighbours of the client's value, in each order, values that are nearer, and equal ones;
    // the ledger sees one release.
    let (release, step) = (bell("4", 2).release, |step| gaussian(4.0, step, 4));
    let reversed = step(2).into_iter().map(|(one, other)| (other, one)).collect();
    let equal = step(2).into_iter().map(|(one, _)| (one, one)).collect();
    let choices = [step(2), reversed, step(1), equal].map(|law| Choice::new(release.clone(), law));
    let terms = Terms::scheduled(approximate("9", "0.1"), release.clone(), 3);
    let game = Game::against(&choices, &terms);
    assert_eq!(game.depth(), 3);
    let longer = Game::with_rule(&choices, |counts| vec![counts.iter().sum::<usize>() < 4; 4]);
    for epsilon in [0.0, 0.5, 1.5, 3.0] {
        let (found, fixed) = (game.delta(epsilon), of_list(&choices, &[3, 0, 0, 0], epsilon));
        assert!((found - fixed).abs() < 1e-12, "at {epsilon}: {found}, fixed {fixed}");
        // A fault: one release too many.
        assert!(longer.delta(epsilon) > fixed * 1.01, "the fault is missed at {epsilon}");
    }
    // A fault: any release of the same (ε, δ) is taken. The adversary has the worse of two
    // mechanisms after each outcome, and comes to more than three releases of either.
    let (small, large) = (response(0.2, 0.05), response(1.0, 0.0));
    let two = [small, large].map(|law| Choice::new(release.clone(), law));
    let any = Game::with_rule(&two, |counts| vec![counts.iter().sum::<usize>() < 3; 2]).delta(1.3);
    let most = of_list(&two, &[3, 0], 1.3).max(of_list(&two, &[0, 3], 1.3));
    assert!(any > 1.01 * most, "the fault is missed: {any}");
}

/// Who asks an accountant as one goes takes a release if the exact δ of the list so far stays
/// within the limit: best of all lists in the end, and no filter. Which of two continuations is
/// worse depends on what came out, and the adversary gets the worse of both.
#[test]
fn an_accountant_that_is_asked_as_one_goes_is_no_filter() {
    let choices = [worst("0.2", "0.05"), worst("0.5", "0"), worst("1", "0")];
    let (epsilon, most) = (1.3, 0.05);
    let natural = Game::with_rule(&choices, |counts| {
        let is_within = |index: usize| {
            let mut list = counts.to_vec();
            list[index] += 1;
            list.iter().sum::<usize>() <= 3 && of_list(&choices, &list, epsilon) <= most + 1e-12
        };
        (0..choices.len()).map(is_within).collect()
    });
    let found = natural.delta(epsilon);
    assert!(found > 1.4 * most, "the fault is missed: {found}");

    // The filters with the same limit keep it.
    let limit = approximate("1.3", "0.05");
    for terms in [Terms::new(limit.clone()), zcdp(limit)] {
        let game = Game::against(&choices, &terms);
        let found = game.delta(epsilon);
        assert!(found <= most + 1e-12, "{found}");
    }
}
