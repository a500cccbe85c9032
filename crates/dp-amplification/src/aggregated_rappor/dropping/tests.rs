//! The bound for any crowd against listing all cases.

use super::case::Case;
use super::enumeration::Enumeration;
use super::*;
use crate::aggregated_rappor::refuted;
use crate::aggregated_rappor::tests::slow_law;

#[test]
fn the_bound_for_any_crowd_is_above_every_dataset_unless_the_critical_weight_is_forgotten() {
    let mut gained = 0;
    let mut caught = false;
    for (epsilon0, length, clients) in [
        ("0.3", 2, 4),
        ("1", 2, 9),
        ("0.3", 3, 6),
        ("1", 3, 4),
        ("3", 3, 6),
        ("2", 4, 3),
        ("0.7", 4, 5),
    ] {
        let sum = AggregatedRappor::new(epsilon0.parse().unwrap(), clients).unwrap();
        for adjacency in [Adjacency::Replacement, Adjacency::Deletion] {
            for max_weight in 0..=length {
                let limit = WeightLimit { length, max_weight };
                let each = Verdicts::Each;
                let all = Enumeration::new(&sum.flip, clients, adjacency, limit, each).unwrap();
                for delta in ["0.2", "0.03", "1e-3"] {
                    let parsed = delta.parse().unwrap();
                    let mut case = Case::new(&sum, &parsed, adjacency, limit).unwrap();
                    let upper = case.in_a_crowd().unwrap().upper;
                    let local = sum.local_epsilon(adjacency);
                    let lower = refuted(case.target, &local, |alpha| all.lower(alpha).0);
                    let setting = (epsilon0, length, clients, adjacency, max_weight, delta);
                    assert!(lower <= upper, "{setting:?}: {lower} {upper}");
                    gained += usize::from(upper < local);
                    // A planted fault: the critical weight is thought never to occur.
                    case.own.critical = 0.0;
                    caught |= case.in_a_crowd().unwrap().upper < lower;
                }
            }
        }
    }
    assert!(gained > 50 && caught, "{gained}");
}

/// P(Bin(`others`, `each`) = r) for every r, in fractions.
fn binomial(others: u32, each: &Rational) -> Vec<Rational> {
    let rest = &Rational::one() - each;
    let mut law = Vec::new();
    let mut ways = Rational::one();
    for number in 0..=others {
        law.push(&ways * &(&each.pow(number) * &rest.pow(others - number)));
        let more = Rational::from(u64::from(others - number));
        ways = (&ways * &more)
            .checked_div(&Rational::from(u64::from(number + 1)))
            .unwrap();
    }
    law
}

#[test]
fn the_mean_over_revealed_clients_is_bounded_by_what_is_told_apart() {
    for (others, each, most) in [
        (1u32, 0.25, 4),
        (7, 0.5, 4),
        (24, 0.125, 4),
        (25, 0.125, 40),
        (25, 0.5, 4),
        (90, 0.03125, 6),
        (500, 0.015625, 12),
        (600, 0.015625, 12),
    ] {
        let law = binomial(others, &Rational::from_f64(each).unwrap());
        let revealed = Revealed::new(others.into(), each, 1e-3, most).unwrap();
        // Each number of them makes δ worse; what is not told apart is 1.
        let number = |r: u64| count((r + 1) * (r + 1)) / count(1 << 20);
        let mean = revealed.mean(revealed.shares.iter().map(|&(r, _)| number(r)));
        let terms = law.iter().zip(0u64..).map(|(mass, r)| {
            let last = revealed.most();
            let delta = if r > last { 1.0 } else { number(r) };
            mass * &Rational::from_f64(delta).unwrap()
        });
        let exact = terms.fold(Rational::zero(), |sum, next| &sum + &next);
        let case = format!("{others} {each} {mean} {exact}");
        assert!(Rational::from_f64(mean).unwrap() >= exact, "{case}");
        if others <= 24 {
            assert_eq!(revealed.shares.len(), 1 + others as usize);
            assert!(mean <= exact.to_f64() * (1.0 + 1e-12), "{case}");
        }
        assert!(revealed.excess <= 1e-7, "{case}");
        let beyond = law
            .iter()
            .skip(1 + usize::try_from(revealed.most()).unwrap());
        let beyond = beyond.fold(Rational::zero(), |sum, next| &sum + next);
        let told = revealed.mean(revealed.shares.iter().map(|_| 0.0));
        assert!(Rational::from_f64(told).unwrap() >= beyond, "{case}");
        // The least number that leaves no more than a share of δ.
        let (number, excess) = Revealed::at_most(others.into(), each, 1e-3).unwrap();
        let tail = |from: u64| {
            let rest = law.iter().skip(usize::try_from(from).unwrap());
            rest.fold(Rational::zero(), |sum, next| &sum + next)
        };
        let (above, before) = (tail(number + 1), tail(number));
        assert!(Rational::from_f64(excess).unwrap() >= above, "{case}");
        assert!(
            excess <= 1e-7 && excess <= above.to_f64() * 100.0 + 1e-12,
            "{case}"
        );
        if others <= 512 {
            assert!(excess <= above.to_f64() * (1.0 + 1e-12), "{case}");
            assert!(before.to_f64() > 0.99e-7, "{case}");
        } else {
            // The bound of Chernoff and Hoeffding at the number after.
            let (n, k, mean) = (
                count(others.into()),
                count(number + 1),
                count(others.into()) * each,
            );
            let bound = k * (mean / k).ln() + (n - k) * ((n - mean) / (n - k)).ln();
            assert!((excess.ln() - bound).abs() < 1e-9, "{case}");
        }
    }
    // All or none.
    let of = |each| Revealed::new(9, each, 1e-3, 4).unwrap().shares;
    assert_eq!((of(0.0), of(1.0)), (vec![(0, 1.0)], vec![(9, 1.0)]));
    assert_eq!(Revealed::at_most(9, 1.0, 1e-3).unwrap(), (9, 0.0));
}

#[test]
fn weights_of_reports_are_counted_from_the_right_side() {
    let sum = AggregatedRappor::new("1".parse().unwrap(), 50).unwrap();
    let p = (1f64.exp() + 1.0).recip();
    let near = |value: f64, exact: f64| {
        assert!(value >= exact * (1.0 - 1e-9), "{value} {exact}");
        assert!(value <= exact * (1.0 + 1e-9) + 1e-12, "{value} {exact}");
    };
    let delta: Delta = "1e-6".parse().unwrap();
    for (adjacency, changed) in [(Adjacency::Replacement, 2_usize), (Adjacency::Deletion, 1)] {
        let length = 12;
        for max_weight in 0..=length {
            let limit = WeightLimit { length, max_weight };
            let case = Case::new(&sum, &delta, adjacency, limit).unwrap();
            let (rest, m) = (12 - changed as u64, usize::try_from(max_weight).unwrap());
            // V > m − D of another, who holds a one elsewhere; V = m − D + 1 of the client.
            let other = slow_law(p, rest - 1, 1);
            let heavy: f64 = other.iter().skip((m + 1).saturating_sub(changed)).sum();
            near(case.heavy().unwrap(), heavy);
            let own = slow_law(p, rest, 0);
            let critical = (m + 1).checked_sub(changed).and_then(|v| own.get(v));
            near(case.own.critical, critical.copied().unwrap_or(0.0));
        }
    }
}

#[test]
fn what_is_listed_ends_where_the_documents_say() {
    let limit = WeightLimit {
        length: 3,
        max_weight: 2,
    };
    let largest = |clients, verdicts| Enumeration::largest(clients, limit, verdicts);
    assert_eq!(largest(1000, Verdicts::Each), Some(14));
    assert_eq!(largest(1000, Verdicts::Counted), Some(11));
    assert_eq!(largest(5, Verdicts::Each), Some(5));
    let long = WeightLimit { length: 7, ..limit };
    assert_eq!(Enumeration::largest(2, long, Verdicts::Each), None);
}
