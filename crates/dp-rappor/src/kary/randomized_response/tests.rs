//! The words that the table shares out, against the stated law.

use dp_exact::Rational;
use dp_samplers::alias::Law;

use super::*;

fn response(epsilon: &str, answers: u32) -> KaryRandomizedResponse {
    KaryRandomizedResponse::new(epsilon.parse().unwrap(), answers).unwrap()
}

/// Whether the words that the table of `response` gives to the truth and to a uniform answer
/// are as many as the law of `stated` allows, up to the words that are left undecided. No
/// choice may have more words than its probability; the others are shared out by enclosures.
fn is_certified(response: &KaryRandomizedResponse, stated: &KaryRandomizedResponse) -> bool {
    let table = &response.choice;
    let masses: Vec<(i64, u64)> = (table.first()..).zip(table.masses()).collect();
    [0, 1].into_iter().all(|choice| {
        let found = masses.iter().find(|(outcome, _)| *outcome == choice);
        let words = found.map_or(0, |(_, words)| *words);
        let exact = stated.choice.law().at(2048)(choice).shifted(64);
        let order = |words: u128| exact.compare_rational(&Rational::integer(words)).unwrap();
        let most = u128::from(words) + u128::from(table.undecided());
        order(u128::from(words)).is_ge() && order(most).is_le()
    })
}

#[test]
fn the_table_shares_out_words_as_stated_up_to_a_few_undecided_ones() {
    for epsilon in ["1e-6", "1/10", "1", "5", "20", "100", "1000"] {
        for answers in [2, 3, 10, 1000, MAX_ANSWERS] {
            let response = response(epsilon, answers);
            assert!(is_certified(&response, &response), "{epsilon}, {answers}");
            let masses = response.choice.masses();
            let decided: u128 = masses.into_iter().map(u128::from).sum();
            assert_eq!(decided + u128::from(response.undecided()), 1 << 64);
            assert!(response.undecided() <= 2);
        }
    }
}

#[test]
fn the_table_of_other_parameters_is_caught() {
    let stated = response("1", 10);
    for (epsilon, answers) in [("1", 11), ("1", 9), ("1.00000000000000001", 10)] {
        assert!(!is_certified(&response(epsilon, answers), &stated));
    }
}

#[test]
fn truth_and_uniform_answer_mix_to_the_stated_law() {
    for (epsilon, answers) in [("1", 2), ("1", 7), ("1e-6", 3), ("20", MAX_ANSWERS)] {
        let response = response(epsilon, answers);
        let choice = response.choice.law().at(128);
        let share = choice(1).checked_div(&Interval::integer(answers, 128));
        let share = share.unwrap();
        for (mixed, output) in [(choice(0) + &share, 0), (share.clone(), 1)] {
            let difference = mixed - response.probability(0, output, 128);
            assert!(difference.contains(&Rational::zero()));
            assert!(difference.upper().to_f64() < 1e-30);
        }
    }
}
