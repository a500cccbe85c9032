//! Faults of what clients do, and of what is guaranteed of them.

use std::sync::Arc;

use dp_audit::{FaultyPolicy, Input, Neighbours, PolicyViews};
use dp_calibration::TrustModel;
use dp_exact::Rational;
use dp_prio3::{Budget, Circumstances, PolicyDescription as _};
use dp_rappor::SymmetricRappor;

use super::{RUNS, answers, audit, epsilon, rappor, refutes, refutes_views, response};

const OC: TrustModel = TrustModel::OneClient;

#[test]
fn randomizers_with_a_wrong_parameter() {
    let sound = FaultyPolicy::sound(response("1"));
    let with = |text| sound.clone().with_clients(response(text));
    refutes(
        OC,
        &sound,
        [("clients do not randomize", with("15")), ("clients flip half as often", with("1.86"))],
    );
    let sound = FaultyPolicy::sound(answers("1", 5));
    let of_two = sound.clone().with_clients(answers("2.39", 5));
    refutes(OC, &sound, [("k-ary answers as if there were two", of_two)]);
    let sound = FaultyPolicy::sound(rappor(4, "1/2", "1e-12"));
    let twice = sound.clone().with_clients(rappor(4, "1", "1e-12"));
    refutes(OC, &sound, [("RAPPOR with twice its epsilon", twice)]);
}

/// A one-hot vector of four bits, flipped by this.
fn flipped(input: Input, flip: impl FnOnce(&mut [bool; 4])) -> [bool; 4] {
    let mut bits = [false; 4];
    bits[if input == Input::First { 0 } else { 3 }] = true;
    flip(&mut bits);
    bits
}

fn written(bits: &[bool], view: &mut [i64]) {
    let places = view.iter_mut().zip(bits);
    places.for_each(|(place, bit)| *place = i64::from(*bit));
}

#[test]
fn randomizers_with_a_wrong_law() {
    let rappor = SymmetricRappor::new(epsilon("1/2")).expect("RAPPOR");
    refutes_views("the true bit never flipped", 4, |input, generator, view| {
        let truth = flipped(input, |_| ());
        let bits = flipped(input, |bits| rappor.randomize(generator, bits));
        written(&[0, 1, 2, 3].map(|place| bits[place] || truth[place]), view);
        Ok(())
    });
    refutes_views("the last bit left out", 4, |input, generator, view| {
        let bits = flipped(input, |bits| rappor.randomize(generator, &mut bits[..3]));
        written(&bits, view);
        Ok(())
    });
    refutes_views("one coin for all bits", 4, |input, generator, view| {
        let mut coin = [false];
        rappor.randomize(generator, &mut coin);
        let all = |bits: &mut [bool; 4]| bits.iter_mut().for_each(|bit| *bit ^= coin[0]);
        written(&flipped(input, all), view);
        Ok(())
    });
    refutes_views("reports with a wrong bit not sent", 5, |input, generator, view| {
        let truth = flipped(input, |_| ());
        let bits = flipped(input, |bits| rappor.randomize(generator, bits));
        view.fill(0);
        if bits.iter().zip(truth).any(|(bit, truth)| *bit && truth) {
            view[4] = 1;
            written(&bits, view);
        }
        Ok(())
    });
}

#[test]
fn randomness_that_is_used_twice() {
    // On two days the same answer, or another one on the second day: a change of one measurement.
    let rappor = SymmetricRappor::new(epsilon("1/2")).expect("RAPPOR");
    refutes_views("flips reused over time", 8, |input, generator, view| {
        let mut flips = [false; 4];
        rappor.randomize(generator, &mut flips);
        for (day, input) in [Input::First, input].into_iter().enumerate() {
            let bits = flipped(input, |bits| {
                bits.iter_mut().zip(flips).for_each(|(bit, flip)| *bit ^= flip);
            });
            written(&bits, &mut view[4 * day..]);
        }
        Ok(())
    });
    let noise =
        dp_samplers::DiscreteLaplace::new(&"2".parse().expect("a scale")).expect("a distribution");
    refutes_views("noise reused over time", 2, |input, generator, view| {
        noise.fill(generator, &mut view[..1])?;
        view[1] = view[0] + i64::from(input == Input::First);
        Ok(())
    });
}

#[test]
fn a_guarantee_that_counts_on_clients_who_are_not_there() {
    let policy = Arc::new(rappor(4, "1/2", "1e-12"));
    let model = TrustModel::OneAggregatorMostClients;
    let circumstances = Circumstances::new(60, "1/100".parse().expect("a delta"));
    let claimed = policy.guarantee(model, &circumstances);
    let Some(Budget::Approximate { epsilon, delta }) = claimed.budget() else {
        panic!("{claimed:?}");
    };
    let [epsilon, delta] = [epsilon.value(), delta.value()].map(Rational::to_f64);
    let pair = || Neighbours::farthest(&policy.query()).expect("two");
    let refuted = |honest_clients: u64| {
        let views = PolicyViews::new(Arc::clone(&policy), pair(), model, honest_clients);
        let bound = audit(RUNS).lower_bound(&views.expect("views"), delta);
        bound.expect("a bound").epsilon > epsilon
    };
    assert!(refuted(4) && !refuted(60));
}
