//! Which words decide, which do not, and what the next bits then decide.

use dp_exact::Rational;

use super::*;

impl Threshold {
    /// Whether U < p, where `word` holds the first bits of U; `None` if these do not decide.
    fn compare(self, word: u64) -> Option<bool> {
        (!self.is_undecided(word)).then(|| self.is_below(word))
    }
}

fn enclosure(text: &str) -> Interval {
    text.parse::<Rational>().unwrap().enclose(128)
}

#[test]
fn short_words_are_decided_by_the_floor_of_the_threshold() {
    for (text, floor, undecided) in [
        ("1/3", 85, 1),
        ("0.999", 255, 1),
        ("1e-9", 0, 1),
        // A multiple of 1/256 that is known exactly leaves nothing undecided.
        ("1/2", 128, 0),
        ("255/256", 255, 0),
        // The ends of [0, 1] cost a tie at one word, and no more.
        ("0", 0, 1),
        ("1", 255, 1),
    ] {
        let threshold = Threshold::new(&enclosure(text), 8);
        let decided = |side| (0..256).filter(|&word| threshold.compare(word) == side).count();
        assert_eq!(decided(Some(true)), floor, "{text}");
        assert_eq!(decided(None), undecided, "{text}");
        assert_eq!(decided(Some(false)), 256 - floor - undecided, "{text}");
    }
}

#[test]
fn an_enclosure_around_a_multiple_of_the_last_place_leaves_both_neighbours_undecided() {
    let half = Interval::hull_of(
        Dyadic::new((1_i64 << 40) - 1, -41),
        Dyadic::new((1_i64 << 40) + 1, -41),
        64,
    );
    let threshold = Threshold::new(&half, 8);
    assert_eq!(threshold.compare(126), Some(true));
    assert_eq!(threshold.compare(127), None);
    assert_eq!(threshold.compare(128), None);
    assert_eq!(threshold.compare(129), Some(false));
    assert_eq!(threshold.undecided, 2);
}

#[test]
fn every_width_of_word_counts_its_undecided_words() {
    for bits in 1..=64 {
        let threshold = Threshold::new(&enclosure("1/3"), bits);
        assert_eq!(threshold.undecided, 1);
        let floor = (u128::from(u64::MAX) / 3) >> (64 - bits);
        assert_eq!(u128::from(threshold.below), floor);
        let nothing_known = Interval::hull_of(Dyadic::new(0, 0), Dyadic::new(1, 0), 64);
        let all = Threshold::new(&nothing_known, bits).undecided;
        assert!(all == u64::MAX || all == 1 << bits);
    }
}
