//! Deployments with and without faults.

use std::sync::Arc;

use dp_audit::{Conformance, Conformity, Expected, Fault, Held, Parties};
use dp_prio3::HistogramLaplace;
use dp_prio3::types::Histogram;

use crate::support::planted::Planted;

const ERROR: f64 = 1e-6;

type Policy = Planted<HistogramLaplace>;

fn laplace(epsilon: &str) -> HistogramLaplace {
    let epsilon: dp_exact::Epsilon = epsilon.parse().expect("an epsilon");
    HistogramLaplace::new(Histogram::new(2, 4).expect("a type"), epsilon).expect("a policy")
}

fn sound() -> Policy {
    Planted::sound(laplace("1"))
}

fn clients() -> Vec<Held> {
    [0, 1, 1, 3, 3].map(Held::Bucket).to_vec()
}

fn result(collector: Policy, aggregators: [Policy; 2], most: u64) -> Conformity {
    let expected = Expected::of(&collector).expect("a law");
    let aggregators = aggregators.map(Arc::new);
    let parties = Parties::new(&Arc::new(collector), &aggregators, clients(), 1);
    let mut parties = parties.expect("parties");
    Conformance::of(&mut parties, expected, ERROR, most).expect("a result")
}

fn found(collector: Policy, aggregators: [Policy; 2]) -> Fault {
    let result = result(collector, aggregators, 2000);
    let found = result.found().unwrap_or_else(|| panic!("{result:?}"));
    println!(
        "{} after {} ({:.1})",
        found.fault, result.collections, found.evidence
    );
    found.fault
}

#[test]
fn parties_without_faults_conform() {
    let start = std::time::Instant::now();
    let result = result(sound(), [sound(), sound()], 4000);
    println!("{} {:?}", result.collections, start.elapsed());
    for verdict in &result.verdicts {
        println!("{verdict:?}");
    }
    assert!(result.conforms(), "{result:?}");
    let expected = Expected::of(&sound()).expect("a law");
    for needed in expected
        .collections_needed(5, &[1, 2, 0, 2], ERROR)
        .expect("numbers")
    {
        println!("{}: {:?}", needed.fault, needed.collections);
    }
}

#[test]
fn faults_of_noise_are_named() {
    let silent = || sound().with_noise(|_, noise| noise.fill(0));
    assert_eq!(found(sound(), [sound(), silent()]), Fault::Missing(1));
    assert_eq!(found(sound(), [silent(), silent()]), Fault::Missing(2));
    let twice = sound().with_noise(|_, noise| noise.iter_mut().for_each(|noise| *noise *= 2));
    assert_eq!(found(sound(), [sound(), twice]), Fault::Twice);
    let half = || sound().with_aggregators(laplace("2"));
    assert_eq!(found(sound(), [half(), half()]), Fault::Scaled(1, 2));
    assert_eq!(found(sound(), [half(), sound()]), Fault::ScaledAtOne(1, 2));
    let unsigned =
        sound().with_noise(|_, noise| noise.iter_mut().for_each(|noise| *noise = noise.abs()));
    assert_eq!(found(sound(), [sound(), unsigned]), Fault::Magnitude);
}
