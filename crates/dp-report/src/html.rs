//! Reports as one HTML file: no request to anywhere, light and dark, on paper and on telephones.

mod trust;

use maud::{DOCTYPE, Markup, PreEscaped, html};

use self::trust::trust;
use crate::chart::{sample, svg};
use crate::model::{Block, Chart, Report, Section, Table};
use crate::text::unbroken;

/// The style sheet of a report. An embedding page may set its colours, which are variables.
pub const STYLE: &str = include_str!("html/style.css");

/// The content security policy: the browser loads nothing.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'";

/// The most columns of a table that a telephone shows side by side.
const NARROW: usize = 3;

/// The report as one HTML file.
#[must_use]
pub fn document(report: &Report) -> String {
    let generator = html! { meta name="generator" content=(crate::generator(report)); };
    let body = html! {
        main class="report" {
            (head(report))
            @for section in &report.sections { (of_section(section)) }
        }
        footer { p { (report.colophon) } }
    };
    whole(&report.title, &generator, &body).into_string() + "\n"
}

/// A page that loads nothing, with a title, further `metadata` of its head, and its body.
pub(crate) fn whole(title: &str, metadata: &Markup, body: &Markup) -> Markup {
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta http-equiv="Content-Security-Policy" content=(POLICY);
                meta name="color-scheme" content="light dark";
                (metadata)
                title { (title) }
                style { (PreEscaped(STYLE)) }
            }
            body { (body) }
        }
    }
}

/// The sections of a report, for a page with a head of its own and [`STYLE`].
#[must_use]
pub fn sections(report: &Report) -> String {
    let sections = report.sections.iter();
    sections.map(|section| of_section(section).into_string()).collect()
}

/// HTML of the title, the date, the question, the answer and the contents of a report.
fn head(report: &Report) -> Markup {
    html! {
        header {
            h1 { (unbroken(&report.title)) }
            dl class="origin" { dt { "Date" } dd { (report.date.as_deref().unwrap_or("not stated")) } }
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
    }
}

/// HTML of a section with its heading and its blocks.
fn of_section(section: &Section) -> Markup {
    let heading = format!("{}-heading", section.id);
    html! {
        section id=(section.id) aria-labelledby=(heading) {
            h2 id=(heading) { (section.title) }
            @for block in &section.blocks { (of_block(block)) }
        }
    }
}

/// HTML of a block of a section.
fn of_block(block: &Block) -> Markup {
    html! {
        @match block {
            Block::Paragraph(words) => { p { (unbroken(words)) } }
            Block::Warning(words) => { p class="warning" { strong { "Attention: " } (unbroken(words)) } }
            Block::List(items) => { ul class="list" { @for item in items { li { (unbroken(item)) } } } }
            Block::Group(title, blocks) => {
                h3 { (title) }
                @for block in blocks { (of_block(block)) }
            }
            Block::Table(content) => { (table(content)) }
            Block::Facts(facts) => {
                dl {
                    @for fact in facts {
                        @if !fact.name.is_empty() { dt { (fact.name.trim_start()) } }
                        dd { (unbroken(&fact.value)) }
                    }
                }
            }
            Block::Chart(chart) => { (figure(chart)) }
            Block::Trust(models) => { (trust(models)) }
        }
    }
}

/// A table with its caption and legend as HTML; a wide one scrolls. On a telephone each row of a
/// table with more than three columns is a list of cells, each with its column's name.
fn table(table: &Table) -> Markup {
    let class = |is_number: bool| is_number.then_some("number");
    html! {
        div class="scroll" role="region" tabindex="0" aria-label=(table.caption) {
            table class=[(table.columns.len() > NARROW).then_some("wide")] {
                caption { (table.caption) }
                thead {
                    tr {
                        @for (place, column) in table.columns.iter().enumerate() {
                            // An empty cell is no header.
                            @if column.name.is_empty() { td {} }
                            @else { th scope="col" class=[class(place > 0 && column.is_number)] { (column.name) } }
                        }
                    }
                }
                tbody {
                    @for (number, row) in table.rows.iter().enumerate() {
                        @let is_chosen = table.chosen == Some(number);
                        tr class=[is_chosen.then_some("chosen")] {
                            @if let Some(first) = row.first() {
                                th scope="row" {
                                    (first)
                                    @if is_chosen { span class="mark" { " (chosen)" } }
                                }
                            }
                            @for (column, cell) in table.columns.iter().zip(row).skip(1) {
                                td class=[class(column.is_number)] data-label=(column.name) { (cell) }
                            }
                        }
                    }
                }
            }
        }
        @if !table.legend.is_empty() { p class="legend" { (unbroken(&table.legend)) } }
    }
}

/// The chart with its title, its key and a fold-out table of its figures, as an HTML element.
fn figure(chart: &Chart) -> Markup {
    let title = format!("{}-caption", chart.id);
    html! {
        figure id=(chart.id) class="chart" aria-labelledby=(title) {
            figcaption {
                h3 id=(title) { (chart.title) }
                p { (unbroken(&chart.description)) }
            }
            ul class="key" {
                @for series in &chart.series { li { (sample(series.mark)) (series.name) } }
            }
            @if !chart.y.label.is_empty() { p class="axis" { "↑ " (chart.y.label) } }
            (svg(chart))
            details {
                summary { "The numbers of this chart" }
                (table(&chart.table))
            }
        }
    }
}
