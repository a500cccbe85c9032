//! The pieces of a section.

use maud::{Markup, PreEscaped, html};

use super::figure::figure;
use super::trust::trust;
use crate::lines::unbroken;
use crate::model::{Block, Column, Fact, Table};

pub(super) fn block(piece: &Block) -> Markup {
    match piece {
        Block::Paragraph(words) => html! { p { (unbroken(words)) } },
        Block::Warning(words) => {
            html! { p class="warning" { strong { "Attention: " } (unbroken(words)) } }
        }
        Block::List(items) => {
            html! { ul class="list" { @for item in items { li { (unbroken(item)) } } } }
        }
        Block::Group(group) => html! {
            h3 { (group.title) }
            @for block in &group.blocks { (self::block(block)) }
        },
        Block::Table(content) => table(content),
        Block::Facts(content) => facts(content),
        Block::Chart(chart) => PreEscaped(figure(chart)),
        Block::Trust(models) => PreEscaped(trust(models)),
    }
}

/// Names and values; a value without a name goes on with the name before.
fn facts(facts: &[Fact]) -> Markup {
    html! {
        dl {
            @for fact in facts {
                @if !fact.name.is_empty() { dt { (fact.name.trim_start()) } }
                dd { (unbroken(&fact.value)) }
            }
        }
    }
}

/// The most columns that stand beside each other on a telephone.
const NARROW: usize = 3;

/// A table. Where it is wider than a telephone, each of its rows is a list there, of which each cell has its column's
/// name; where it is wider than any page, it scrolls by itself.
pub(super) fn table(table: &Table) -> Markup {
    html! {
        div class="scroll" role="region" tabindex="0" aria-label=(table.caption) {
            table class=[(table.columns.len() > NARROW).then_some("wide")] {
                caption { (table.caption) }
                thead { tr { @for (place, column) in table.columns.iter().enumerate() { (heading(place, column)) } } }
                tbody {
                    @for (number, row) in table.rows.iter().enumerate() {
                        (line(table, row, table.chosen == Some(number)))
                    }
                }
            }
        }
        @if !table.legend.is_empty() { p class="legend" { (unbroken(&table.legend)) } }
    }
}

fn heading(place: usize, column: &Column) -> Markup {
    // The first column names its rows, and begins where they do.
    let class = (place > 0 && column.is_number).then_some("number");
    html! {
        // A corner that says nothing is no header.
        @if column.name.is_empty() { td {} } @else { th scope="col" class=[class] { (column.name) } }
    }
}

fn line(table: &Table, row: &[String], is_chosen: bool) -> Markup {
    let class = is_chosen.then_some("chosen");
    let cells = || table.columns.iter().zip(row).skip(1);
    html! {
        tr class=[class] {
            @if let Some(first) = row.first() {
                th scope="row" {
                    (first)
                    @if is_chosen { span class="mark" { " (chosen)" } }
                }
            }
            @for (column, cell) in cells() {
                td class=[column.is_number.then_some("number")] data-label=(column.name) { (cell) }
            }
        }
    }
}
