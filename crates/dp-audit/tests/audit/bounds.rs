//! Lower bounds are below the true ε: of all policies, at errors so small that none may be wrong,
//! and over many small audits, at errors so large that some should be.

use dp_audit::{Audit, Finding, Generator, Input, LowerBound, Policy, PolicyAudit, Task};
use dp_samplers::{DiscreteGaussian, DiscreteLaplace};
use dp_task::{POLICIES, PolicyName};
use rand_chacha::rand_core::Rng as _;

/// Lower bounds on ε at these δ of a count to which `draw` adds noise.
fn bounds(
    draw: &(impl Fn(&mut Generator, &mut [i64]) -> Result<(), dp_samplers::Error> + Sync),
    (runs, error, seed): (u64, f64, u64),
    deltas: &[f64],
) -> Vec<LowerBound> {
    let run = |input, generator: &mut Generator, output: &mut [i64]| {
        draw(generator, output)?;
        output[0] += i64::from(input == Input::First);
        Ok(())
    };
    let audit = Audit::new(runs, error, seed).expect("an audit");
    audit.lower_bounds(1, deltas, &run).expect("bounds")
}

/// A lower bound on the pure ε = 1/scale of a count with Laplace noise.
fn laplace(scale: &str, audit: (u64, f64, u64)) -> LowerBound {
    let noise = DiscreteLaplace::new(&scale.parse().expect("a scale")).expect("a distribution");
    bounds(&|generator, output| noise.fill(generator, output), audit, &[0.0]).remove(0)
}

/// The number of 4000 audits whose bound exceeds the true ε is Bin(4000, p), p at most the stated
/// error 0.4: by Hoeffding it exceeds 1804 with probability e^(−8000·0.051²) < 1e-9. Were p as
/// large as 1/40, fewer than 40 would be wrong with probability e^(−4000·KL(0.01‖0.025)) < 1e-10.
#[test]
fn audits_are_wrong_as_rarely_as_they_say_and_not_much_more_rarely() {
    let wrong = (0..4_000).filter(|&seed| laplace("1", (400, 0.4, seed)).epsilon > 1.0).count();
    assert!((40..=1804).contains(&wrong), "{wrong}");
}

#[test]
fn half_the_noise_is_refuted_and_the_same_seed_gives_the_same_bound() {
    let bound = || laplace("1/2", (40_000, 1e-9, 7));
    assert!(bound().epsilon > 1.6, "{:?}", bound());
    assert_eq!(bound(), bound());
}

#[test]
fn at_a_larger_delta_gaussian_noise_is_near_its_law() {
    let variance = "1".parse().expect("a variance");
    let noise = DiscreteGaussian::new(&variance).expect("a distribution");
    let draw = |generator: &mut Generator, output: &mut [i64]| noise.fill(generator, output);
    let bounds = bounds(&draw, (400_000, 1e-6, 1), &[0.01, 0.1]);
    for (bound, delta) in bounds.into_iter().zip(["1/100", "1/10"]) {
        let delta = delta.parse().expect("a delta");
        let difference = dp_calibration::WorstCaseDifference::one();
        let law = dp_calibration::discrete_gaussian::epsilon(&variance, &delta, &difference);
        let law = law.expect("an epsilon").to_f64();
        assert!((0.9 * law..=law).contains(&bound.epsilon), "{law}: {bound:?}");
    }
}

/// Outputs that are always the same, or tell everything: with k of n and 0 of n Clopper and Pearson
/// have closed forms.
#[test]
fn outputs_at_the_edges() {
    let audit = Audit::new(5_000, 1e-13, 1).expect("an audit");
    for (one, other) in [(0, 0), (i64::MIN, i64::MIN), (0, 1), (i64::MIN, i64::MAX)] {
        let run = |input, _: &mut Generator, output: &mut [i64]| {
            output[0] = if input == Input::First { one } else { other };
            Ok(())
        };
        for bound in audit.lower_bounds(1, &[0.0, 0.01, 0.5], &run).expect("bounds") {
            let n = f64::from(u32::try_from(bound.runs).expect("few"));
            let half = (bound.error / 2.0).powf(1.0 / n);
            let closed = match one == other {
                true => 0.0,
                false => ((half - bound.delta) / (1.0 - half)).ln().max(0.0),
            };
            assert!((bound.epsilon - closed).abs() < 1e-9, "{one}, {other}: {bound:?}");
        }
    }
}

/// The input itself once in ten runs: (0, 1/10)-differentially private, and of no less δ at any ε.
#[test]
fn what_is_lost_with_probability_delta_alone_is_not_seen_beyond_it() {
    let leak = |input, generator: &mut Generator, output: &mut [i64]| {
        output[0] = match (generator.next_u32() % 10, input) {
            (0, Input::First) => 2,
            (0, Input::Second) => 1,
            _ => 0,
        };
        Ok(())
    };
    for seed in 0..50 {
        let audit = Audit::new(20_000, 1e-12, seed).expect("an audit");
        let of = audit.lower_bounds(1, &[0.1, 0.2, 0.05], &leak).expect("bounds");
        assert_eq!([of[0].epsilon, of[1].epsilon], [0.0; 2], "{of:?}");
        assert!(of[2].epsilon > 1.0, "{of:?}");
    }
}

#[test]
fn what_is_no_audit_is_refused_by_name() {
    for (runs, error) in [(99, 0.1), (u64::MAX, 0.1), (1000, 0.0), (1000, 0.5), (1000, f64::NAN)] {
        let refused = Audit::new(runs, error, 1).expect_err("refused").to_string();
        assert!(refused.starts_with("runs is") || refused.starts_with("error is"), "{refused}");
    }
    let audit = Audit::new(1000, 0.1, 1).expect("an audit");
    let run = |_: Input, _: &mut Generator, _: &mut [i64]| Ok(());
    for (width, delta, told) in [
        (1, -0.1, "delta is"),
        (1, 1.0, "delta is"),
        (1, f64::NAN, "delta is"),
        (0, 0.1, "width is"),
    ] {
        let refused = audit.lower_bounds(width, &[delta], &run).expect_err("refused");
        assert!(refused.to_string().starts_with(told), "{refused}");
    }
}

/// What 60 clients guarantee together is refuted where there are 4.
#[test]
fn a_guarantee_that_counts_on_clients_who_are_not_there() {
    let policy = crate::planted::rappor(4, "1/2", "1e-12");
    let finding = |honest_clients| {
        findings(&policy, honest_clients, 25_000).pop().expect("a guarantee at the larger delta")
    };
    let (few, many) = (finding(4), finding(60));
    assert_eq!(many.trust_model, dp_calibration::TrustModel::OneAggregatorMostClients);
    assert!(!many.is_refuted() && few.bound.epsilon > many.epsilon, "{few:?}, {many:?}");
}

/// The example of the policy of this name, in which ε = 1.
pub(crate) fn example(name: &str) -> Task {
    let policy = PolicyName::find(name).expect("a policy");
    Task::new(policy.example()).expect("a task")
}

/// The lower bounds beside the guarantees of a policy, at δ = 1e-9 and at 1/100.
fn findings(policy: &Policy, honest_clients: u64, runs: u64) -> Vec<Finding> {
    let questions = PolicyAudit {
        audit: Audit::new(runs, 1e-9, 1).expect("an audit"),
        honest_clients,
        deltas: ["1e-9", "1/100"].map(|delta| delta.parse().expect("a delta")).to_vec(),
    };
    questions.findings(policy).expect("an audit")
}

#[test]
fn no_guarantee_of_the_catalogue_is_refuted() {
    let mut guarantees = 0;
    for policy in POLICIES {
        // Its aggregators build a table for each draw.
        let runs = if policy.name == "compensated-rappor" { 100 } else { 200 };
        for finding in findings(example(policy.name).policy(), 4, runs) {
            assert!(!finding.is_refuted(), "{}: {finding:?}", policy.name);
            guarantees += 1;
        }
    }
    assert!(guarantees > 80, "{guarantees}");
}

#[test]
fn bounds_come_near_what_policies_guarantee() {
    for (name, runs, least) in [
        ("count-laplace", 40_000, 0.9),
        ("histogram-laplace", 40_000, 0.5),
        ("count-response", 40_000, 0.85),
        ("histogram-response", 40_000, 0.7),
        ("multihot-one-hot-rappor", 40_000, 0.8),
        ("histogram-gaussian", 60_000, 0.2),
    ] {
        let findings = findings(example(name).policy(), 1, runs);
        let measured: Vec<f64> = findings
            .iter()
            .filter(|finding| finding.bound.delta == 0.0 || finding.bound.delta > 1e-3)
            .map(|finding| finding.bound.epsilon / finding.epsilon)
            .collect();
        assert!(!measured.is_empty(), "{findings:?}");
        let is_near = |part: &f64| (least..=1.0).contains(part);
        assert!(measured.iter().all(is_near), "{name}: {measured:?}, {findings:?}");
    }
}
