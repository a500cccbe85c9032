//! Histograms behind a strategy matrix: the norms of a column, the bound for wide Gaussian noise,
//! and what claims more.

use num_rational::Ratio;
use num_traits::ToPrimitive as _;
use serde_json::{Value, json};

use crate::{certificate, holds};
use dp_check::{Refusal, check};

/// The first column of a lower triangular Toeplitz matrix, 2^16·binomial(2k, k)/4^k rounded.
fn toeplitz(length: u32) -> Vec<i64> {
    let mut entry = 65536.0f64;
    (1..=length)
        .map(|next| {
            let rounded = entry.round().to_i64().expect("small");
            entry *= f64::from(2 * next - 1) / f64::from(2 * next);
            rounded
        })
        .collect()
}

/// A column that is the same read backwards from its end.
fn circulant(length: u32) -> Vec<i64> {
    (0..length).map(|lag| 90_000 / (i64::from(lag.min(length - lag)) + 1) - 9_000).collect()
}

/// Largest squared L2 norm of the difference of two columns of the matrix with this first column.
fn l2_squared(column: &[i64], is_circulant: bool) -> i64 {
    let n = column.len();
    let entry = |row: usize, at: usize| match row.checked_sub(at) {
        Some(lag) => column[lag],
        None if is_circulant => column[n + row - at],
        None => 0,
    };
    let squared =
        |one, other| (0..n).map(|row| (entry(row, one) - entry(row, other)).pow(2)).sum::<i64>();
    (0..n)
        .flat_map(|one| (0..one).map(move |other| (one, other)))
        .map(|(one, other)| squared(one, other))
        .max()
        .expect("two columns")
}

fn gaussian(query: &str, column: &[i64], variance: &str) -> Value {
    json!([{"mechanism": "gaussian", "query": query, "variance": variance, "column": column}])
}

/// `ratio` is the least σ²/V² of continuous noise for (ε, δ), computed in floating point. The noise
/// of integers needs at most 1e-5 more.
#[test]
fn wide_noise_is_accepted_a_hundred_thousandth_above_the_continuous_one_and_refused_below() {
    for (epsilon, delta, ratio) in [
        ("1", "1e-8", 26.013_149_728_155_145),
        ("0.1", "1e-6", 1_318.030_546_941_908_8),
        ("8", "1e-9", 0.627_639_543_082_294_1),
    ] {
        for length in [12, 64] {
            for (query, column, is_circulant) in
                [("percentiles", toeplitz(length), false), ("ranges", circulant(length), true)]
            {
                let query = format!("{query}:{length}");
                let norm = l2_squared(&column, is_circulant).to_f64().expect("a float");
                let least = norm * ratio;
                for (factor, is_true) in [(1.000_01, true), (0.999_999, false)] {
                    let variance = format!("{:.3}", least * factor);
                    let release = gaussian(&query, &column, &variance);
                    let found = holds(&certificate(epsilon, delta, release, json!({})));
                    assert_eq!(found, is_true, "{query} {epsilon} {factor}");
                }
            }
        }
    }
}

#[test]
fn a_certificate_that_claims_more_is_refused() {
    let column = toeplitz(64);
    let least = Ratio::from_integer(l2_squared(&column, false)) * Ratio::new(26_014, 1000);
    let variance = least.ceil().to_string();
    let release = |column: &[i64], times: u32| {
        let mut release = gaussian("percentiles:64", column, &variance);
        release[0]["times"] = times.into();
        release
    };
    let of = |epsilon, delta, release| certificate(epsilon, delta, release, json!({}));
    let once = release(&column, 1);
    assert!(holds(&of("1", "1e-8", once.clone())));
    assert!(!holds(&of("0.999", "1e-8", once.clone())));
    assert!(!holds(&of("1", "0.99e-8", once.clone())));
    // The column of another matrix has another norm.
    let mut larger = column.clone();
    larger[0] += 100;
    assert!(!holds(&of("1", "1e-8", release(&larger, 1))));
    // Two releases, and the deletion of a report, which changes less than a replacement.
    let twice = |epsilon| holds(&of(epsilon, "1e-8", release(&column, 2)));
    assert!(!twice("1.4") && twice("1.5"));
    let deleted =
        |epsilon| holds(&of(epsilon, "1e-8", once.clone()).replace("replacement", "deletion"));
    assert!(deleted("0.9") && !deleted("0.5"));
}

/// Of 64 buckets in blocks of 9 two change four rows by 8 each; of 4 in blocks of 3 the second
/// block has one bucket.
#[test]
fn laplace_noise_behind_a_folded_tree_has_the_norm_of_two_blocks() {
    for (query, block, norm) in
        [("ranges:64", 9, 32), ("ranges:4", 3, 6), ("ranges:5", 3, 8), ("ranges:3", 3, 4)]
    {
        for (scale, is_true) in [(norm, true), (norm - 1, false)] {
            let scale = scale.to_string();
            let release =
                json!([{"mechanism": "laplace", "query": query, "scale": scale, "block": block}]);
            assert_eq!(
                holds(&certificate("1", "0", release, json!({}))),
                is_true,
                "{query} {scale}"
            );
        }
    }
    let release =
        json!([{"mechanism": "laplace", "query": "ranges:64", "scale": "32", "block": 9}]);
    assert!(holds(&certificate("0.99", "0.01", release, json!({}))));
}

#[test]
fn what_is_no_matrix_is_unreadable_or_outside() {
    let column = toeplitz(12);
    for (query, field, value) in [
        ("percentiles:13", "column", json!(column)),
        ("percentiles:12", "block", json!(3)),
        ("percentiles:12", "column", json!(vec!["1"; 12])),
        ("percentiles:12", "column", json!(vec![0; 12])),
        ("percentiles:12", "column", json!(vec![1u64 << 40; 12])),
        ("ranges:12", "block", json!(1)),
        ("ranges:12", "block", json!(13)),
        ("percentiles", "column", json!(column)),
        ("ranges:100000", "column", json!(column)),
    ] {
        let release =
            json!([{"mechanism": "gaussian", "query": query, "variance": "1e12", field: value}]);
        let found = check(&certificate("1", "1e-8", release, json!({})));
        assert!(matches!(found, Err(Refusal::Unreadable(_))), "{query} {found:?}");
    }
    // Narrow noise, and noise of several aggregators.
    let narrow = gaussian("percentiles:12", &[1; 12], "1000");
    let mut several = gaussian("percentiles:12", &column, "1e12");
    several[0]["aggregators"] = 2.into();
    for (release, model) in [(narrow, "OAOC"), (several, "2AOC")] {
        let text = certificate("1", "1e-8", release, json!({})).replace("OAOC", model);
        let found = check(&text);
        assert!(matches!(found, Err(Refusal::Outside(_))), "{found:?}");
    }
}
