//! Queries as text, and the group `sensitivity`.

use dp_calibration::strategy_matrix::StrategyFamily;
use dp_calibration::{Adjacency, BigInt, BigUint, Query, Rational};
use serde_json::json;

use super::model::{Figure, Outcome, Vector};

#[rustfmt::skip]
const QUERIES: [&str; 13] = [
    "count", "sum:4", "sum:100", "sum:340282366920938463463374607431768211455", "average:80",
    "sumvec:1:7", "sumvec:16:4", "histogram:1", "histogram:12", "multihot:10:3", "multihot:5:4",
    "l1boundsum:1:5", "l1boundsum:6:5",
];

/// A query from its text, with `ranges:LENGTH:FAMILY` for a histogram behind a strategy matrix.
pub(super) fn read(text: &str) -> Outcome<Query> {
    let Some(ranges) = text.strip_prefix("ranges:") else {
        return Ok(text.parse()?);
    };
    let (length, name) = ranges.split_once(':').ok_or("a length and a family")?;
    let family = StrategyFamily::ALL.into_iter().find(|family| family.name() == name);
    let family = family.ok_or("a family of strategy matrices")?;
    Ok(Query::HistogramRanges { length: length.parse()?, family })
}

/// The query with the largest number of as many bits as its largest measurement, a known mistake: 7
/// in place of 4. `None` if it has no largest measurement.
pub(super) fn max_from_bits(query: &Query) -> Option<Query> {
    let mut filled = query.clone();
    match &mut filled {
        Query::Sum { max_measurement }
        | Query::Average { max_measurement }
        | Query::SumVec { max_measurement, .. }
        | Query::L1BoundSum { max_measurement, .. } => {
            *max_measurement = u128::MAX >> max_measurement.leading_zeros();
        }
        _ => return None,
    }
    Some(filled)
}

/// An integer as a rational number.
pub(super) fn whole(number: &BigUint) -> Rational {
    Rational::integer(BigInt::from(number.clone()))
}

/// The test vectors of the norms of the largest change by one client, for every type of Prio3 and
/// all adjacencies, but for one coordinate of a histogram, which changes with another one.
pub(super) fn sensitivity() -> Outcome<Vec<Vector>> {
    let of_all = |text: &'static str| Adjacency::ALL.map(|adjacency| (text, adjacency));
    let pairs = QUERIES.iter().flat_map(|text| of_all(text)).filter(|(text, adjacency)| {
        *adjacency != Adjacency::OneCoordinate || !text.starts_with("histogram")
    });
    pairs.map(|(text, adjacency)| vector(text, adjacency)).collect()
}

/// The test vector of a query: the L1, squared L2 and L∞ norms of the largest change by one client,
/// with the norms that known mistakes give.
fn vector(text: &str, adjacency: Adjacency) -> Outcome<Vector> {
    let query = read(text)?;
    let norms = |query: &Query, adjacency| -> Outcome<[Rational; 3]> {
        let found = query.sensitivity(adjacency)?;
        Ok([found.l1, found.l2_squared, found.linf].map(|norm| whole(&norm)))
    };
    let [l1, l2_squared, linf] = norms(&query, adjacency)?;
    let mut figures = vec![
        Figure::equal("l1", &l1),
        Figure::equal("l2_squared", &l2_squared).mistake("l1_for_l2", &l1.pow(2)),
        Figure::equal("linf", &linf),
    ];
    let mut wrong = vec![("add_remove", norms(&query, Adjacency::Deletion)?)];
    if let Some(filled) = max_from_bits(&query) {
        wrong.push(("max_from_bits", norms(&filled, adjacency)?));
    }
    for (name, norms) in wrong {
        let planted = figures.into_iter().zip(&norms);
        figures = planted.map(|(figure, norm)| figure.mistake(name, norm)).collect();
    }
    let input = json!({ "query": text, "adjacency": adjacency });
    Ok(Vector { name: format!("{text} {adjacency}"), input, figures })
}
