//! What a rule charges, how much is left of it, and that files keep it.

use dp_calibration::{Adjacency, Budget, WorstCaseDifference};
use dp_exact::{Rational, Rho};
use dp_ledger::{Cost, Ledger, LedgerError, Mechanism, Noise, Randomizer, Release, Rule, Terms};

use crate::{approximate, concentrated, delta, gaussian, laplace, pure, rational, renyi, zcdp};

/// Of the histogram at (0.906, 1e-9).
const VARIANCE: &str = "72.85043055954";

fn histogram() -> Noise {
    gaussian(VARIANCE, WorstCaseDifference::one_hot())
}

fn daily() -> Release {
    let mechanism = Mechanism::Aggregators(histogram());
    Release { mechanism, ..Release::new(approximate("0.906", "1e-9")) }
}

fn year(terms: Terms) -> Ledger {
    let mut ledger = Ledger::new(terms).expect("a limit in range");
    for number in 0..365 {
        let spending = ledger.spend(&number.to_string(), &daily(), None);
        spending.expect("a year fits");
    }
    ledger
}

/// By sums a year is ε = 330.7. The conversion of 365·ρ is 24.4365834908.
#[test]
fn a_year_of_daily_histograms_comes_to_what_the_conversion_of_rho_says() {
    let ledger = year(zcdp(approximate("24.5", "1e-9")));
    let spent = ledger.spent_epsilon(&delta("1e-9")).unwrap().unwrap();
    assert_eq!(spent, rational("24.4365834908"));
    assert!(ledger.room_for(&daily()).unwrap() <= 1);
    let Some(Cost::Concentrated { rho, delta: lost, epsilon }) = ledger.spent() else {
        panic!("a ledger of rho");
    };
    let exact = rational("365") * rational(VARIANCE).reciprocal().unwrap();
    assert!(rho >= exact && rho <= &exact * &rational("1.0000000000000000000000000001"));
    assert!(lost.is_zero() && epsilon.is_none());
    // The limit needs a little more, for the tenth of δ that releases might have spent.
    let limit = Ledger::new(zcdp(approximate("24.5", "1e-9"))).unwrap();
    assert_eq!(limit.room_for(&daily()).unwrap(), 365);
    let (releases_delta, rho) = (delta("0"), Rho::new(exact).unwrap());
    let rule = Rule::ZeroConcentrated { releases_delta, rho };
    let tight = Ledger::new(Terms { rule, ..Terms::new(approximate("24.44", "1e-9")) }).unwrap();
    assert_eq!(tight.room_for(&daily()).unwrap(), 365);
}

/// ρ, δ and ε of one release, in a ledger with room for some δ.
fn cost(release: &Release) -> (Rational, Rational, Option<Rational>) {
    let limit = approximate("100", "1e-6");
    let cost = zcdp(limit).charge("a release", release).expect("a cost");
    let Cost::Concentrated { rho, delta, epsilon } = cost else {
        panic!("a ledger of rho");
    };
    (rho, delta, epsilon)
}

#[test]
fn a_release_is_charged_by_its_mechanism_where_that_costs_less() {
    let near = |found: &Rational, expected: &str| {
        let expected = rational(expected);
        let error = (found - &expected).abs();
        assert!(error <= expected * rational("1e-10"), "{found}");
    };
    // A budget alone: ε·tanh(ε/2), and its δ.
    let (rho, lost, epsilon) = cost(&Release::new(approximate("1", "1e-9")));
    near(&rho, "0.46211715726");
    assert_eq!((lost, epsilon), (rational("1e-9"), Some(rational("1"))));
    let (rho, lost, epsilon) = cost(&Release::new(concentrated("0.25")));
    assert_eq!((rho, lost, epsilon), (rational("0.25"), Rational::zero(), None));
    // Noise whose ρ is exact.
    let noise = gaussian("50", WorstCaseDifference::new(4, 5_u32).unwrap());
    let noisy = |noise: &Noise| {
        let mechanism = Mechanism::Aggregators(noise.clone());
        Release { mechanism, ..Release::new(approximate("9", "1e-9")) }
    };
    assert_eq!(cost(&noisy(&noise)), (rational("1"), Rational::zero(), None));
    // Two coordinates of 0.5 each: 2·0.5·tanh(0.25), and not tanh(0.5). The least ε holds with it.
    let (rho, lost, epsilon) = cost(&noisy(&laplace("2", WorstCaseDifference::one_hot())));
    near(&rho, "0.24491866240");
    assert_eq!((lost, epsilon), (Rational::zero(), Some(rational("1"))));
    // The flipped bits of two words of one bit each: 2·tanh(0.5).
    let clients = Randomizer::SymmetricRappor {
        epsilon0: "1".parse().unwrap(),
        length: 12,
        input_weight: 1,
        is_one_hot: true,
        sent_weight: 6,
    };
    let mechanism = Mechanism::Clients(clients.clone());
    let flips = Release { mechanism, ..Release::new(pure("2")) };
    let (rho, _, epsilon) = cost(&flips);
    near(&rho, "0.92423431452");
    assert_eq!(epsilon, Some(rational("2")));
    // Noise of aggregators is not counted alone where a measurement may be dropped beside it.
    let both = |clients| Mechanism::Both { clients, aggregators: noise.clone() };
    let (rho, _, _) = cost(&Release { mechanism: both(clients), ..Release::new(pure("2")) });
    near(&rho, "0.92423431452");
    let answers = Randomizer::KaryRandomizedResponse { answers: 5, epsilon: "4".parse().unwrap() };
    let mechanism = both(answers);
    let release = Release { mechanism: mechanism.clone(), ..Release::new(pure("4")) };
    let (rho, _, _) = cost(&release);
    assert_eq!(rho, rational("1"));
    // Answers alone, and noise on a sum, have less ρ than any mechanism of their ε.
    let answers = Randomizer::KaryRandomizedResponse { answers: 5, epsilon: "3".parse().unwrap() };
    let answered = Release { mechanism: Mechanism::Clients(answers), ..Release::new(pure("3")) };
    near(&cost(&answered).0, "2.37721961326");
    let sum = WorstCaseDifference::new(1, 80u32).unwrap();
    near(&cost(&noisy(&crate::laplace("80", sum))).0, "0.367895902345");
    // A flipped vector is longer than any measurement: beside it noise does not count under
    // deletion.
    let adjacency = Adjacency::Deletion;
    let terms = Terms { adjacency, ..zcdp(concentrated("10")) };
    let release = Release { adjacency, mechanism, ..Release::new(concentrated("2")) };
    let charged = terms.charge("a release", &release);
    assert_eq!(
        charged.unwrap(),
        zcdp(concentrated("10")).charge("it", &Release::new(concentrated("2"))).unwrap()
    );
    // Rényi divergence of one order says nothing of ρ.
    let terms = zcdp(concentrated("1"));
    assert!(terms.charge("a release", &Release::new(renyi("8", "0.1"))).is_err());
}

#[test]
fn a_rule_that_does_not_guarantee_its_limit_is_refused() {
    let limit = approximate("1", "1e-6");
    let rule = |releases_delta: &str, rho: &str| Rule::ZeroConcentrated {
        releases_delta: delta(releases_delta),
        rho: rho.parse().unwrap(),
    };
    let new = |limit: &Budget, rule| Ledger::new(Terms { rule, ..Terms::new(limit.clone()) });
    new(&limit, rule("1e-7", "0.019")).unwrap();
    for (limit, rule) in [
        (&limit, rule("1e-7", "0.03")),
        (&limit, rule("1e-6", "0.001")),
        (&concentrated("1"), rule("0", "1.1")),
        (&pure("1"), rule("0", "0.1")),
        (&renyi("8", "1"), rule("0", "0.1")),
    ] {
        let error = new(limit, rule).unwrap_err();
        assert!(matches!(error, LedgerError::Parameter(_)), "{error}");
    }
    assert!(Rule::zero_concentrated(&pure("1")).is_err());
}

/// The largest ρ is found: one that is larger by a part in 1e6 is not certified.
#[test]
fn the_limit_of_rho_is_the_largest_that_converts() {
    for (epsilon, slack) in [("0.01", "1e-6"), ("25", "1e-9")] {
        let limit = approximate(epsilon, slack);
        let Ok(Rule::ZeroConcentrated { rho, releases_delta }) = Rule::zero_concentrated(&limit)
        else {
            panic!("a rule");
        };
        let larger = rho.value() * &rational("1.000001");
        let larger = Rule::ZeroConcentrated { releases_delta, rho: Rho::new(larger).unwrap() };
        assert!(Ledger::new(Terms { rule: larger, ..Terms::new(limit) }).is_err(), "{epsilon}");
    }
}
