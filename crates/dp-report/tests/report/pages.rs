//! What holds of every page: it is well-formed, loads nothing, each chart has its numbers, its colours can be read, and
//! the figures are the same strings in every form.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::PathBuf;

use dp_report::model::{Block, Report, Table};
use dp_report::{html, markdown};
use html5gum::{Token, Tokenizer};

/// The largest page, in bytes.
const LARGEST: usize = 150_000;

/// Elements without an end.
const VOID: [&str; 2] = ["meta", "br"];

/// An element: its name and its attributes.
type Element = (String, BTreeMap<String, String>);

/// Fails where a page is not what a page has to be; writes it where a person can look at it.
pub(crate) fn check(name: &str, report: &Report) -> String {
    let page = html::document(report);
    assert!(page.len() < LARGEST, "{name}: {} bytes", page.len());
    let elements = elements(name, &page);
    loads_nothing(name, &page, &elements);
    is_navigable(name, &elements);
    let blocks = report.sections.iter().flat_map(|section| &section.blocks);
    let charts = blocks.filter(|block| matches!(block, Block::Chart(_))).count();
    for (element, expected) in [("figure", charts), ("details", charts), ("desc", charts)] {
        let count = elements.iter().filter(|(one, _)| one == element).count();
        assert_eq!(count, expected, "{name}: {element}");
    }
    let (cells, written) = (cells(&page), markdown::document(report));
    let plain = written.replace('\\', "");
    for cell in tables(report).iter().flat_map(|table| table.rows.iter().flatten()) {
        let is_there = cells.iter().any(|one| one.trim_end_matches(" (chosen)") == cell);
        assert!(is_there, "{name}: {cell} in HTML");
        let escaped = cell.contains(['<', '&', '$', '@', '#', '\u{202e}']);
        assert!(escaped || plain.contains(cell.as_str()), "{name}: {cell} in Markdown");
    }
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
    fs::write(folder.join(format!("{name}.html")), &page).expect("a file");
    page
}

/// All elements in their order, each ended by its own end.
fn elements(name: &str, page: &str) -> Vec<Element> {
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).expect("UTF-8");
    let (mut open, mut all) = (Vec::new(), Vec::new());
    for token in Tokenizer::new(page) {
        match token.expect("no input error") {
            Token::Error(error) => panic!("{name}: {error:?}"),
            Token::StartTag(tag) => {
                let element = text(&tag.name);
                let attributes = tag.attributes.iter();
                let attributes = attributes.map(|(key, value)| (text(key), text(value)));
                all.push((element.clone(), attributes.collect()));
                if !tag.self_closing && !VOID.contains(&&*element) {
                    open.push(element);
                }
            }
            Token::EndTag(tag) => assert_eq!(open.pop(), Some(text(&tag.name)), "{name}"),
            _ => {}
        }
    }
    assert!(open.is_empty(), "{name}: {open:?} stay open");
    all
}

fn loads_nothing(name: &str, page: &str, elements: &[Element]) {
    for (element, attributes) in elements {
        let is_refused = ["script", "link", "img", "iframe", "object", "base", "image", "use"];
        assert!(!is_refused.contains(&&**element), "{name}: <{element}>");
        for (key, value) in attributes {
            let is_local = key != "href" || value.starts_with('#');
            assert!(!key.starts_with("on") && key != "src" && is_local, "{name}: {key}={value}");
        }
    }
    let names = page.replace("http://www.w3.org/2000/svg", "");
    for load in ["http:", "https:", "@import", "url(http", "url(//"] {
        assert!(!names.contains(load), "{name}: {load}");
    }
}

/// Headings in order, landmarks, a language, identifiers that are there once, and tables with headers.
fn is_navigable(name: &str, elements: &[Element]) {
    let of = |wanted: &'static str| elements.iter().filter(move |(element, _)| element == wanted);
    let language = of("html").next().and_then(|(_, attributes)| attributes.get("lang"));
    assert_eq!(language.map(String::as_str), Some("en"), "{name}");
    for landmark in ["main", "nav", "footer", "h1"] {
        assert_eq!(of(landmark).count(), 1, "{name}: {landmark}");
    }
    let identifiers = elements.iter().filter_map(|(_, attributes)| attributes.get("id"));
    let different: BTreeSet<&String> = identifiers.clone().collect();
    assert_eq!(different.len(), identifiers.count(), "{name}: identifiers are there once");
    for (_, attributes) in of("a") {
        let target = attributes["href"].trim_start_matches('#');
        assert!(different.iter().any(|id| *id == target), "{name}: {target}");
    }
    for (_, attributes) in of("th") {
        assert!(["col", "row"].contains(&&*attributes["scope"]), "{name}");
    }
    let mut level = 1;
    for (element, _) in elements {
        let found = ["h1", "h2", "h3", "h4"].iter().position(|one| one == element);
        if let Some(found) = found {
            assert!(found < level + 1, "{name}: {element} after h{level}");
            level = found + 1;
        }
    }
}

/// The tables of a report, also those behind charts.
pub(crate) fn tables(report: &Report) -> Vec<&Table> {
    let blocks = report.sections.iter().flat_map(|section| &section.blocks);
    let tables = blocks.filter_map(|block| match block {
        Block::Table(table) => Some(table),
        Block::Chart(chart) => Some(&chart.table),
        _ => None,
    });
    tables.collect()
}

/// What stands in the cells of the tables of a page, as text.
pub(crate) fn cells(page: &str) -> Vec<String> {
    let (mut cells, mut inside) = (Vec::new(), None);
    for token in Tokenizer::new(page).flatten() {
        match token {
            Token::StartTag(tag) if [&b"td"[..], b"th"].contains(&&tag.name[..]) => {
                inside = Some(String::new());
            }
            Token::EndTag(tag) if [&b"td"[..], b"th"].contains(&&tag.name[..]) => {
                cells.extend(inside.take());
            }
            Token::String(text) => {
                if let Some(cell) = &mut inside {
                    cell.push_str(&String::from_utf8_lossy(&text));
                }
            }
            _ => {}
        }
    }
    cells
}
