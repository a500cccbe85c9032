//! Where a falling function crosses 0, in few evaluations of it: chords in the place of halves.

use dp_exact::search::decimal_midpoint;
use dp_exact::{Interval, Rational, Rounding, elementary};

use crate::Result;

/// About ln of the upper end of `delta` over the `target`, its modulus clamped to 1e-60 and 700.
/// Its sign is certain: positive where that end is above the target, else negative.
pub(crate) fn log_excess(delta: &Interval, target: &Rational) -> f64 {
    let whole = Interval::rational(target, delta.precision());
    let upper = Interval::point(delta.upper(), delta.precision());
    let part = (upper - &whole).checked_div(&whole).expect("a target is above 0").midpoint();
    let size = elementary::ln_1p(part).abs().clamp(1e-60, 700.0);
    if delta.upper().cmp_rational(target).is_gt() { size } else { -size }
}

/// Two neighbours of `digits` digits: at the first `function` is above 0, at the second it is not;
/// and about how much it falls there while ln of its argument grows by 1. `part` is about the
/// relative distance of the answer from `start`. The function falls from above 0 to 0 or below,
/// nearly in proportion to small changes; otherwise the search ends only with an `Err` of it.
pub(crate) fn crossing(
    start: &Rational,
    (part, digits): (&Rational, usize),
    function: impl Fn(&Rational) -> Result<f64>,
) -> Result<(Rational, Rational, f64)> {
    let rounded = |number: Rational| number.round_to_digits(digits, Rounding::Up);
    let mut low = (rounded(start.clone()), 0.0);
    low.1 = function(&low.0)?;
    let mut high = low.clone();
    let mut part = part.clone();
    // Ever farther from the start until there is a point on either side of the crossing.
    while low.1 <= 0.0 || high.1 > 0.0 {
        let is_low = high.1 > 0.0;
        let (near, far) = if is_low { (&mut low, &mut high) } else { (&mut high, &mut low) };
        let step = &far.0 * &part;
        *near = far.clone();
        far.0 = rounded(if is_low { &far.0 + &step } else { &far.0 - &step });
        far.1 = function(&far.0)?;
        part = (part * Rational::integer(4)).min(Rational::new(1, 2)?);
    }
    let width = |low: &Rational, high: &Rational| (high - low).to_f64() / high.to_f64();
    let slope = (low.1 - high.1) / width(&low.0, &high.0);
    let halves = decimal_midpoint(digits, Rounding::Up);
    while let Some(middle) = halves(&low.0, &high.0) {
        let before = width(&low.0, &high.0);
        // On either side of the point where the chord crosses 0; the chord errs by less.
        let root = &low.0 + &((&high.0 - &low.0) * Rational::from_f64(low.1 / (low.1 - high.1))?);
        let beside = &root * &Rational::from_f64(before * before)?;
        let above = rounded(&root + &beside);
        let below = (&root - &beside).round_to_digits(digits, Rounding::Down);
        for probe in [above, below, middle] {
            // The middle is left for where both others were on one side.
            let is_done = width(&low.0, &high.0) < before / 8.0;
            if low.0 < probe && probe < high.0 && !is_done {
                let value = function(&probe)?;
                *(if value > 0.0 { &mut low } else { &mut high }) = (probe, value);
            }
        }
    }
    Ok((low.0, high.0, slope))
}
