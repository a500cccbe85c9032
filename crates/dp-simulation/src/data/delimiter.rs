//! What separates the values of a line.

use std::fmt::{self, Display, Formatter};
use std::str::FromStr;

use dp_exact::ParameterError;

/// What separates the values of a line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Delimiter {
    /// A comma.
    #[default]
    Comma,
    /// A semicolon.
    Semicolon,
    /// A tab.
    Tab,
    /// A vertical bar.
    Bar,
}

impl Delimiter {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Comma, Self::Semicolon, Self::Tab, Self::Bar];

    /// The character.
    #[must_use]
    pub const fn character(self) -> char {
        match self {
            Self::Comma => ',',
            Self::Semicolon => ';',
            Self::Tab => '\t',
            Self::Bar => '|',
        }
    }

    /// The only delimiter that the line has outside quotes; the comma if it has none.
    ///
    /// # Errors
    /// Two that it has, of which either could be meant.
    pub(super) fn of_header(line: &str) -> Result<Self, [Self; 2]> {
        let mut found = Self::ALL.into_iter().filter(|delimiter| {
            let mut places = unquoted(line, *delimiter);
            places.next().is_some()
        });
        match (found.next(), found.next()) {
            (Some(one), Some(other)) => Err([one, other]),
            (one, _) => Ok(one.unwrap_or_default()),
        }
    }

    /// In which value of a line, from 1, its continuation stands.
    pub(super) fn value_after(self, begin: &str) -> usize {
        unquoted(begin, self).count().saturating_add(1)
    }
}

/// Where a line has the delimiter outside quotes. Of a line that has quotes around whole values only,
/// these are the ends of its values but the last; whether it is such a line, others find out.
fn unquoted(line: &str, delimiter: Delimiter) -> impl Iterator<Item = usize> {
    let mut is_quoted = false;
    let places = line.char_indices().filter(move |(_, character)| {
        is_quoted ^= *character == '"';
        !is_quoted && *character == delimiter.character()
    });
    places.map(|(place, _)| place)
}

impl FromStr for Delimiter {
    type Err = ParameterError;

    /// Reads the character or its name: `,` or `comma`, `;` or `semicolon`, a tab, `\t` or `tab`, `|`
    /// or `bar`.
    fn from_str(text: &str) -> Result<Self, ParameterError> {
        Ok(match text {
            "," | "comma" => Self::Comma,
            ";" | "semicolon" => Self::Semicolon,
            "\t" | "\\t" | "tab" => Self::Tab,
            "|" | "bar" | "pipe" => Self::Bar,
            _ => {
                let accepted = "comma, semicolon, tab or bar, or the character itself in quotes";
                return Err(ParameterError::new("delimiter", text, accepted));
            }
        })
    }
}

impl Display for Delimiter {
    /// Writes its name.
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Comma => "comma",
            Self::Semicolon => "semicolon",
            Self::Tab => "tab",
            Self::Bar => "bar",
        })
    }
}
