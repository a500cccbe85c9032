//! Wrong tables, each of which the certificate must refuse.

use super::super::build::{fill_cells, share_out};
use super::super::{Alias, Law, LowerBounds};
use super::certificate::holds;
use super::rational;
use crate::laws::{Gaussian, HalfGaussian, Magnitude, TwoSided};

fn law() -> Gaussian {
    Gaussian::new(&rational("26.93942798")).expect("positive")
}

#[test]
fn a_threshold_off_by_one_unit_in_the_last_place_is_caught() {
    let shares = share_out(&law().lower_bounds(64).unwrap(), 64, 16).unwrap();
    let capacity = u64::MAX >> shares.cell_bits;
    let cells: Vec<_> = fill_cells(shares.masses.clone(), shares.cell_bits, capacity).collect();
    let count = |fault: usize, up: bool| {
        let mut masses = vec![0; 1 << shares.cell_bits];
        for (position, cell) in cells.iter().enumerate() {
            let threshold = match (position == fault, up) {
                (false, _) => cell.threshold,
                (true, true) => cell.threshold + 1,
                (true, false) => cell.threshold - 1,
            };
            masses[cell.below as usize] += threshold;
            masses[cell.above as usize] += capacity - threshold;
        }
        masses.truncate(shares.masses.len());
        masses
    };
    let sizes = (64, shares.cell_bits);
    assert!(holds(&law(), sizes, shares.first, &count(usize::MAX, true)));
    for (position, cell) in cells.iter().enumerate() {
        if cell.below == cell.above || cell.threshold == 0 {
            continue;
        }
        for up in [true, false] {
            assert!(!holds(&law(), sizes, shares.first, &count(position, up)));
        }
    }
}

#[test]
fn bounds_that_exceed_the_probabilities_are_caught() {
    #[derive(Debug)]
    struct Loose(Gaussian);
    impl Law for Loose {
        fn at(&self, precision: u32) -> Box<dyn Fn(i64) -> dp_exact::Interval + '_> {
            self.0.at(precision)
        }
        fn support(&self) -> core::ops::RangeInclusive<i64> {
            self.0.support()
        }
        fn lower_bounds(&self, depth: u32) -> Option<LowerBounds> {
            let mut bounds = self.0.lower_bounds(depth)?;
            // Two words in 2^64, at one outcome; as many less at the next, so that the sum does not
            // tell.
            bounds.bounds[5] += 2 << 64;
            bounds.bounds[6] -= 2 << 64;
            Some(bounds)
        }
    }
    let table = Alias::new(Loose(law())).unwrap();
    let sizes = (64, table.undecided().ilog2());
    assert!(!holds(table.law(), sizes, table.first(), &table.masses()));
}

#[test]
fn a_zero_counted_twice_and_a_lost_sign_are_caught() {
    // Magnitudes of which 0 has a second sign, taken for those of the Gaussian, and for all of it.
    let half = Alias::new(HalfGaussian::new(&rational("27")).unwrap()).unwrap();
    let right = Gaussian::new(&rational("27")).unwrap();
    let sizes = (64, half.undecided().ilog2());
    let folded = Magnitude(right.clone());
    assert!(!holds(&folded, sizes, half.first(), &half.masses()));
    assert!(!holds(&right, sizes, half.first(), &half.masses()));

    // A sign that is always positive.
    let rate = rational("1/2");
    let right = TwoSided {
        rate: rate.clone(),
        sign_rate: rate.clone(),
    };
    let lost = Alias::new(crate::laws::OneSided { rate }).unwrap();
    let sizes = (64, lost.undecided().ilog2());
    assert!(!holds(&right, sizes, lost.first(), &lost.masses()));
}

#[test]
fn a_tie_resolved_without_refinement_is_caught() {
    // Whatever single outcome the undecided words go to, it gets too many.
    let table = Alias::new(law()).unwrap();
    for outcome in 0..table.masses().len() {
        let mut masses = table.masses();
        masses[outcome] += table.undecided();
        let total: u128 = masses.iter().copied().map(u128::from).sum();
        assert_eq!(total, 1 << 64);
        let probability = table.law().at(256);
        let place = table.first() + i64::try_from(outcome).unwrap();
        let words = probability(place).shifted(64);
        let excess = words - dp_exact::Interval::integer(masses[outcome], 256);
        assert!((-excess).is_positive() || masses[outcome] - table.undecided() > 1 << 60);
    }
}

#[test]
fn bounds_that_add_up_to_more_than_one_are_refused() {
    /// The outcomes 0, 1, … with these bounds, in units of 2^−`bits`.
    #[derive(Debug)]
    struct Bounds(u32, Vec<u128>);
    impl Law for Bounds {
        fn at(&self, precision: u32) -> Box<dyn Fn(i64) -> dp_exact::Interval + '_> {
            Box::new(move |_| dp_exact::Interval::integer(1, precision).shifted(-1))
        }
        fn support(&self) -> core::ops::RangeInclusive<i64> {
            0..=i64::try_from(self.1.len()).expect("short") - 1
        }
        fn lower_bounds(&self, _depth: u32) -> Option<LowerBounds> {
            let bounds = self.1.iter().map(|bound| bound << (128 - self.0));
            LowerBounds::new(0, bounds.collect())
        }
    }
    assert!(Alias::new(Bounds(1, vec![1, 1, 1])).is_none());
    assert!(Alias::new(Bounds(128, vec![1 << 127, 1 << 127, 1])).is_none());
    assert!(Alias::new(Bounds(128, vec![u128::MAX, 1, 0, 1])).is_none());
    assert!(Alias::new(Bounds(128, vec![u128::MAX, u128::MAX])).is_none());
    // Up to 1 they are accepted.
    assert_eq!(
        Alias::new(Bounds(1, vec![1, 1])).unwrap().masses(),
        [1 << 63, (1 << 63) - 2]
    );
    assert!(Alias::new(Bounds(128, vec![0, u128::MAX, 1])).is_some());
    assert!(Alias::new(Bounds(2, vec![1, 0, 1, 2])).is_some());
}
