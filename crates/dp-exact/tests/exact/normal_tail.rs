//! The normal tail against values computed independently with 60 digits (mpmath's `erfc`).

use dp_exact::Interval;

use crate::rational;

/// x and Q(x), cut off after 45 digits.
const TAILS: [(&str, &str); 13] = [
    ("0.001", "0.499601057786088937415409677555673058731496752"),
    ("0.5", "0.308537538725986896362295389391662260116397824"),
    ("1", "0.158655253931457051414767454367962077522087033"),
    ("2.5", "0.00620966532577613516697810457419222112789774692"),
    ("-3", "0.998650101968369905473348185232405022622170632"),
    ("4", "0.0000316712418331199212537707567221512984438333755"),
    ("5.9", "1.81750786309943237136193466009386691913432236e-9"),
    ("6", "9.8658764503769814070086413239804201866979125e-10"),
    ("8.25", "7.91972631464247734096137442188559849837358078e-17"),
    ("12", "1.77648211207767899769617100184555709239266643e-33"),
    ("37.5", "4.60535300958195484382796909761089623892069264e-308"),
    ("0", "0.5"),
    ("1/7", "0.44320150318353179931668879037199033019497824"),
];

/// Whether the enclosure meets the reference, up to 10^−43 of it.
fn agrees(tail: &Interval, reference: &str) -> bool {
    let expected = rational(reference);
    let slack = &expected * &rational("1e-43");
    tail.lower().cmp_rational(&(&expected + &slack)).is_le()
        && tail.upper().cmp_rational(&(&expected - &slack)).is_ge()
}

#[test]
fn the_normal_tail_agrees_with_an_independent_computation() {
    for (x, reference) in TAILS {
        for precision in [64, 200, 1024] {
            let tail = Interval::rational(&rational(x), precision + 60)
                .normal_tail()
                .expect("within range");
            assert!(agrees(&tail, reference), "Q({x}) at {precision}: {tail}");
        }
    }
}
