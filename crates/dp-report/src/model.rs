//! The content of a report, from which text and HTML are made.
//!
//! Every figure is a string, so that all forms agree. The floats of a [`Chart`] are coordinates of
//! a picture; its [`Chart::table`] has the figures.

use dp_calibration::TrustModel;
use serde::Serialize;

/// A report: the question, the answer, and the evidence.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// The kind of report in one lower-case word, such as `plan`; the head of its file contains it.
    pub kind: &'static str,
    /// The title.
    pub title: String,
    /// The day, as YYYY-MM-DD; `None` if nobody states it.
    pub date: Option<String>,
    /// The question, in paragraphs.
    pub question: Vec<String>,
    /// The answer for readers who are no engineers: who is protected, and who is not.
    pub verdict: String,
    /// The answer in terms of the field, in one or two sentences.
    pub answer: String,
    /// The sections, in reading order.
    pub sections: Vec<Section>,
    /// The program that wrote the report.
    pub colophon: String,
}

/// A section of a report.
#[derive(Clone, Debug, PartialEq)]
pub struct Section {
    /// The identifier in links: lower-case letters.
    pub id: &'static str,
    /// The heading.
    pub title: String,
    /// The content.
    pub blocks: Vec<Block>,
}

impl Section {
    pub(crate) fn new(id: &'static str, title: &str, blocks: Vec<Block>) -> Self {
        Self { id, title: title.to_owned(), blocks }
    }
}

/// A piece of a section.
#[derive(Clone, Debug, PartialEq)]
pub enum Block {
    /// Prose.
    Paragraph(String),
    /// A warning, for example about a guarantee that protects nobody.
    Warning(String),
    /// A list of sentences or names.
    List(Vec<String>),
    /// Blocks below a heading of the second level.
    Group(String, Vec<Block>),
    /// A table.
    Table(Table),
    /// Names and values. A value with an empty name belongs to the name before it.
    Facts(Vec<Fact>),
    /// A chart, with its table.
    Chart(Box<Chart>),
    /// Who must be honest, and the guarantee then, by trust model.
    Trust(Vec<TrustCard>),
}

/// A name and its value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fact {
    /// The name.
    pub name: String,
    /// The value.
    pub value: String,
}

impl Fact {
    /// A name and its value.
    pub fn new(name: impl Into<String>, value: impl Into<String>) -> Self {
        Self { name: name.into(), value: value.into() }
    }
}

/// Rows of strings, one for each column; the first column names the rows.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Table {
    /// The caption or title.
    pub caption: String,
    /// Its columns.
    pub columns: Vec<Column>,
    /// Its rows.
    pub rows: Vec<Vec<String>>,
    /// The meaning of the columns, and omissions.
    pub legend: String,
    /// Index of the row that the report is about.
    pub chosen: Option<usize>,
}

impl Table {
    /// A table without rows.
    pub fn new(caption: impl Into<String>, columns: Vec<Column>) -> Self {
        Self {
            caption: caption.into(),
            columns,
            rows: Vec::new(),
            legend: String::new(),
            chosen: None,
        }
    }
}

/// A column of a table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Column {
    /// Its heading.
    pub name: String,
    /// Whether its cells are numbers, aligned to the right.
    pub is_number: bool,
}

impl Column {
    /// A column of words.
    pub fn words(name: impl Into<String>) -> Self {
        Self { name: name.into(), is_number: false }
    }

    /// A column of numbers.
    pub fn numbers(name: impl Into<String>) -> Self {
        Self { name: name.into(), is_number: true }
    }
}

/// A chart: lines, intervals and points over two axes.
#[derive(Clone, Debug, PartialEq)]
pub struct Chart {
    /// The identifier in links: lower-case letters.
    pub id: &'static str,
    /// The caption or title.
    pub title: String,
    /// The content in words, for readers who do not see the picture.
    pub description: String,
    /// The axis along the width.
    pub x: Axis,
    /// The axis along the height.
    pub y: Axis,
    /// The series, the last one on top.
    pub series: Vec<Series>,
    /// The figures of the chart.
    pub table: Table,
}

/// An axis of a chart.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Axis {
    /// The quantity, with its unit.
    pub(crate) label: String,
    pub(crate) is_log: bool,
    /// Labels at 1, 2, 3 and so on, for an axis of names instead of numbers.
    pub(crate) names: Vec<String>,
}

impl Axis {
    /// A linear axis whose ends follow from the data.
    pub(crate) fn linear(label: impl Into<String>) -> Self {
        Self { label: label.into(), ..Self::default() }
    }

    /// A logarithmic axis whose ends follow from the data.
    pub(crate) fn log(label: impl Into<String>) -> Self {
        Self { is_log: true, ..Self::linear(label) }
    }
}

/// A line or points of a chart.
#[derive(Clone, Debug, PartialEq)]
pub struct Series {
    /// Its name in the legend.
    pub name: String,
    /// The mark.
    pub mark: Mark,
    /// The points, as x and y.
    pub points: Vec<(f64, f64)>,
    /// For [`Mark::Interval`]: half the width of each point's interval, in the unit of y.
    pub margins: Vec<f64>,
}

impl Series {
    /// Points without intervals.
    pub fn new(name: impl Into<String>, mark: Mark, points: Vec<(f64, f64)>) -> Self {
        Self { name: name.into(), mark, points, margins: Vec::new() }
    }
}

/// The mark of a series. Marks differ in shape, not in colour alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// A solid line.
    Line,
    /// A dashed line.
    Dashed,
    /// A point with its interval.
    Interval,
    /// A hollow diamond.
    Diamond,
    /// A large point, which the report is about.
    Chosen,
}

/// A trust model: its parties, and its guarantee if they are honest and if they are not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TrustCard {
    pub(crate) model: TrustModel,
    pub(crate) aggregators: usize,
    /// The guarantee of one release, or `no guarantee`.
    pub(crate) bound: String,
    /// The guarantee of all releases together, if there are several.
    pub(crate) total: Option<String>,
    pub(crate) is_kept: bool,
    /// Why the report is about this model, such as `asked for`; `None` if it is about another one.
    pub(crate) mark: Option<&'static str>,
    /// With a guarantee: what is left if parties that must be honest are not. Without: the reason.
    pub(crate) remark: String,
}
