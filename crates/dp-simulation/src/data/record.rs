//! The values of a line.

use super::delimiter::Delimiter;

/// The values of one line, in one piece of memory that the next line reuses.
#[derive(Debug, Default)]
pub(super) struct Record {
    text: String,
    ends: Vec<usize>,
}

impl Record {
    /// How many values there are.
    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    /// A value, without the spaces around it.
    pub(super) fn get(&self, place: usize) -> Option<&str> {
        let end = *self.ends.get(place)?;
        let begin = match place.checked_sub(1) {
            Some(before) => *self.ends.get(before)?,
            None => 0,
        };
        Some(self.text.get(begin..end)?.trim_matches(' '))
    }

    /// Whether a value has a tab in it.
    pub(super) fn has_tab(&self) -> bool {
        self.text.contains('\t')
    }

    /// Takes a line apart at the delimiters, into at most so many values.
    pub(super) fn split(
        &mut self,
        line: &str,
        delimiter: Delimiter,
        most: usize,
    ) -> Result<(), String> {
        self.text.clear();
        self.ends.clear();
        let mut rest = Some(line);
        while let Some(line) = rest {
            if self.ends.len() == most {
                return Err(format!("it has more than {most} values"));
            }
            rest = match line.strip_prefix('"') {
                Some(quoted) => self.quoted(quoted, delimiter)?,
                None => self.plain(line, delimiter)?,
            };
            self.ends.push(self.text.len());
        }
        Ok(())
    }

    /// Takes a value without quotes, and returns what follows its delimiter.
    fn plain<'a>(
        &mut self,
        line: &'a str,
        delimiter: Delimiter,
    ) -> Result<Option<&'a str>, String> {
        let (value, rest) = match line.split_once(delimiter.character()) {
            Some((value, rest)) => (value, Some(rest)),
            None => (line, None),
        };
        if value.contains('"') {
            return Err(format!(
                "a quote inside value {}, which does not begin with one",
                self.len() + 1
            ));
        }
        self.text.push_str(value);
        Ok(rest)
    }

    /// Takes a value whose quote was opened, and returns what follows its delimiter.
    fn quoted<'a>(
        &mut self,
        mut line: &'a str,
        delimiter: Delimiter,
    ) -> Result<Option<&'a str>, String> {
        let place = self.len() + 1;
        loop {
            let (part, rest) = line
                .split_once('"')
                .ok_or_else(|| format!("the quote of value {place} is not closed on its line"))?;
            self.text.push_str(part);
            if let Some(rest) = rest.strip_prefix('"') {
                self.text.push('"');
                line = rest;
            } else if rest.is_empty() {
                return Ok(None);
            } else {
                let rest = rest.strip_prefix(delimiter.character());
                let rest = rest.ok_or_else(|| {
                    format!("text after the closing quote of value {place}: expected a {delimiter}")
                })?;
                return Ok(Some(rest));
            }
        }
    }
}
