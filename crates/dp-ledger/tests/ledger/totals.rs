//! What the totals that are shown are worth, over rules and schedules.

use dp_exact::{Delta, Rational, Rho};
use dp_ledger::{
    Budget, Corner, Cost, Declared, DominatedBy, Ledger, Mechanism, Noise, NoiseLaw, Release, Rule,
    Terms,
};

/// Noise of one aggregator on a histogram or a count, and what it promises by itself.
fn release(is_gaussian: bool, size: u32, is_histogram: bool) -> (Release, Noise) {
    let corner = if is_histogram {
        Corner::one_hot()
    } else {
        Corner::one()
    };
    let size = Rational::from(u64::from(size));
    let law = if is_gaussian {
        NoiseLaw::DiscreteGaussian {
            variance: &size * &size,
        }
    } else {
        NoiseLaw::DiscreteLaplace { scale: size }
    };
    let noise = Noise { law, corner };
    // Nothing is known but what the mechanism says.
    let budget = Budget::ZeroConcentrated {
        rho: "100".parse().expect("positive"),
    };
    let release = Release::new(budget).with_mechanism(Mechanism::Aggregators(noise.clone()));
    (release, noise)
}

/// Of n kinds, one after the other (a linear congruential generator).
struct Draws(u64);

impl Draws {
    fn below(&mut self, most: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % most
    }
}

/// Never above 1.05 of the conversion of Σρ: by the rule of ρ it is that conversion, and by declared lists, of
/// which the privacy losses are composed, it is less.
#[test]
fn totals_are_at_most_five_percent_above_the_conversion_of_rho() {
    let mut draws = Draws(1);
    let mut worst = [0.0f64; 2];
    for _ in 0..6 {
        let delta: Delta = format!("1e-{}", 3 + draws.below(9))
            .parse()
            .expect("a delta");
        let limit = Budget::ZeroConcentrated {
            rho: "1000".parse().expect("positive"),
        };
        let rule = Rule::zero_concentrated(&limit).expect("a rule");
        let mut by_rho = Ledger::new(Terms::new(limit).with_rule(rule)).expect("a limit");
        let mut kinds = Vec::new();
        for number in 0..1 + draws.below(3) {
            let size = 20 + u32::try_from(draws.below(380)).expect("small");
            let (release, noise) = release(draws.below(2) == 0, size, draws.below(2) == 0);
            let times = 1 + draws.below(60);
            by_rho
                .spend_times(&format!("kind {number}"), times, &release)
                .expect("it fits");
            kinds.push((
                release,
                Declared {
                    dominated_by: DominatedBy::Noise(noise),
                    times,
                },
            ));
        }
        let Some(Cost::Concentrated { rho, .. }) = by_rho.spent().expect("a sum") else {
            panic!("a ledger of rho");
        };
        let rho = Rho::new(rho).expect("positive");
        let converted = dp_calibration::conversion::rho_to_epsilon(&rho, &delta).expect("in range");

        let limit = Budget::Approximate {
            epsilon: "1000".parse().expect("positive"),
            delta: delta.clone(),
        };
        let releases = kinds.iter().map(|(_, declared)| declared.clone()).collect();
        let terms = Terms::new(limit).with_rule(Rule::Declared { releases });
        let mut by_list = Ledger::new(terms).expect("a limit");
        for (number, (release, declared)) in kinds.iter().enumerate() {
            by_list
                .spend_times(&format!("kind {number}"), declared.times, release)
                .expect("declared");
        }
        for (ledger, worst) in [by_rho, by_list].iter().zip(&mut worst) {
            let shown = ledger
                .spent_epsilon(&delta)
                .expect("in range")
                .expect("an epsilon");
            *worst = worst.max(shown.to_f64() / converted.to_f64());
        }
    }
    assert!(worst.iter().all(|ratio| *ratio <= 1.05), "{worst:?}");
    println!("worst ratios to the conversion of rho: {worst:?}");
}
