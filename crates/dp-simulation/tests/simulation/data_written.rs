//! Tables that another program writes, in every dialect: the same table, or refused.

use dp_simulation::Measurements;
use dp_simulation::data::{Code, DataError, Delimiter, Table, indicators};
use proptest::prelude::*;

use crate::data_dialect::{names, read};

/// Cells of a table: numbers and words, some of which need quotes.
fn cell() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => (0..300_u32).prop_map(|number| number.to_string()),
        1 => "[ -~é月]{0,6}",
        1 => "[\",x ]{0,4}",
    ]
}

fn delimiter() -> impl Strategy<Value = Delimiter> {
    prop::sample::select(Delimiter::ALL.to_vec())
}

fn written(rows: &[Vec<String>], dialect: (Delimiter, bool, bool)) -> Vec<u8> {
    let (delimiter, is_windows, is_quoted) = dialect;
    let mut writer = csv::WriterBuilder::new();
    writer.delimiter(u8::try_from(delimiter.character()).expect("ASCII"));
    if is_windows {
        writer.terminator(csv::Terminator::CRLF);
    }
    if is_quoted {
        writer.quote_style(csv::QuoteStyle::Always);
    }
    let mut writer = writer.from_writer(Vec::new());
    for row in rows {
        writer.write_record(row).expect("in memory");
    }
    writer.into_inner().expect("in memory")
}

/// What the csv crate reads, if it reads the file in the strictest way that it has: an independent
/// reader of what both accept.
fn by_csv(bytes: &[u8], delimiter: Delimiter) -> Option<Vec<Vec<String>>> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let mut reader = csv::ReaderBuilder::new();
    let reader = reader.has_headers(false).flexible(false);
    let reader = reader.delimiter(u8::try_from(delimiter.character()).expect("ASCII"));
    let mut reader = reader.from_reader(bytes);
    let trimmed = |value: &str| value.trim_matches(' ').to_owned();
    let rows = reader.records();
    let rows = rows.map(|row| row.map(|row| row.iter().map(trimmed).collect::<Vec<_>>()));
    rows.collect::<Result<Vec<_>, _>>().ok()
}

/// The rows of a table of these columns, each cell by whether it is the text `yes`.
fn whether_one(bytes: &[u8], columns: &[String]) -> Result<Measurements, DataError> {
    let table = Table::new("people.csv", bytes)?;
    let (one, zero) = ([Code::of("1")], [Code::of("0")]);
    Ok(indicators(table, columns, &one, &zero)?.measurements)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn tables_that_the_csv_crate_writes_are_read_back(
        rows in (1..5_usize).prop_flat_map(|columns| {
            let row = proptest::collection::vec(cell(), columns);
            proptest::collection::vec(row, 1..8)
        }),
        place: prop::sample::Index,
        dialect in (delimiter(), any::<bool>(), any::<bool>()),
    ) {
        // One column has the numbers of the rows; beside it stands any text.
        let place = place.index(rows[0].len() + 1);
        let header: Vec<String> = (0..=rows[0].len()).map(|place| format!("c\"{place}")).collect();
        let numbered = rows.iter().zip(0_u32..).map(|(row, number)| {
            let mut row = row.clone();
            row.insert(place, number.to_string());
            row
        });
        let table: Vec<Vec<String>> = std::iter::once(header.clone()).chain(numbered).collect();
        let read = read(&written(&table, dialect), &header[place..=place]).expect("a table");
        let numbers = (0..u128::try_from(rows.len()).expect("few")).map(|number| [number]);
        prop_assert_eq!(Ok(read), Measurements::integer_vectors(numbers));
    }

    #[test]
    fn altered_files_are_refused_or_read_as_the_csv_crate_reads_them(
        rows in proptest::collection::vec(proptest::collection::vec(0..2_u8, 3), 1..5),
        edits in proptest::collection::vec((any::<prop::sample::Index>(), 0..4_u8,
            prop::sample::select(b"\",;|\n\r 01ab\0\xff\xef\xbb\xbf\t".to_vec())), 1..4),
        delimiter in delimiter(),
    ) {
        let header = names(&["a", "b", "c"]);
        let numbers = rows.iter().map(|row| row.iter().map(u8::to_string).collect());
        let table: Vec<Vec<String>> = std::iter::once(header).chain(numbers).collect();
        let mut bytes = written(&table, (delimiter, false, false));
        for (place, edit, byte) in edits {
            let place = place.index(bytes.len());
            match edit {
                0 => bytes.insert(place, byte),
                1 => bytes[place] = byte,
                2 => { bytes.remove(place); }
                _ => bytes.truncate(place.max(1)),
            }
            if bytes.is_empty() { bytes.push(byte); }
        }
        let Ok(table) = Table::new("people.csv", &bytes[..]) else {
            return Ok(());
        };
        let other = by_csv(&bytes, table.delimiter());
        for column in ["a", "b", "c"] {
            let Ok(found) = whether_one(&bytes, &names(&[column])) else {
                continue;
            };
            let other = other.as_ref().expect("what is strict enough for us is so for csv");
            let place = other[0].iter().position(|name| name == column).expect("the column");
            let ones = other[1..].iter().map(|row| [row[place].parse::<u32>() == Ok(1)]);
            prop_assert_eq!(Ok(found), Measurements::bit_vectors(ones));
        }
    }
}
