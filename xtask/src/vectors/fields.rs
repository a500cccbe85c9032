//! The group `fields`: totals below zero as field elements, and back.

use dp_exact::hexadecimal;
use dp_prio3::SignedField;
use dp_prio3::prio::field::{Field64, Field128};
use serde_json::json;

use super::model::{Figure, Outcome, Vector};

/// Pairs (signed total, share of the first of two aggregators).
#[rustfmt::skip]
const TOTALS: [(i128, i128); 9] = [
    (0, 5), (1, 0), (-1, 0), (-10, 12_345), (1_000_000, 77), (-1_000_000, 1 << 50),
    (-(1 << 40), 1 << 62), (i128::MAX, 1), (-i128::MAX, 1),
];

/// Totals of both fields, each as the sum of two shares.
pub(super) fn fields() -> Outcome<Vec<Vector>> {
    let both = |(total, share)| {
        [vector::<Field64>("Field64", total, share), vector::<Field128>("Field128", total, share)]
    };
    TOTALS.into_iter().flat_map(both).collect()
}

/// The test vector of a total, clamped to ±(p − 1)/2, in a field with p elements: its element, its
/// bytes, and the total that two shares add up to, of which `share` is the first.
fn vector<F: SignedField>(name: &str, total: i128, share: i128) -> Outcome<Vector> {
    let total = total.clamp(-F::MAX_SIGNED, F::MAX_SIGNED);
    let element = F::from_signed(total).ok_or("a representative")?;
    let first = F::from_signed(share).ok_or("a share")?;
    let second = element - first;
    let residue = element.to_residue().to_string();
    let wrapped = total.cast_unsigned() & (u128::MAX >> (128 - 8 * F::ENCODED_SIZE));
    let figures = vec![
        Figure::exact("element", &*residue).mistaken("twos_complement", wrapped.to_string()),
        Figure::exact("bytes", hexadecimal(&element.get_encoded()?)),
        Figure::exact("total_of_shares", (first + second).to_signed().to_string())
            .mistaken("sign_not_read", residue),
    ];
    let shares = [first, second].map(|share| share.to_residue().to_string());
    let input = json!({ "field": name, "signed": total.to_string(), "shares": shares });
    Ok(Vector { name: format!("{name} {total}"), input, figures })
}
