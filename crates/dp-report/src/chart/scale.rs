//! From the values of an axis to pixels, and which values have ticks.

use dp_exact::elementary;

/// An axis of a drawing.
pub(super) struct Scale {
    values: (f64, f64),
    pixels: (f64, f64),
    is_log: bool,
}

impl Scale {
    /// The first value stands at the first pixel, the second at the second.
    pub(super) const fn new(values: (f64, f64), is_log: bool, pixels: (f64, f64)) -> Self {
        Self {
            values,
            pixels,
            is_log,
        }
    }

    /// Where its values begin and end.
    pub(super) const fn values(&self) -> (f64, f64) {
        self.values
    }

    /// Where its pixels begin and end.
    pub(super) const fn pixels(&self) -> (f64, f64) {
        self.pixels
    }

    /// The pixel of a value.
    pub(super) fn pixel(&self, value: f64) -> f64 {
        let of = |value: f64| {
            if self.is_log {
                elementary::ln(value)
            } else {
                value
            }
        };
        let (low, high) = (of(self.values.0), of(self.values.1));
        let part = (of(value) - low) / (high - low);
        part.mul_add(self.pixels.1 - self.pixels.0, self.pixels.0)
    }

    /// Whether a value is drawn.
    pub(super) fn has(&self, value: f64) -> bool {
        (self.values.0..=self.values.1).contains(&value)
    }

    /// About so many round values.
    pub(super) fn ticks(&self, about: usize) -> Vec<f64> {
        if self.is_log {
            return self.decades(about);
        }
        let (low, high) = self.values;
        let least = (high - low) / count(about);
        let power = elementary::powf(10.0_f64, elementary::log10(least).floor());
        let steps = [1.0, 2.0, 5.0, 10.0].map(|digit| digit * power);
        let step = steps.into_iter().find(|step| *step >= least);
        let step = step.unwrap_or(10.0 * power);
        let first = (low / step).ceil();
        let ticks = (0..4 * about).map(|number| (first + count(number)) * step);
        ticks
            .take_while(|tick| *tick <= high + 1e-9 * step)
            .collect()
    }

    /// Powers of ten, or every second or third, and 2 and 5 of each where there are few.
    fn decades(&self, about: usize) -> Vec<f64> {
        let (low, high) = (
            elementary::log10(self.values.0),
            elementary::log10(self.values.1),
        );
        let every = ((high - low) / count(about)).ceil().max(1.0);
        let digits: &[f64] = match high - low {
            ..1.5 => &[1.0, 2.0, 3.0, 5.0, 7.0],
            ..3.0 => &[1.0, 2.0, 5.0],
            _ => &[1.0],
        };
        let first = (low / every).floor() * every;
        let powers = (0..2 * about + 2).map(|number| count(number).mul_add(every, first));
        let ticks = powers.flat_map(|power| {
            digits
                .iter()
                .map(move |digit| digit * elementary::powf(10.0_f64, power))
        });
        ticks.filter(|tick| self.has(*tick)).collect()
    }
}

/// A number of things on a scale.
pub(super) fn count(things: usize) -> f64 {
    u32::try_from(things).map_or(f64::from(u32::MAX), f64::from)
}
