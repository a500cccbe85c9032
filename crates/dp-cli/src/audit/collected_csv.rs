//! Collections in a CSV file: each row is one total, and the totals of an answer stand one below
//! the other.

use std::collections::{HashMap, HashSet};

use dp_audit::{Collected, StatedTerms};
use dp_exact::{ParameterError, Rational, parse_integer, two_readings};
use dp_simulation::data::{CsvTable, DataError, number};

/// The columns of a file of collections. The first five columns are required, the last four columns
/// are [`StatedTerms`]. An empty cell is like a column that is left out.
const COLUMNS: [&str; 9] = [
    "batch",
    "attempt",
    "reports",
    "truth",
    "released",
    "people",
    "reports_of_a_person",
    "aggregators",
    "digest",
];

/// Number of required columns.
const REQUIRED: usize = 5;

/// The collections of a file with the number of the first line of each. `Err` with the line for a
/// column of another name, a value that is not accepted, a batch and attempt that stand above, and
/// an attempt that has other truths than the batch's first one; without a collection.
pub(super) fn read(name: &str, bytes: &[u8]) -> Result<Vec<(u64, Collected)>, DataError> {
    let mut table = CsvTable::new(name, bytes, None)?;
    let is_other = |name: &&String| !name.is_empty() && !COLUMNS.contains(&name.as_str());
    if let Some(other) = table.header().iter().find(is_other) {
        let accepted = format!("one of {}", COLUMNS.join(", "));
        return Err(table.error(ParameterError::new("column", other, accepted)));
    }
    let mut columns = HashMap::new();
    for (number, name) in COLUMNS.into_iter().enumerate() {
        if number < REQUIRED || table.header().iter().any(|column| column == name) {
            columns.insert(name, table.column(name).map_err(|error| table.error(error))?);
        }
    }
    let mut collections: Vec<(u64, Collected)> = Vec::new();
    let key = |one: &Collected| (one.batch.clone(), one.attempt, one.reports, one.stated.clone());
    while let Some(row) = table.next_row()? {
        let cell = |name: &str| columns.get(name).map_or("", |column| row[*column].as_str());
        let total = total(cell).map_err(|error| table.error(error))?;
        match collections.last_mut().filter(|(_, last)| key(last) == key(&total)) {
            Some((_, last)) => {
                last.truths.extend(total.truths);
                last.released.extend(total.released);
            }
            None => collections.push((table.line(), total)),
        }
    }
    if collections.is_empty() {
        return Err(table.error("no totals below it"));
    }
    // The first attempt at each batch, and all attempts.
    let (mut batches, mut attempts) = (HashMap::new(), HashSet::new());
    for (line, collected) in &collections {
        let Collected { batch, attempt, truths, .. } = collected;
        let first = *batches.entry(batch).or_insert(truths);
        let accepted = match attempts.insert((batch, attempt)) {
            false => "a batch and attempt whose totals do not stand above",
            true if first != truths => "the truths of the batch's first attempt above",
            true => continue,
        };
        let of = format!("batch {batch}, attempt {attempt}");
        let place = format!("line {line}");
        return Err(table.error_of_file(ParameterError::new(place, of, accepted)));
    }
    Ok(collections)
}

/// The collection with one total in the cells of [`COLUMNS`]; an empty one says nothing. `Err`
/// names the column of a cell that is not accepted.
fn total<'a>(cell: impl Fn(&str) -> &'a str) -> Result<Collected, ParameterError> {
    let text = |name| Some(cell(name).to_owned()).filter(|cell| !cell.is_empty());
    let count = |name| parse_integer(name, cell(name), 0..=u64::MAX);
    let stated = |name| text(name).map(|_| count(name)).transpose();
    Ok(Collected {
        batch: text("batch").ok_or_else(|| ParameterError::new("batch", "", "a name"))?,
        attempt: parse_integer("attempt", cell("attempt"), 1..=u32::MAX)?,
        reports: count("reports")?,
        truths: vec![parse_integer("truth", cell("truth"), i64::MIN..=i64::MAX)?],
        released: vec![real(cell("released")).map_err(|error| error.renamed("released"))?.to_f64()],
        stated: StatedTerms {
            people: text("people"),
            reports_of_a_person: stated("reports_of_a_person")?,
            aggregators: stated("aggregators")?,
            digest: text("digest"),
        },
    })
}

/// The number in a cell. `Err` as for an integer where only zeros stand behind the point: `12.000`
/// may be twelve thousand.
fn real(cell: &str) -> Result<Rational, ParameterError> {
    match two_readings(cell, '.').filter(|_| cell.trim_end().ends_with(".000")) {
        Some(readings) => Err(ParameterError::new("value", cell, readings)),
        None => number(cell),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(lines: &str) -> String {
        read("file", lines.as_bytes()).expect_err(lines).to_string()
    }

    #[test]
    fn a_wrong_line_is_named() {
        let header = "batch,attempt,reports,truth,released";
        assert!(refused("batch,truth\n").starts_with("file: line 1: column is attempt: expected"));
        let other = refused(&format!("{header},operators\n"));
        assert!(other.starts_with("file: line 1: column is operators: expected one of batch, "));
        let two = refused(&format!("{header},aggregators\na,1,5,2,3,two\n"));
        assert!(two.starts_with("file: line 2: aggregators is two: expected an integer"), "{two}");
        assert_eq!(refused(header), "file: line 1: no totals below it");
        for (line, said) in [
            ("a,1,5,2", "it has 4 values: expected 5, as the header has"),
            ("a,0,5,2,3", "attempt is 0: expected an integer from 1 to 4294967295"),
            ("a,1,-5,2,3", "reports is -5: expected"),
            ("a,1,5,2,inf", "released is inf: expected a number"),
            ("a,1,5,2,-12.000", "released is -12.000: expected -12000 or -12, as its point may"),
            ("a,1,5,1.000,3", "truth is 1.000: expected 1000 or 1, as its point may"),
            (" ,1,5,2,3", "batch is \"\": expected a name"),
            ("a,1,5,9223372036854775808,3", "truth is 9223372036854775808: expected"),
        ] {
            let found = refused(&format!("{header}\nb,1,5,2,3\n{line}\n"));
            assert!(found.starts_with(&format!("file: line 3: {said}")), "{found}");
        }
        let twice = "file: line 4 is \"batch a, attempt 1\": expected a batch and attempt whose";
        assert!(
            refused(&format!("{header}\na,1,5,2,3\nb,1,5,2,3\na,1,5,2,3\n")).starts_with(twice)
        );
        let others = "file: line 4 is \"batch a, attempt 2\": expected the truths";
        assert!(
            refused(&format!("{header}\na,1,5,2,3\na,1,5,2,3\na,2,5,1,3\n")).starts_with(others)
        );
    }

    #[test]
    fn totals_of_an_answer_are_one_collection_with_its_line() {
        let text = "sep=;\nbatch;attempt;reports;truth;released;aggregators;\n\
                    a;1;5;2;3.0;\na;1;5;2;-4;\n\na;2;5;2;3;2\n\"a\";2;5;2;4;2;\n";
        let collections = read("file", text.as_bytes()).expect("collections");
        let of = |(line, one): &(u64, Collected)| (*line, one.attempt, one.reports);
        assert_eq!(collections.iter().map(of).collect::<Vec<_>>(), [(3, 1, 5), (6, 2, 5)]);
        assert_eq!(collections[0].1.released, [3.0, -4.0]);
        let stated = collections.iter().map(|(_, one)| one.stated.aggregators);
        assert_eq!(stated.collect::<Vec<_>>(), [None, Some(2)]);
    }
}
