//! Scales from values to pixels, with the ends and the ticks of axes.

use dp_exact::directed::index;
use dp_exact::{Rounding, elementary};

use crate::figures::significant;

/// A linear or logarithmic scale that maps the two `values` to the two `pixels`.
pub(super) struct Scale {
    pub(super) values: (f64, f64),
    pub(super) pixels: (f64, f64),
    is_log: bool,
}

impl Scale {
    pub(super) const fn new(values: (f64, f64), is_log: bool, pixels: (f64, f64)) -> Self {
        Self { values, pixels, is_log }
    }

    /// The place of a value in units of the picture; values beyond the ends of the scale lie
    /// outside of it.
    pub(super) fn pixel(&self, value: f64) -> f64 {
        let of = |value: f64| match self.is_log {
            true => elementary::ln(value),
            false => value,
        };
        let (low, high) = (of(self.values.0), of(self.values.1));
        let part = (of(value) - low) / (high - low);
        part.mul_add(self.pixels.1 - self.pixels.0, self.pixels.0)
    }

    /// Round values within the scale, in number about `about`, each with its label of at most six
    /// digits.
    pub(super) fn ticks(&self, about: usize) -> Vec<(f64, String)> {
        let (low, high) = self.values;
        let ticks = match self.is_log {
            true => self.decades(about),
            false => {
                let least = (high - low) / index(about);
                let power = elementary::powf(10.0_f64, elementary::log10(least).floor());
                let steps = [1.0, 2.0, 5.0, 10.0].map(|digit| digit * power);
                let step = steps.into_iter().find(|step| *step >= least);
                // Rounding may leave the last one below.
                let step = step.unwrap_or(10.0 * power);
                let first = (low / step).ceil();
                let ticks = (0..4 * about).map(|number| (first + index(number)) * step);
                ticks.take_while(|tick| *tick <= high + 1e-9 * step).collect()
            }
        };
        let ticks = ticks.into_iter();
        // Six digits remove what floating-point arithmetic adds to a round value.
        ticks.map(|value| (value, significant(value, 6, Rounding::Nearest))).collect()
    }

    /// Ticks of a logarithmic scale, all within its ends: every power of ten, or every second,
    /// third and so on, so that there are at most about `about`; below 1.5 decades also 2 and 5
    /// times a power.
    fn decades(&self, about: usize) -> Vec<f64> {
        let (low, high) = (elementary::log10(self.values.0), elementary::log10(self.values.1));
        let every = ((high - low) / index(about)).ceil().max(1.0);
        let digits: &[f64] = if high - low < 1.5 { &[1.0, 2.0, 5.0] } else { &[1.0] };
        let first = (low / every).floor() * every;
        let powers = (0..2 * about + 2).map(|number| index(number).mul_add(every, first));
        let ticks = powers.flat_map(|power| {
            let power = elementary::powf(10.0_f64, power);
            digits.iter().map(move |digit| digit * power)
        });
        ticks.filter(|tick| (self.values.0..=self.values.1).contains(tick)).collect()
    }
}

/// The values at both ends of an axis: the range of the places with some room. A linear axis always
/// has 0; a logarithmic one leaves out places that are not above 0, and has at least a decade.
/// Without any place a linear axis is from 0 to 1, a logarithmic one from 1 to 10.
pub(super) fn extent(places: impl Iterator<Item = f64>, is_log: bool) -> (f64, f64) {
    let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
    for place in places.filter(|place| !is_log || *place > 0.0) {
        low = low.min(place);
        high = high.max(place);
    }
    if low > high {
        return if is_log { (1.0, 10.0) } else { (0.0, 1.0) };
    }
    if is_log {
        // At least a decade, so that there are ticks.
        let (low, high) = (low / 1.15, high * 1.15);
        let middle = (low * high).sqrt();
        return (low.min(middle / 3.2), high.max(middle * 3.2));
    }
    let room = (high - low).max(high.abs().max(low.abs()) * 1e-3).max(1e-9) * 0.04;
    match low {
        low if low >= 0.0 => (0.0, high + room),
        low => (low - room, high.max(0.0) + room),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_axis_has_all_of_its_data_and_an_empty_one_is_an_axis() {
        let of = |places: &[f64], is_log| extent(places.iter().copied(), is_log);
        assert!(of(&[3.0, 7.0], false).0 == 0.0 && of(&[3.0, 7.0], false).1 > 7.0);
        assert!(of(&[-3.0], false).0 < -3.0 && of(&[-3.0], false).1 >= 0.0);
        let (low, high) = of(&[5.0, 0.0], true);
        assert!(low > 0.0 && low < 5.0 && high / low >= 10.0);
        assert_eq!((of(&[], false), of(&[], true)), ((0.0, 1.0), (1.0, 10.0)));
    }
}
