//! Lower bounds are below the true ε: over many small audits, at errors so small that none may be wrong, and at errors
//! so large that some should be.

use dp_audit::{Audit, Error, FromFn, Generator, Input, LowerBound, Views};
use dp_exact::Epsilon;
use dp_rappor::{KaryRandomizedResponse, RandomizedResponse, SymmetricRappor};
use dp_samplers::{DiscreteGaussian, DiscreteLaplace};
use rand_chacha::rand_core::Rng as _;

fn epsilon(text: &str) -> Epsilon {
    text.parse().expect("an epsilon")
}

/// A count with noise of this scale: ε = 1/scale.
fn laplace(scale: &str) -> impl Views {
    let noise = DiscreteLaplace::new(&scale.parse().expect("a scale")).expect("a distribution");
    FromFn::new(1, move |input, generator, view: &mut [i64]| {
        noise.fill(generator, view)?;
        view[0] += i64::from(input == Input::First);
        Ok::<_, Error>(())
    })
}

/// A bit, flipped: ε = 1.
fn response() -> impl Views {
    let response = RandomizedResponse::new(epsilon("1")).expect("a randomizer");
    FromFn::new(1, move |input, generator, view: &mut [i64]| {
        view[0] = response.randomize(generator, input == Input::First).into();
        Ok(())
    })
}

/// One of five answers: ε = 1.
fn answers() -> impl Views {
    let response = KaryRandomizedResponse::new(epsilon("1"), 5).expect("a randomizer");
    FromFn::new(1, move |input, generator, view: &mut [i64]| {
        let answer = response.randomize(generator, 3 * u32::from(input == Input::First));
        view[0] = answer.map_err(dp_prio3::Error::from)?.into();
        Ok(())
    })
}

/// A one-hot vector of four bits: ε = 2·½.
fn rappor() -> impl Views {
    let rappor = SymmetricRappor::new(epsilon("1/2")).expect("a randomizer");
    FromFn::new(4, move |input, generator, view: &mut [i64]| {
        let mut bits = [false; 4];
        bits[usize::from(input == Input::First)] = true;
        rappor.randomize(generator, &mut bits);
        view.iter_mut().zip(bits).for_each(|(place, bit)| *place = bit.into());
        Ok(())
    })
}

/// A histogram of four buckets: ε = 1.
fn histogram() -> impl Views {
    let noise = DiscreteLaplace::new(&"2".parse().expect("a scale")).expect("a distribution");
    FromFn::new(4, move |input, generator, view: &mut [i64]| {
        noise.fill(generator, view)?;
        view[usize::from(input == Input::First)] += 1;
        Ok::<_, Error>(())
    })
}

fn bound(views: &dyn Views, runs: u64, error: f64, seed: u64) -> LowerBound {
    let audit = Audit::new(runs, error, seed).expect("an audit");
    audit.lower_bound(views, 0.0).expect("a bound")
}

/// Pure mechanisms whose epsilon is 1.
fn mechanisms() -> [Box<dyn Views>; 5] {
    [
        Box::new(laplace("1")),
        Box::new(response()),
        Box::new(answers()),
        Box::new(rappor()),
        Box::new(histogram()),
    ]
}

#[test]
fn none_of_many_small_audits_is_above_the_true_epsilon() {
    let mut largest = 0.0_f64;
    for (place, views) in (0..).zip(&mechanisms()) {
        for seed in 0..500 {
            let bound = bound(&**views, 400, 1e-6, seed);
            assert!(bound.epsilon <= 1.0, "mechanism {place}: {bound:?}");
            largest = largest.max(bound.epsilon);
        }
    }
    assert!(largest > 0.1, "{largest}");
}

#[test]
fn audits_are_wrong_as_rarely_as_they_say_and_not_much_more_rarely() {
    let views = laplace("1");
    let wrong = (0..4_000).filter(|&seed| bound(&views, 400, 0.4, seed).epsilon > 1.0);
    let wrong = wrong.count();
    // Two bounds have to fail together by enough: of 4000 audits at most 1600, by far.
    assert!((40..1600).contains(&wrong), "{wrong}");
}

#[test]
fn half_the_noise_is_refuted_and_the_same_seed_gives_the_same_bound() {
    let views = laplace("1/2");
    let bound = || bound(&views, 40_000, 1e-9, 7);
    assert!(bound().epsilon > 1.6, "{:?}", bound());
    assert_eq!(bound(), bound());
}

#[test]
fn at_a_larger_delta_gaussian_noise_is_near_its_law() {
    let variance = "1".parse().expect("a variance");
    let noise = DiscreteGaussian::new(&variance).expect("a distribution");
    let views = FromFn::new(1, move |input, generator, view: &mut [i64]| {
        noise.fill(generator, view)?;
        view[0] += i64::from(input == Input::First);
        Ok::<_, Error>(())
    });
    let audit = Audit::new(400_000, 1e-6, 1).expect("an audit");
    let bounds = audit.lower_bounds(&views, &[0.01, 0.1]).expect("bounds");
    for bound in bounds {
        let delta = dp_exact::Delta::new(match bound.delta > 0.05 {
            true => "1/10".parse().expect("a number"),
            false => "1/100".parse().expect("a number"),
        });
        let delta = delta.expect("a delta");
        let difference = dp_calibration::WorstCaseDifference::one();
        let law = dp_calibration::discrete_gaussian::epsilon(&variance, &delta, &difference);
        let law = law.expect("an epsilon").to_f64();
        assert!((0.9 * law..=law).contains(&bound.epsilon), "{law}: {bound:?}");
    }
}

/// Views that are always the same, or tell everything: with k of n and 0 of n Clopper and Pearson have closed forms.
#[test]
fn views_at_the_edges() {
    let audit = Audit::new(5_000, 1e-13, 1).expect("an audit");
    for (one, other) in [(0, 0), (i64::MIN, i64::MIN), (0, 1), (i64::MIN, i64::MAX)] {
        let views = FromFn::new(1, move |input, _, view: &mut [i64]| {
            view[0] = if input == Input::First { one } else { other };
            Ok(())
        });
        for bound in audit.lower_bounds(&views, &[0.0, 0.01, 0.5]).expect("bounds") {
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
    let leaks = FromFn::new(1, |input, generator: &mut Generator, view: &mut [i64]| {
        view[0] = match (generator.next_u32() % 10, input) {
            (0, Input::First) => 1,
            (0, Input::Second) => 2,
            _ => 0,
        };
        Ok(())
    });
    for seed in 0..50 {
        let audit = Audit::new(20_000, 1e-12, seed).expect("an audit");
        let of = audit.lower_bounds(&leaks, &[0.1, 0.2, 0.05]).expect("bounds");
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
    for delta in [-0.1, 1.0, f64::NAN] {
        let refused = audit.lower_bound(&laplace("1"), delta).expect_err("refused");
        assert!(refused.to_string().starts_with("delta is"), "{refused}");
    }
}
