//! Which model a hedged promise comes from, on whom it rests, and what remains without them: for each part of the
//! randomness that may answer.

use dp_exact::{Delta, Rational};
use dp_prio3::mechanisms::{DiscreteGaussian, DiscreteLaplace};
use dp_prio3::randomizers::{KaryRandomizedResponse, LocalRandomizer, RandomizedResponse};
use dp_prio3::types::{Count, Histogram, MultihotCountVec};
use dp_prio3::{
    Budget, Circumstances, ClientNoise, Guarantee, Hedged, MultihotRappor, PolicyDescription,
    Remains, TrustModel,
};

use crate::support::{epsilon, epsilon_delta, rational};

fn model(abbreviation: &str) -> TrustModel {
    abbreviation.parse().expect("a trust model")
}

fn among(honest_clients: u64) -> Circumstances {
    Circumstances::new(honest_clients, "1e-6".parse().expect("a delta"))
}

/// Three aggregators, whose noise and the client's flips say more together.
fn flips_and_noise() -> Hedged<Count, RandomizedResponse, DiscreteGaussian> {
    let response = RandomizedResponse::new(epsilon("2")).expect("in range");
    let clients = ClientNoise::new(Count::new(3).expect("valid"), response).expect("fits");
    Hedged::new(clients, epsilon_delta("1", "1e-6")).expect("a valid budget")
}

/// Three aggregators, whose noise and the client's answer are known to say what each says alone.
fn answers_and_noise(
    own: &str,
    noise: &str,
) -> Hedged<Histogram, KaryRandomizedResponse, DiscreteLaplace> {
    let response = KaryRandomizedResponse::new(epsilon(own), 3).expect("in range");
    let clients = ClientNoise::new(Histogram::new(3, 3).expect("valid"), response).expect("fits");
    Hedged::new(clients, epsilon(noise)).expect("a valid budget")
}

/// How each of these sentences is marked where a guarantee rests on it.
const SENTENCES: [(char, &str); 6] = [
    ('s', "2 of the 3 aggregators are honest"),
    (
        'c',
        "the client draws its randomness from a sound generator",
    ),
    ('1', "the honest aggregator draws its noise"),
    ('2', "each honest aggregator draws its noise"),
    ('h', "Prio3 reveals nothing"),
    ('o', "honest clients, this one among them"),
];

fn rests_on(guarantee: &Guarantee) -> String {
    let said = |sentence: &str| {
        let mut assumptions = guarantee.assumptions.iter();
        assumptions.any(|assumption| assumption.contains(sentence))
    };
    let sentences = SENTENCES.iter().filter(|(_, sentence)| said(sentence));
    sentences.map(|(mark, _)| mark).collect()
}

const NOBODY: &str = "if all aggregators work together, the client's own randomness remains";
const BOTH: &str = "the client's randomness and what honest aggregators add, together gives";

fn check(
    policy: &dyn PolicyDescription,
    (abbreviation, honest_clients): (&str, u64),
    carried_over_from: Option<&str>,
    on: &str,
    otherwise: &str,
) {
    let guarantee = policy.guarantee(model(abbreviation), &among(honest_clients));
    let said = format!("{guarantee}");
    let origin = carried_over_from.map(model);
    assert_eq!(guarantee.carried_over_from, origin, "{said}");
    assert_eq!(rests_on(&guarantee), on, "{said}");
    let remains = guarantee.otherwise.to_string();
    assert!(remains.starts_with(otherwise), "{remains}");
    assert!(remains.contains(NOBODY) || on.contains('o'), "{remains}");
}

#[test]
fn flips_and_noise_together_rest_on_whom_they_count() {
    let policy = flips_and_noise();
    check(&policy, ("OAOC", 1), None, "c1h", NOBODY);
    check(&policy, ("OAMC", 1), Some("OAOC"), "c1h", NOBODY);
    let fewer = format!("if fewer aggregators are honest, but one is, {BOTH}");
    check(&policy, ("2AOC", 1), None, "sc2h", &fewer);
    check(&policy, ("2AMC", 1), Some("2AOC"), "sc2h", &fewer);
    let fewer = format!("if fewer clients are honest, but one aggregator is, {BOTH}");
    check(&policy, ("OAMC", 100), None, "c1ho", &fewer);
    let fewer =
        format!("if fewer clients or fewer aggregators are honest, but one aggregator is, {BOTH}");
    check(&policy, ("2AMC", 100), None, "sc2ho", &fewer);
}

#[test]
fn noise_that_answers_alone_rests_on_one_aggregator() {
    let policy = answers_and_noise("6", "1");
    for (asked, carried) in [
        ("OAOC", None),
        ("2AOC", Some("OAOC")),
        ("3AOC", Some("OAOC")),
    ] {
        check(&policy, (asked, 1), carried, "1h", "if ");
    }
    // The answers of a crowd say more, and count on the honest clients instead.
    let crowd = 100_000;
    for (asked, carried) in [
        ("OAMC", None),
        ("2AMC", Some("OAMC")),
        ("3AMC", Some("OAMC")),
    ] {
        check(&policy, (asked, crowd), carried, "c1ho", "if fewer clients");
    }
}

#[test]
fn a_clients_own_randomness_rests_on_nobody_else() {
    let policy = answers_and_noise("1/10", "5");
    for asked in ["OAOC", "2AOC", "3AOC"] {
        check(&policy, (asked, 1), Some("OC"), "c", NOBODY);
    }
}

/// The sentence is its parts, of which the promises are values: those of one honest aggregator and of none.
#[test]
fn what_remains_is_said_in_values() {
    let policy = flips_and_noise();
    let many = policy.guarantee(model("2AMC"), &among(100));
    let one = policy.guarantee(model("OAOC"), &among(100));
    let parts = many.otherwise.parts();
    let joined: String = parts.iter().map(Remains::to_string).collect();
    assert_eq!(joined, many.otherwise.to_string());
    assert!(parts.contains(&Remains::OneAggregator(one.promise)));
    assert!(parts.contains(&Remains::OwnRandomness(epsilon("2"))));
}

/// What parts two neighbours at the bound on the weight is taken from the δ that is asked for, not added to it.
#[test]
fn no_pair_of_a_hedged_promise_exceeds_the_delta_that_is_asked_for() {
    let clients = MultihotRappor::vectors(2, 6, 2, epsilon("8"), &rational("1e-5"));
    let clients = clients.expect("valid");
    let parted = LocalRandomizer::<MultihotCountVec>::parted_by_drops(clients.randomizer());
    assert!(parted.is_positive());
    let asked = Delta::new(&parted + &parted).expect("a delta");
    let policy: Hedged<_, _, DiscreteGaussian> =
        Hedged::new(clients, epsilon_delta("1", "1e-6")).expect("a valid budget");
    let guarantee = policy.guarantee(model("OAOC"), &Circumstances::new(1, asked.clone()));
    let pairs = guarantee.budget().into_iter().chain(&guarantee.also);
    for pair in pairs {
        if let Budget::Approximate { delta, .. } = pair {
            assert!(*delta <= asked, "{guarantee}");
        }
    }
}

#[test]
fn dropped_reports_are_spoken_of_where_they_cost_more_than_a_hundredth_of_delta() {
    let policy = MultihotRappor::one_hot(2, 6, epsilon("2"), &rational("1e-3")).expect("valid");
    let dropped = LocalRandomizer::<MultihotCountVec>::dropped(policy.randomizer());
    let hundred_times = dropped * Rational::from(100_u64);
    let spoken_of = |delta: Rational| {
        let delta = Delta::new(delta).expect("a delta");
        let guarantee = policy.guarantee(model("OAMC"), &Circumstances::new(50, delta));
        let mut remarks = guarantee.remarks.iter();
        remarks.any(|remark| remark.contains("dropped for its weight"))
    };
    assert!(!spoken_of(hundred_times.clone()));
    assert!(spoken_of(hundred_times * rational("0.999999")));
}
