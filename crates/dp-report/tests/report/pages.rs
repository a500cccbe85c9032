//! What holds of every page: it is well-formed, loads nothing, and each chart has its numbers.

use std::collections::BTreeSet;

use dp_report::html;
use dp_report::model::{Block, Report, Table};
use html5gum::{Token, Tokenizer};

/// The largest page, in bytes.
const LARGEST: usize = 150_000;

/// Elements without an end.
const VOID: [&str; 5] = ["meta", "br", "hr", "img", "link"];

/// An element: its name and its attributes.
type Element = (String, Vec<(String, String)>);

/// Fails where a page is not what a page has to be.
pub(crate) fn check(name: &str, report: &Report) -> String {
    let page = html::document(report);
    assert!(page.len() < LARGEST, "{name}: {} bytes", page.len());
    let elements = elements(name, &page);
    loads_nothing(name, &page, &elements);
    is_navigable(name, &elements);
    let charts = tables_of_charts(report).len();
    let count = |wanted: &str| {
        elements
            .iter()
            .filter(|(element, _)| element == wanted)
            .count()
    };
    assert_eq!(count("figure"), charts, "{name}");
    assert_eq!(
        count("details"),
        charts,
        "{name}: each chart has its numbers"
    );
    assert_eq!(
        count("desc"),
        2 * charts,
        "{name}: each drawing is told in words"
    );
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
        let is_refused = [
            "script", "link", "img", "iframe", "object", "base", "image", "use",
        ];
        assert!(!is_refused.contains(&&**element), "{name}: <{element}>");
        for (key, value) in attributes {
            assert!(!key.starts_with("on"), "{name}: {key}");
            let is_local = key != "href" || value.starts_with('#');
            assert!(key != "src" && is_local, "{name}: {key}={value}");
        }
    }
    let names = page.replace("http://www.w3.org/2000/svg", "");
    for load in ["http:", "https:", "@import", "url(http", "url(//"] {
        assert!(!names.contains(load), "{name}: {load}");
    }
}

/// Headings in order, landmarks, a language, identifiers that are there once, and tables with headers.
fn is_navigable(name: &str, elements: &[Element]) {
    let value = |(_, attributes): &Element, wanted: &str| {
        let mut attributes = attributes.iter();
        let found = attributes.find(|(key, _)| key == wanted);
        found.map(|(_, value)| value.clone())
    };
    let of = |wanted: &str| {
        elements
            .iter()
            .filter(|one| one.0 == wanted)
            .collect::<Vec<_>>()
    };
    assert_eq!(
        value(of("html")[0], "lang").as_deref(),
        Some("en"),
        "{name}"
    );
    for landmark in ["main", "nav", "footer", "h1", "title"] {
        let outside = of(landmark).len();
        // A drawing has a title of its own.
        assert!(
            outside == 1 || landmark == "title" && outside > 1,
            "{name}: {landmark}"
        );
    }
    let identifiers: Vec<String> = elements.iter().filter_map(|one| value(one, "id")).collect();
    let different: BTreeSet<&String> = identifiers.iter().collect();
    assert_eq!(
        different.len(),
        identifiers.len(),
        "{name}: identifiers are there once"
    );
    for link in of("a") {
        let target = value(link, "href").unwrap_or_default();
        assert!(
            different.iter().any(|id| target == format!("#{id}")),
            "{name}: {target}"
        );
    }
    for header in of("th") {
        let scope = value(header, "scope");
        assert!(matches!(scope.as_deref(), Some("col" | "row")), "{name}");
    }
    let mut level = 1;
    for (element, _) in elements {
        let found = ["h1", "h2", "h3", "h4"]
            .iter()
            .position(|one| one == element);
        if let Some(found) = found {
            assert!(found < level + 1, "{name}: {element} after h{level}");
            level = found + 1;
        }
    }
}

/// The tables of a report, also those behind charts.
pub(crate) fn tables(report: &Report) -> Vec<&Table> {
    fn of<'a>(blocks: &'a [Block], found: &mut Vec<&'a Table>) {
        for block in blocks {
            match block {
                Block::Table(table) => found.push(table),
                Block::Chart(chart) => found.push(&chart.table),
                Block::Group(group) => of(&group.blocks, found),
                _ => {}
            }
        }
    }
    let mut found = Vec::new();
    for section in &report.sections {
        of(&section.blocks, &mut found);
    }
    found
}

fn tables_of_charts(report: &Report) -> Vec<&Table> {
    let blocks = report.sections.iter().flat_map(|section| &section.blocks);
    let charts = blocks.filter_map(|block| match block {
        Block::Chart(chart) => Some(&chart.table),
        _ => None,
    });
    charts.collect()
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
