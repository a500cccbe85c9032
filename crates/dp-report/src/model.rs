//! What a report says, before it has a form: texts and tables of strings, charts with the numbers behind them.
//!
//! Every figure is a string here, so that text, HTML, Markdown and a page say the same. The floats of a
//! [`Chart`] are coordinates of a picture; what they stand for is written in its [`Chart::table`].

use serde::Serialize;

/// A report: what was asked, what is answered, and what the answer rests on.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Report {
    /// Which report it is, in one word such as `plan`: its file is known again by it.
    #[serde(skip)]
    pub kind: &'static str,
    /// What the report is about.
    pub title: String,
    /// When it was made, and for whom.
    pub origin: Origin,
    /// What was asked, a paragraph each.
    pub question: Vec<String>,
    /// The answer for a reader who is no engineer: who is protected, and who is not.
    pub verdict: String,
    /// The answer in the words of the field, in a sentence or two.
    pub answer: String,
    /// Everything else, in the order in which it is read.
    pub sections: Vec<Section>,
    /// Who wrote the report.
    pub colophon: String,
}

/// When a report was made, and for whom.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Origin {
    /// The day, as YYYY-MM-DD.
    pub date: Option<String>,
    /// Who asked for it.
    pub prepared_for: Option<String>,
}

impl Origin {
    /// Both by name; what is absent is not stated.
    pub fn facts(&self) -> [Fact; 2] {
        let said = |text: &Option<String>| text.as_deref().unwrap_or("not stated").to_owned();
        [Fact::new("Date", said(&self.date)), Fact::new("Prepared for", said(&self.prepared_for))]
    }
}

/// A part of a report under a heading of its own.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Section {
    /// How a link names it: lower-case letters.
    pub id: &'static str,
    /// The heading.
    pub title: String,
    /// What it says.
    pub blocks: Vec<Block>,
}

impl Section {
    pub(crate) fn new(id: &'static str, title: &str, blocks: Vec<Block>) -> Self {
        let title = title.to_owned();
        Self { id, title, blocks }
    }
}

/// A piece of a section.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "kind", content = "content", rename_all = "snake_case")]
pub enum Block {
    /// Prose.
    Paragraph(String),
    /// What needs the reader's attention: a guarantee that protects nobody, for example.
    Warning(String),
    /// Sentences or names, one below the other.
    List(Vec<String>),
    /// A heading below that of the section, with what it is about.
    Group(Group),
    /// A table.
    Table(Table),
    /// Names and their values. A value without a name goes on with the name before.
    Facts(Vec<Fact>),
    /// A chart, with its table.
    Chart(Box<Chart>),
    /// Who learns what.
    Trust(Vec<TrustCard>),
}

impl Block {
    pub(crate) fn paragraph(words: impl Into<String>) -> Self {
        Self::Paragraph(words.into())
    }

    pub(crate) fn group(title: impl Into<String>, blocks: Vec<Self>) -> Self {
        let title = title.into();
        Self::Group(Group { title, blocks })
    }
}

/// Pieces under a heading of their own.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Group {
    /// The heading.
    pub title: String,
    /// What it says.
    pub blocks: Vec<Block>,
}

/// A name and its value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Fact {
    /// The name.
    pub name: String,
    /// The value.
    pub value: String,
}

impl Fact {
    /// A name and its value.
    pub fn new(name: impl Into<String>, value: impl Into<String>) -> Self {
        let (name, value) = (name.into(), value.into());
        Self { name, value }
    }
}

/// Rows of strings. Every row has as many as there are columns; the first names the row.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Table {
    /// What it shows.
    pub caption: String,
    /// Its columns.
    pub columns: Vec<Column>,
    /// Its rows.
    pub rows: Vec<Vec<String>>,
    /// What the columns mean, and what is left out.
    pub legend: String,
    /// Which row the report is about.
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
    /// Whether it has numbers, which stand at the right.
    pub is_number: bool,
}

impl Column {
    /// A column of words.
    pub fn words(name: impl Into<String>) -> Self {
        let (name, is_number) = (name.into(), false);
        Self { name, is_number }
    }

    /// A column of numbers.
    pub fn numbers(name: impl Into<String>) -> Self {
        let (name, is_number) = (name.into(), true);
        Self { name, is_number }
    }
}

/// A chart: lines, intervals and points over two axes.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Chart {
    /// How a link names it: lower-case letters.
    pub id: &'static str,
    /// What it shows.
    pub title: String,
    /// What it shows in words, for those who do not see it.
    pub description: String,
    /// The axis along the width.
    pub x: Axis,
    /// The axis along the height.
    pub y: Axis,
    /// What is drawn, the last on top.
    pub series: Vec<Series>,
    /// The numbers.
    pub table: Table,
}

/// An axis of a chart.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Axis {
    /// What it measures, with its unit.
    pub(crate) label: String,
    /// Whether equal steps are equal ratios.
    pub(crate) is_log: bool,
    /// Where it begins and ends, where that does not follow from the data.
    pub(crate) range: Option<(f64, f64)>,
    /// The names of the places 1, 2, 3 and so on, where it has names and no numbers.
    pub(crate) names: Vec<String>,
}

impl Axis {
    /// A linear axis as long as its data.
    pub(crate) fn linear(label: impl Into<String>) -> Self {
        let label = label.into();
        Self { label, ..Self::default() }
    }

    pub(crate) fn log(label: impl Into<String>) -> Self {
        Self { is_log: true, ..Self::linear(label) }
    }
}

/// What is drawn of one kind.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Series {
    /// Its name in the legend.
    pub name: String,
    /// How it is drawn.
    pub mark: Mark,
    /// Where: x and y.
    pub points: Vec<(f64, f64)>,
    /// Half the width of the interval of each point.
    pub margins: Vec<f64>,
}

impl Series {
    /// Points without intervals.
    pub fn new(name: impl Into<String>, mark: Mark, points: Vec<(f64, f64)>) -> Self {
        Self { name: name.into(), mark, points, margins: Vec::new() }
    }
}

/// How a series is drawn: by shape, so that it is told from others without its colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Mark {
    /// A solid line.
    Line,
    /// A dashed line.
    Dashed,
    /// A dotted line, for what is compared with.
    Dotted,
    /// A point with its interval.
    Interval,
    /// A hollow diamond.
    Diamond,
    /// A large point: the one that the report is about.
    Chosen,
    /// A line through points, one of several: of another shape for each number from 0 to 7. Reports of sweeps have it.
    #[cfg(feature = "simulation")]
    Numbered(u8),
}

/// A trust model: who is honest, what holds then, and what remains if they are not.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TrustCard {
    /// Who is honest, in a few words.
    pub(crate) title: String,
    pub(crate) name: String,
    /// Who must be honest, and whom the guarantee holds against, in words.
    pub(crate) honest: String,
    pub(crate) adversary: String,
    pub(crate) aggregators: usize,
    pub(crate) honest_aggregators: usize,
    pub(crate) are_clients_honest: bool,
    pub(crate) bound: String,
    /// What all releases together guarantee, if there are several.
    pub(crate) total: Option<String>,
    /// Whether anything is guaranteed.
    pub(crate) is_kept: bool,
    /// Whether the report is about this model, and why: `asked for`, for example.
    pub(crate) is_asked: bool,
    pub(crate) mark: &'static str,
    /// What remains if those who must be honest are not, or why nothing is guaranteed.
    pub(crate) remark: String,
}
