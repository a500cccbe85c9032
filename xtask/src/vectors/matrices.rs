//! The group `strategy-matrices`: small matrices, products, sensitivities and estimates.

#![expect(clippy::cast_precision_loss, reason = "estimates are floating point")]

use dp_calibration::strategy_matrix::{HistogramEstimator, StrategyFamily, StrategyMatrix};
use dp_calibration::{Adjacency, Rational};
use dp_exact::directed;
use serde_json::json;

use super::model::{Figure, Outcome, Vector, short};
use super::queries::whole;

const LENGTHS: [usize; 4] = [4, 7, 9, 16];

/// The test vectors of every family of strategy matrices at the lengths 4, 7, 9 and 16.
pub(super) fn matrices() -> Outcome<Vec<Vector>> {
    let families = StrategyFamily::ALL.into_iter();
    families.flat_map(|family| LENGTHS.map(|length| vector(family, length))).collect()
}

/// The test vector of a strategy matrix: its entries, a product, its norms under both adjacencies,
/// and the estimates of buckets and prefixes with their standard errors.
fn vector(family: StrategyFamily, length: usize) -> Outcome<Vector> {
    let matrix = StrategyMatrix::new(family, length)?;
    let unit = |bucket: usize| (0..length).map(|row| i64::from(row == bucket)).collect::<Vec<_>>();
    let columns: Vec<Vec<i64>> = (0..length).map(|bucket| matrix.multiply(&unit(bucket))).collect();
    let row = |row: usize| texts(columns.iter().map(|column| column[row]));

    let x: Vec<i64> = (1..).map(|place| place * place * 7 % 23).take(length).collect();
    let (product, reports) = (matrix.multiply(&x), x.iter().sum::<i64>().unsigned_abs());
    let transposed = columns.iter().map(|column| column.iter().zip(&x).map(|(c, x)| c * x).sum());
    let noise = (1..).map(|place: i64| 90 - place * 41 % 180);
    let y: Vec<i64> = product.iter().zip(noise).map(|(product, noise)| product + noise).collect();
    let floats: Vec<f64> = y.iter().map(|entry| *entry as f64).collect();

    let mut figures = vec![
        Figure::exact("matrix", (0..length).map(row).collect::<Vec<_>>()),
        Figure::exact("product", texts(product)).mistaken("transposed", texts(transposed)),
    ];
    let norms = |adjacency| {
        let sensitivity = matrix.sensitivity(adjacency);
        [sensitivity.l1, sensitivity.l2_squared].map(|norm| whole(&norm))
    };
    let [replaced, deleted] = [Adjacency::Replacement, Adjacency::Deletion].map(norms);
    let names = ["l1_replacement", "l2_squared_replacement"];
    for ((name, right), wrong) in names.into_iter().zip(&replaced).zip(&deleted) {
        let figure = Figure::equal(name, right).mistake("add_remove", wrong);
        figures.push(figure.mistake("matrix_ignored", &Rational::from(2u64)));
    }
    let names = ["l1_deletion", "l2_squared_deletion"].into_iter();
    figures.extend(names.zip(&deleted).map(|(name, norm)| Figure::equal(name, norm)));

    let estimator = HistogramEstimator::new(matrix);
    // The last prefix is the number of reports, without error.
    let (errors, end) = (estimator.prefix_deviations(), length - 1);
    // Of independent noise of variance 1, corrected by the number of reports.
    let independent = |inside: usize| {
        let [inside, outside] = [inside, length - inside].map(directed::index);
        short((inside * outside / directed::index(length)).sqrt())
    };
    let ignored: Vec<String> = (1..=end).map(independent).collect();
    figures.extend([
        Figure::floats("estimates", &estimator.histogram(&floats, reports))?,
        Figure::floats("prefix_standard_errors", &errors[..end])?
            .mistaken("matrix_ignored", ignored),
        Figure::floats("bucket_standard_errors", &estimator.bucket_deviations())?,
    ]);
    let input = json!({
        "matrix": family, "length": length, "x": texts(x), "y": texts(y), "reports": reports,
    });
    Ok(Vector { name: format!("{family} {length}"), input, figures })
}

/// The numbers as decimal texts.
fn texts(numbers: impl IntoIterator<Item = i64>) -> Vec<String> {
    numbers.into_iter().map(|number| number.to_string()).collect()
}
