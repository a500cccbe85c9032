//! Which files are tables: each class of what could be read in two ways is refused on one line that
//! names the file and the line, in memory that does not depend on the file.

use std::io::{self, Read};

use dp_simulation::Measurements;
use dp_simulation::data::{
    Beyond, Bins, DataError, Delimiter, MAX_COLUMNS, MAX_LINE, Outside, Table, integers,
};

/// The integers in these columns.
pub(crate) fn read(bytes: &[u8], columns: &[String]) -> Result<Measurements, DataError> {
    let table = Table::new("people.csv", bytes)?;
    Ok(integers(table, columns, 1_000_000, Beyond::Refuse)?.measurements)
}

pub(crate) fn names(columns: &[&str]) -> Vec<String> {
    columns.iter().map(|name| (*name).to_owned()).collect()
}

/// The line that refuses the file.
fn refused(bytes: &[u8]) -> String {
    let result = read(bytes, &names(&["a"]));
    let line = match result {
        Err(error) => error.to_string(),
        Ok(rows) => panic!("{:?} is read as {rows:?}", bytes.escape_ascii().to_string()),
    };
    assert!(line.starts_with("people.csv: "), "{line}");
    let visible = line.chars().all(dp_exact::is_printable);
    assert!(visible && line.len() < 400, "{line}");
    line
}

#[test]
fn a_file_that_could_mean_two_things_is_refused_with_its_line() {
    for (bytes, said) in [
        (&b""[..], "people.csv: no header: it is empty"),
        (
            b"a,b\n",
            "people.csv: no rows: expected a header line and data",
        ),
        (
            b"a,a\n1,2\n",
            "line 1: column 2 has the name of another one, a",
        ),
        (
            b"a, a\n1,2\n",
            "line 1: column 2 has the name of another one, a",
        ),
        (b"a,\n1,2\n", "line 1: column 2 has no name"),
        (b"a,\"  \"\n1,2\n", "line 1: column 2 has no name"),
        (
            b"a,b\xe2\x80\xae\n1,2\n",
            "line 1: the name of column 2 has the character U+202E, which is not seen",
        ),
        (
            b"a,b\xe2\x80\x8b\n1,2\n",
            "line 1: the name of column 2 has the character U+200B",
        ),
        (
            b"a,\xef\xbb\xbfb\n1,2\n",
            "line 1: the name of column 2 has the character U+FEFF",
        ),
        (
            b"a,\"b\nc\"\n1,2\n",
            "line 1: the quote of value 2 is not closed on its line",
        ),
        (
            b"a,b\n1,\"2\n3\"\n",
            "line 2: the quote of value 2 is not closed on its line",
        ),
        (
            b"a,b\n1,2\n3,\"4",
            "line 3: the quote of value 2 is not closed on its line",
        ),
        (
            b"a,b\n1,2\n3,\"",
            "line 3: the quote of value 2 is not closed on its line",
        ),
        (
            b"a,b\n1,\"2\"\"\n",
            "line 2: the quote of value 2 is not closed on its line",
        ),
        (
            b"a,b\n\"1\"2,3\n",
            "line 2: text after the closing quote of value 1: expected a comma",
        ),
        (
            b"a,b\n\"1\" ,3\n",
            "line 2: text after the closing quote of value 1",
        ),
        (
            b"a,b\n1\"2\",3\n",
            "line 2: a quote inside value 1, which does not begin with one",
        ),
        (b"a,b\n1, \"3\"\n", "line 2: a quote inside value 2"),
        (b"\na\n1\n", "line 1: it is blank"),
        (b"a\n\n1\n", "line 2: it is blank"),
        (b"a\n1\n\n", "line 3: it is blank"),
        (b"a\r\n1\r\n\r\n", "line 3: it is blank"),
        (b"\xef\xbb\xbf\na\n1\n", "line 1: it is blank"),
        (
            b"a,b\n1\n",
            "line 2: it has 1 values: expected 2, as the header has",
        ),
        (b"a,b\n1,2,3\n", "line 2: it has more than 2 values"),
        (b"a,b\n1,2\n3\n", "line 3: it has 1 values"),
        (b"a\n1\0\n", "line 2: the control character U+0000"),
        (b"a,b\n1,\"\t2\"\n", "line 2: the control character U+0009"),
        (b"a,b\n1,\x1b[2J\n", "line 2: the control character U+001B"),
        (b"a,b\n1,\xc2\x85\n", "line 2: the control character U+0085"),
        (b"a,b\n1,\x7f\n", "line 2: the control character U+007F"),
        (b"a\n\xff\n", "line 2: byte 1 is not UTF-8"),
        (b"a,b\n1,\xc3\n", "line 2: byte 3 is not UTF-8"),
        (
            b"\xff\xfea\0",
            "line 1: it begins with the byte order mark of UTF-16: save the file as UTF-8",
        ),
        (
            b"\xfe\xff\0a",
            "line 1: it begins with the byte order mark of UTF-16",
        ),
        (
            b"a\0,\0b\0",
            "line 1: the control character U+0000: expected text in UTF-8, not UTF-16",
        ),
        (
            b"PK\x03\x04\x14\0",
            "line 1: it begins with the mark of a zip archive or a spreadsheet: save it as CSV",
        ),
        (
            b"a,\"b,c\",ville\n1,\"2,\",\xe9t\xe9\n",
            "line 2: byte 8 is not UTF-8, in value 3 (ville): save the file as UTF-8",
        ),
        (b"a,t\xe9\n1,2\n", "line 1: byte 4 is not UTF-8, in value 2"),
        (
            b"a;b,c\n1,2\n",
            "line 1: its values could be separated by a comma or by a semicolon: expected \
             --delimiter comma or --delimiter semicolon",
        ),
        (b"a\tb|c\n1\t2\n", "separated by a tab or by a bar"),
        (
            "\u{feff}sep=;\r\na;b\r\n1;2\r\n".as_bytes(),
            "line 1: it is no header but tells a spreadsheet what separates values: delete this \
             line, and say --delimiter semicolon if",
        ),
        (
            b"\"sep=,\"\na,b\n1,2\n",
            "line 1: it is no header but tells a spreadsheet",
        ),
        (
            b"sep=:\na:b\n1:2\n",
            "what separates values: delete this line",
        ),
        (
            b"a;b\n1,000;2\n",
            "a is 1,000: expected a number with a point and no other mark, such as 1000 or 1.000",
        ),
        (
            b"a;b\n1,5;2\n",
            "line 2: a is 1,5: expected a number with a point, such as 1.5",
        ),
        (
            b"a;b\n\"1\",2;3\n",
            "line 2: text after the closing quote of value 1: expected a semicolon",
        ),
        (
            b"a\t\"b\tc\"\n1\t2\n",
            "line 1: the control character U+0009",
        ),
        (
            b"a\tb\n1\t\"2\t\"\n",
            "line 2: the control character U+0009",
        ),
        (b"\"a\tb\",c\n1,2\n", "line 1: the control character U+0009"),
        (b"a|b\n1\t|2\n", "line 2: the control character U+0009"),
        (
            b"a;b\n1,2\n",
            "line 2: it has 1 values: expected 2, as the header has",
        ),
        (b"a\n\n", "line 2: it is blank"),
        (
            b"a\nNA\n",
            "line 2: a is NA: expected a value, or --missing skip or zero",
        ),
        (
            b"a\r1\r2\r",
            "line 1: a carriage return that no line feed follows",
        ),
        (
            b"a\n1\r\r\n",
            "line 2: a carriage return that no line feed follows",
        ),
        (
            b"a\n1\r",
            "line 2: a carriage return that no line feed follows",
        ),
        (
            b"a\n1\n\xef\xbb\xbf2\n",
            "line 3: a is \\u{feff}2: expected a number",
        ),
    ] {
        let line = refused(bytes);
        assert!(
            line.contains(said),
            "{:?}: {line}",
            bytes.escape_ascii().to_string()
        );
    }
}

#[test]
fn the_dialect_is_that_of_rfc_4180_on_single_lines() {
    for bytes in [
        &b"a,b\n1,2\n3,4\n"[..],
        b"a,b\n1,2\n3,4",
        b"a,b\r\n1,2\r\n3,4\r\n",
        b"a,b\r\n1,2\n3,4",
        b"\xef\xbb\xbfa,b\n1,2\n3,4\n",
        b"\"a\",\"b\"\n\"1\",\"2\"\n\"3\",4\n",
        b" a ,b\n 1, 2\n3 ,\" 4 \"\n",
        b"a,\"x,\"\"y\"\"\",b\n1,\"\",2\n3,\"z,\"\"\",4\n",
        "a,größe,b\n1,é,2\n3,\u{202e},4\n".as_bytes(),
    ] {
        let rows = read(bytes, &names(&["a", "b"])).expect("a table");
        assert_eq!(Ok(rows), Measurements::integer_vectors([[1, 2], [3, 4]]));
    }
}

#[test]
fn the_header_says_what_separates_the_values() {
    let expected = Measurements::integer_vectors([[1, 2], [3, 4]]);
    for (text, delimiter) in [
        ("a,b\n1,2\n3,4\n", Delimiter::Comma),
        ("a;b\n1;2\n3;4\n", Delimiter::Semicolon),
        ("a\tb\r\n1\t2\r\n3\t4\r\n", Delimiter::Tab),
        ("a|b\n1|2\n3|4\n", Delimiter::Bar),
        ("a;\"x,|\";b\n1;y,z;2\n3;\"y;\";4\n", Delimiter::Semicolon),
        (
            "a\t\"x \"\"y;\"\"\"\tb\n1\t,\t2\n3\t;|\t4\n",
            Delimiter::Tab,
        ),
        ("\"a\",\"b\"\n\"1\",2\n3,\"4\"\n", Delimiter::Comma),
        ("\u{feff}\"a\";b\n1;2\n3;4", Delimiter::Semicolon),
    ] {
        let table = Table::new("people.csv", text.as_bytes()).expect(text);
        assert_eq!(table.delimiter(), delimiter, "{text}");
        let columns = names(&["a", "b"]);
        let data = integers(table, &columns, 4, Beyond::Refuse).expect(text);
        assert_eq!(Ok(data.measurements), expected, "{text}");
    }
    let single = Table::new("people.csv", &b"a\n1\n"[..]).expect("one column");
    assert_eq!(single.delimiter(), Delimiter::Comma);
}

#[test]
fn a_delimiter_that_is_said_is_the_only_one() {
    let text = "a;b,c\n1;2,3\n";
    for (delimiter, header) in [
        (Delimiter::Comma, vec!["a;b", "c"]),
        (Delimiter::Semicolon, vec!["a", "b,c"]),
        (Delimiter::Bar, vec!["a;b,c"]),
        (Delimiter::Tab, vec!["a;b,c"]),
    ] {
        let table = Table::delimited("people.csv", text.as_bytes(), delimiter).expect("a table");
        assert_eq!(table.header(), header);
    }
    for (text, delimiter) in [
        (",", Delimiter::Comma),
        ("semicolon", Delimiter::Semicolon),
        ("\\t", Delimiter::Tab),
        ("\t", Delimiter::Tab),
        ("|", Delimiter::Bar),
    ] {
        assert_eq!(text.parse(), Ok(delimiter));
        assert_eq!(delimiter.to_string().parse(), Ok(delimiter));
    }
    for text in ["", ",,", ":", "TAB", " ", "\"", "commas"] {
        let error = text.parse::<Delimiter>().expect_err(text);
        assert_eq!(error.name(), "delimiter");
    }
}

/// Endless bytes, of which it counts how many were taken.
struct Endless<'a> {
    begin: &'a [u8],
    byte: u8,
    taken: &'a mut usize,
}

impl Read for Endless<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        *self.taken += buffer.len();
        let begun = self.begin.read(buffer)?;
        buffer[begun..].fill(self.byte);
        Ok(buffer.len())
    }
}

#[test]
fn an_endless_line_is_refused_after_no_more_than_the_longest_line() {
    for (begin, byte, said) in [
        (&b""[..], b'1', "line 1: it is longer than 1048576 bytes"),
        (b"a\n1\n", b'2', "line 3: it is longer than 1048576 bytes"),
        (b"a\n1\n\"", b'"', "line 3: it is longer than 1048576 bytes"),
        (b"", b',', "line 1: it is longer than 1048576 bytes"),
        (b"", 0, "line 1: the control character U+0000"),
        (b"a\n", b'\n', "line 2: it is blank"),
    ] {
        let mut taken = 0;
        let endless = Endless {
            begin,
            byte,
            taken: &mut taken,
        };
        let table = Table::new("people.csv", endless);
        let result = table.and_then(|table| integers(table, &names(&["a"]), 5, Beyond::Refuse));
        let line = result.map(|_| ()).expect_err("no table").to_string();
        assert!(line.contains(said), "{line}");
        assert!(taken <= MAX_LINE + (1 << 17), "{taken} bytes were read");
    }
}

#[test]
fn the_longest_line_and_the_most_columns_are_read() {
    let long = |length: usize| format!("a,b\n1,{}\r\n", "x".repeat(length - 2));
    assert!(read(long(MAX_LINE).as_bytes(), &names(&["a"])).is_ok());
    let line = refused(long(MAX_LINE + 1).as_bytes());
    assert!(
        line.ends_with("line 2: it is longer than 1048576 bytes"),
        "{line}"
    );

    let wide = |columns: usize| {
        let header: Vec<String> = (0..columns).map(|place| format!("c{place}")).collect();
        format!("{}\n{}1\n", header.join(","), "0,".repeat(columns - 1))
    };
    let last = [format!("c{}", MAX_COLUMNS - 1)];
    let rows = read(wide(MAX_COLUMNS).as_bytes(), &last).expect("the most");
    assert_eq!(Ok(rows), Measurements::integer_vectors([[1]]));
    let line = refused(wide(MAX_COLUMNS + 1).as_bytes());
    assert!(
        line.ends_with("line 1: it has more than 16384 values"),
        "{line}"
    );
    // An error does not list them all.
    let line = read(wide(MAX_COLUMNS).as_bytes(), &names(&["b"])).expect_err("no such");
    assert!(line.to_string().len() < 600, "{line}");
}

#[test]
fn bins_whose_labels_are_too_much_text_are_refused() {
    let error = "0..1e-995/1e-1000"
        .parse::<Bins>()
        .expect_err("100 000 long labels");
    let error = error.to_string();
    assert!(
        error.contains("expected fewer bins or shorter numbers"),
        "{error}"
    );
    for fits in ["0..1000/0.001", "-5e5..5e5/1", "0..1e-998/1e-1000"] {
        assert!(fits.parse::<Bins>().is_ok(), "{fits}");
    }

    let long = |text: &str, rows: std::ops::Range<u32>| {
        let rows = rows.map(|row| format!("{row}{text}\n"));
        format!("a\n{}", rows.collect::<String>())
    };
    for text in [
        long("e-1200", 10_000..30_000),
        long(&"x".repeat(9_000), 0..1_000),
    ] {
        let table = Table::new("people.csv", text.as_bytes()).expect("a table");
        let error = Bins::Distinct
            .apply(table, "a", Outside::Refuse)
            .map(|_| ())
            .expect_err("long labels");
        let error = error.to_string();
        assert!(
            error.contains("expected at most 1000000 distinct values"),
            "{error}"
        );
        assert!(error.len() < 400, "{error}");
    }
}
