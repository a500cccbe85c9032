//! Steps through a wide count, against its law.

use super::super::count_law::CountLaw;
use super::super::flip::Flip;
use super::super::smooth::Side;
use dp_exact::directed::{count, floor_to_count, index, to_index};

#[test]
fn steps_enclose_the_law_and_its_tails() {
    let flip = Flip::new(&"0.5".parse().expect("positive")).expect("a flip");
    for (zeros, ones) in [(300_000, 0), (100_000, 250_000)] {
        let side = Side::new(&flip, zeros, ones).expect("wide");
        let law = CountLaw::new(&flip, zeros, ones, 60.0).expect("resolved");
        let mean = flip.p.mul_add(count(zeros), (1.0 - flip.p) * count(ones));
        let first = floor_to_count(mean, zeros + ones);
        let steps = side.steps(first, 400).expect("wide");
        assert_eq!(steps.law.len(), 401);
        let place = |j: usize| to_index(first - law.first) + j * to_index(side.step);
        let unit = law.upper[place(0)];
        for (j, (&above, &tail)) in steps.law.iter().zip(&steps.tails).enumerate() {
            let here = law.upper[place(j)];
            let beyond: f64 = law.upper[place(j) + 1..].iter().sum::<f64>() / here;
            assert!(above >= here / unit * (1.0 - 1e-9), "{j}: {above}");
            assert!(tail <= beyond * (1.0 + 1e-9), "{j}: {tail} {beyond}");
            // Every step is loose by its curvature, and the last ones have no tail.
            let slack = (1.0 + 4e-5 * index(j)) * (1.0 + 1e-9);
            assert!(above <= here / unit * slack, "{j}: {above}");
            assert!(j > 250 || tail >= beyond * 0.998, "{j}: {tail} {beyond}");
        }
    }
}
