//! What holds of every page: it loads nothing, each chart has its numbers, and the figures are the
//! same strings in every form. That pages are accessible is tested in a browser.

use std::fs;
use std::path::PathBuf;

use dp_report::html;
use dp_report::model::{Block, Report, Table};

/// The largest page, in bytes.
const LARGEST: usize = 150_000;

/// Fails where a page is not what a page has to be; writes it where a person can look at it.
pub(crate) fn check(name: &str, report: &Report) -> String {
    let page = html::document(report);
    assert!(page.len() < LARGEST, "{name}: {} bytes", page.len());
    let names = page.replace("http://www.w3.org/2000/svg", "");
    for load in
        ["<script", "<link", "<img", "<iframe", "<use", "http:", "https:", "@import", "url(//"]
    {
        assert!(!names.contains(load), "{name}: {load}");
    }
    let blocks = report.sections.iter().flat_map(|section| &section.blocks);
    let charts = blocks.filter(|block| matches!(block, Block::Chart(_))).count();
    for element in ["<figure ", "<details>", "<desc "] {
        assert_eq!(page.matches(element).count(), charts, "{name}: {element}");
    }
    for cell in tables(report).iter().flat_map(|table| table.rows.iter().flatten()) {
        assert!(page.contains(&in_html(cell)), "{name}: {cell} in HTML");
    }
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
    fs::write(folder.join(format!("{name}.html")), &page).expect("a file");
    page
}

/// `text` as it stands in HTML.
pub(crate) fn in_html(text: &str) -> String {
    let text = text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    text.replace('"', "&quot;")
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
