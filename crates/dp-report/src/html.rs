//! Reports as one HTML file: no request to anywhere, light and dark, on paper and on telephones.

mod blocks;
mod figure;
mod trust;

use maud::{DOCTYPE, Markup, PreEscaped, html};

pub use figure::figure;
pub use trust::trust;

use crate::lines::unbroken;
use crate::model::{Report, Section};

/// The style sheet of a report. Its colours are variables, which a page that shows parts of a report may set
/// itself.
pub const STYLE: &str = include_str!("html/style.css");

/// What a browser may load for a report: nothing.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'";

/// The report as a file.
#[must_use]
pub fn document(report: &Report) -> String {
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta http-equiv="Content-Security-Policy" content=(POLICY);
                meta name="color-scheme" content="light dark";
                meta name="generator" content=(generator());
                title { (report.title) }
                style { (PreEscaped(STYLE)) }
            }
            body {
                main class="report" { (content(report)) }
                footer { p { (report.colophon) } }
            }
        }
    };
    page.into_string() + "\n"
}

/// What a report says below its answer, for a page that has a head of its own and [`STYLE`].
#[must_use]
pub fn sections(report: &Report) -> String {
    let sections = html! {
        @for section in &report.sections { (of_section(section)) }
    };
    sections.into_string()
}

/// How a report begins that this crate wrote, up to its title: by this a program knows its own files again.
#[must_use]
pub fn is_own(beginning: &[u8]) -> bool {
    let text = String::from_utf8_lossy(beginning);
    let generator = "<meta name=\"generator\" content=\"dp-report ";
    text.starts_with("<!DOCTYPE html>") && text.contains(generator)
}

fn generator() -> String {
    format!("dp-report {}", env!("CARGO_PKG_VERSION"))
}

/// What stands in the file, without its head.
fn content(report: &Report) -> Markup {
    html! {
        header {
            h1 { (unbroken(&report.title)) }
            dl class="origin" {
                @for fact in report.origin.facts() { dt { (fact.name) } dd { (unbroken(&fact.value)) } }
            }
            div class="question" {
                h2 { "The question" }
                @for paragraph in &report.question { p { (unbroken(paragraph)) } }
            }
            div class="answer" {
                h2 { "The answer" }
                p class="verdict" { (unbroken(&report.verdict)) }
                p { (unbroken(&report.answer)) }
            }
        }
        nav aria-label="Contents" {
            ul {
                @for section in &report.sections {
                    li { a href=(format!("#{}", section.id)) { (section.title) } }
                }
            }
        }
        @for section in &report.sections { (of_section(section)) }
    }
}

fn of_section(section: &Section) -> Markup {
    let heading = format!("{}-heading", section.id);
    html! {
        section id=(section.id) aria-labelledby=(heading) {
            h2 id=(heading) { (section.title) }
            @for block in &section.blocks { (blocks::block(block)) }
        }
    }
}
