//! Welch's t-test for the difference of two means.
//!
//! ```text
//! t = (m₁ − m₂) / √(s₁²/n₁ + s₂²/n₂)
//! ```
//!
//! with the means m, the unbiased variances s² and the sizes n of two samples. Source: Welch, "The
//! generalization of Student's problem when several different population variances are involved"
//! (Biometrika 1947). For large samples and equal means t is standard normal: |t| > 4.5 happens
//! once in 147 000.

/// Welch's t of two samples; 0 where both are constant and equal, or one has fewer than two
/// values.
#[must_use]
pub fn welch_t(one: &[u32], other: &[u32]) -> f64 {
    let (Some(one), Some(other)) = (moments(one), moments(other)) else {
        return 0.0;
    };
    let difference = one.mean - other.mean;
    if difference == 0.0 {
        return 0.0;
    }
    difference / (one.variance_of_mean + other.variance_of_mean).sqrt()
}

/// The values up to the pooled `percent`-th percentile of both samples.
#[must_use]
pub fn cropped(one: &[u32], other: &[u32], percent: usize) -> [Vec<u32>; 2] {
    let mut pooled = [one, other].concat();
    let place = (pooled.len() * percent.min(100) / 100).min(pooled.len().saturating_sub(1));
    if pooled.is_empty() {
        return [Vec::new(), Vec::new()];
    }
    let (_, limit, _) = pooled.select_nth_unstable(place);
    let limit = *limit;
    [one, other].map(|sample| {
        let kept = sample.iter().copied().filter(|value| *value <= limit);
        kept.collect()
    })
}

struct Moments {
    mean: f64,
    variance_of_mean: f64,
}

/// The mean; 0 of no values.
#[expect(clippy::cast_precision_loss, reason = "no sample has 2^52 values")]
pub(super) fn mean(sample: &[u32]) -> f64 {
    let sum: f64 = sample.iter().copied().map(f64::from).sum();
    sum / sample.len().max(1) as f64
}

#[expect(clippy::cast_precision_loss, reason = "no sample has 2^52 values")]
fn moments(sample: &[u32]) -> Option<Moments> {
    if sample.len() < 2 {
        return None;
    }
    let (mean, size) = (mean(sample), sample.len() as f64);
    let squares = sample
        .iter()
        .map(|value| (f64::from(*value) - mean).powi(2));
    Some(Moments {
        mean,
        variance_of_mean: squares.sum::<f64>() / (size - 1.0) / size,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn welch_t_agrees_with_a_computation_by_hand() {
        // Means 3 and 7, variances 2.5 and 20/3, so t = −4/√(2.5/5 + (20/3)/4) = −4/√(13/6).
        let t = welch_t(&[1, 2, 3, 4, 5], &[4, 6, 8, 10]);
        assert!((t + 4.0 / (13.0_f64 / 6.0).sqrt()).abs() < 1e-12, "{t}");
    }

    #[test]
    fn samples_without_a_difference_or_without_values_give_zero() {
        assert!(welch_t(&[5, 5, 5], &[5, 5]).abs() < 1e-12);
        assert!(welch_t(&[], &[1, 2]).abs() < 1e-12);
        assert!(welch_t(&[1], &[1, 2]).abs() < 1e-12);
    }

    #[test]
    fn constant_samples_that_differ_are_infinitely_apart() {
        assert!(welch_t(&[5, 5, 5], &[4, 4]).is_infinite());
    }

    #[test]
    fn cropping_leaves_out_what_is_slow_in_either_sample_and_keeps_the_rest() {
        let (one, other) = ([1, 2, 900, 3, 4], [5, 800, 6, 7, 8]);
        assert_eq!(
            cropped(&one, &other, 70),
            [vec![1, 2, 3, 4], vec![5, 6, 7, 8]]
        );
        assert_eq!(cropped(&one, &other, 100), [one.to_vec(), other.to_vec()]);
        let nothing: [Vec<u32>; 2] = [vec![], vec![]];
        assert_eq!(cropped(&[], &[], 90), nothing);
    }
}
