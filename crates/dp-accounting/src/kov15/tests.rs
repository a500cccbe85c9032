//! Parts of the optimal composition by themselves.

use super::*;

#[test]
fn sums_that_end_early_enclose_what_is_left() {
    for (step, releases, l) in [("0.1", 200, 60), ("0.01", 3000, 1200), ("1", 64, 31), ("2", 9, 0)]
    {
        let step: Rational = step.parse().expect("a number");
        let line = |precision| DeltaLine::new(&step, releases, l, precision).expect("a line");
        let (low, high) = (line(64), line(400));
        for (wide, narrow) in [(low.first, high.first), (low.second, high.second)] {
            assert!(wide.lower() <= narrow.lower() && narrow.upper() <= wide.upper());
            assert!(wide.upper().to_f64() <= wide.lower().to_f64() * (1.0 + 1e-9));
        }
    }
}

#[test]
fn the_sum_at_a_kink_is_met_there_from_every_line() {
    let (step, releases): (Rational, u32) = ("0.1".parse().expect("a number"), 41);
    for l in 0..20 {
        let kink = &step * &Rational::from(u64::from(releases - 2 * l));
        let line = DeltaLine::new(&step, releases, l, 256).expect("a line");
        let growth = Interval::rational(&kink, 256).exp().expect("small");
        let sum = line.first - line.second * growth;
        if !sum.is_positive() {
            continue;
        }
        for guess in 0..20 {
            let found = solved(&step, releases, &sum, 256, guess).expect("an epsilon");
            let off = (&found - &kink).to_f64();
            assert!((-1e-60..1e-40).contains(&off), "{l} from {guess}: {off}");
        }
    }
}

#[test]
fn what_the_slack_alone_costs_is_compared_exactly() {
    for (slack, releases) in [("1/3", 2u32), ("1e-9", 40), ("0.001", 1000)] {
        let slack: Rational = slack.parse().expect("a number");
        let cost = Rational::one() - (Rational::one() - &slack).pow(releases);
        let little = Rational::new(1, 1u64 << 60).expect("a number");
        for (aim, expected) in [
            (cost.clone(), Ordering::Equal),
            (&cost + &little, Ordering::Less),
            (&cost - &little, Ordering::Greater),
        ] {
            let found = least_target(&slack, releases, &aim).expect("decided");
            assert_eq!(found, expected, "{slack} {releases}");
        }
    }
}
