//! The seed of a cell.

use dp_exact::Rational;
use sha2::{Digest as _, Sha256};

use crate::sweep::grid::Cell;

/// What is hashed first, so that no other hash is the same.
const PURPOSE: &str = "dp-sweep cell seed 1";

/// The first eight bytes, the least significant first, of the SHA-256 of the sweep's seed and of the
/// parameters of the cell, each preceded by its length. Two notations of a number are one number. The number
/// of the cell, the order of lists, and whether Prio3 runs do not matter.
pub(crate) fn of(sweep: u64, cell: &Cell) -> u64 {
    let mut hash = Sha256::new();
    add(&mut hash, PURPOSE);
    add(&mut hash, &sweep.to_string());
    add(&mut hash, cell.policy.name);
    for (name, value) in cell.parameters.given() {
        add(&mut hash, name);
        add(&mut hash, &plain(value));
    }
    add(&mut hash, cell.size.as_deref().unwrap_or_default());
    add(&mut hash, &cell.clients.to_string());
    add(&mut hash, &cell.trials.to_string());
    let hash: [u8; 32] = hash.finalize().into();
    let mut first = [0; 8];
    first.copy_from_slice(&hash[..8]);
    u64::from_le_bytes(first)
}

fn add(hash: &mut Sha256, text: &str) {
    let length = u64::try_from(text.len()).unwrap_or(u64::MAX);
    hash.update(length.to_le_bytes());
    hash.update(text);
}

/// The number, in one notation.
pub(crate) fn plain(value: &str) -> String {
    let number = value.parse::<Rational>();
    number.map_or_else(|_| value.to_owned(), |number| number.to_string())
}
