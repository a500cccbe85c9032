//! Searches in floating point, for steering: what they find is certified by whoever uses it.

/// About where a function of λ > 0 with one minimum has it, for ln λ from −14 to `highest`, after so
/// many `rounds`, each of which leaves two thirds of the range.
#[must_use]
pub fn minimum(highest: f64, rounds: u32, function: impl Fn(f64) -> f64) -> f64 {
    let (mut low, mut high) = (-14.0f64, highest);
    for _ in 0..rounds {
        let (left, right) = (low + (high - low) / 3.0, high - (high - low) / 3.0);
        let (a, b) = (function(left.exp()), function(right.exp()));
        // Where the function overflows, the minimum is to the left.
        if a <= b || b.is_nan() {
            high = right;
        } else {
            low = left;
        }
    }
    low.exp()
}
