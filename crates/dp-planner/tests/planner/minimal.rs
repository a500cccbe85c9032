//! Least noise of clients and fewest clients: a little less misses the target.

use dp_calibration::accounting::{Accountant, AccountedMechanism, optimal_of_pairs};
use dp_planner::{
    Accuracy, BudgetScope, Epsilon, Error, ErrorBound, Job, Rational, Target, TrustModel, plan,
    policy_choice,
};

use crate::answers::{alone, approximate, job};

#[test]
fn less_noise_of_clients_breaks_the_budget() -> Result<(), Error> {
    check_least_noise(&[
        (2, 1, "0.3", "1e-6"),
        (5, 3, "1", "1e-9"),
        (12, 3, "2.5", "1e-6"),
        (29, 30, "0.3", "1e-6"),
    ])
}

#[test]
#[ignore = "takes seconds: hundreds of releases"]
fn less_noise_of_clients_breaks_the_budget_of_many_releases() -> Result<(), Error> {
    check_least_noise(&[(17, 30, "1", "1e-9"), (7, 200, "2.5", "1e-9")])
}

/// Noise of clients: the ε of all their reports is the budget, to about a thousandth, and no less
/// is what the accountant says.
fn check_least_noise(jobs: &[(u64, u32, &str, &str)]) -> Result<(), Error> {
    for &(length, releases, epsilon, delta) in jobs {
        let job = Job { releases, ..job(&format!("histogram:{length}"), 1000) };
        let target = Target {
            trust_model: TrustModel::OneClient,
            scope: BudgetScope::Total,
            ..Target::budget(approximate(epsilon, delta))
        };
        let epsilon: Rational = epsilon.parse()?;
        let answers = |parameter: Rational| -> Result<Rational, Error> {
            let mut accountant = Accountant::new();
            let epsilon = Epsilon::new(parameter)?;
            let response = AccountedMechanism::KaryResponse { epsilon, answers: length };
            accountant.add(response, releases)?;
            Ok(accountant.epsilon(&target.delta)?.lower)
        };
        let bits = |parameter: Rational| -> Result<Rational, Error> {
            let parameter = Epsilon::new(parameter)?;
            let none = "0".parse()?;
            Ok(optimal_of_pairs(&parameter, &none, 2 * releases, &target.delta)?)
        };
        let more: Rational = "1.003".parse()?;
        for name in ["histogram-response", "multihot-one-hot-rappor"] {
            let choice = alone(&job, &target, name)?;
            let found = choice.total.oc.epsilon().expect("a guarantee");
            assert!(*found <= epsilon, "{job:?} {choice:?}");
            assert_eq!(choice.total.oc.slack_reason(), None, "{job:?}");
            let parameter = &choice.parameters[0].1 * &more;
            let beyond = match name {
                "histogram-response" => answers(parameter)?,
                _ => bits(parameter)?,
            };
            assert!(beyond > epsilon, "{beyond} {job:?} {choice:?}");
        }
    }
    Ok(())
}

#[test]
fn fewer_clients_are_not_enough() -> Result<(), Error> {
    let mut tried = 0;
    for (query, largest, releases, percent) in
        [("count", 1.0, 1, "2"), ("sumvec:6:13", 13.0, 2, "2"), ("multihot:5:2", 1.0, 1, "2")]
    {
        let asked = Job { releases, ..job(query, 1000) };
        let fraction = &percent.parse::<Rational>()? * &Rational::new(1, 100)?;
        let allowed =
            |clients: u64| fraction.to_f64() * largest * dp_exact::directed::count(clients);
        let budget =
            Target { scope: BudgetScope::Total, ..Target::budget(approximate("1", "1e-6")) };
        let accuracy = Accuracy::StandardDeviation(ErrorBound::Fraction(fraction.clone()));
        let both = Target { accuracy: Some(accuracy), ..budget.clone() };
        for choice in plan(&asked, &both)?.choices {
            let most = allowed(choice.clients) * (1.0 + 1e-9);
            assert!(choice.errors.std <= most, "{asked:?} {choice:?}");
            let less = (choice.clients - 1).min(choice.clients * 99 / 100);
            if less > 0 {
                let fewer = Job { clients: less, ..asked.clone() };
                let other = policy_choice(&fewer, &budget, &choice.policy)?;
                assert!(other.errors.std > allowed(less), "{less} {asked:?} {choice:?}");
                tried += 1;
            }
        }
    }
    assert!(tried > 7, "{tried}");
    Ok(())
}
