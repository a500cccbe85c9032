//! Lines of questions and answers.

use std::fmt::{Display, Write};

use crate::Error;

/// A text of lines.
#[derive(Debug, Default)]
pub(crate) struct Answers(String);

impl Answers {
    /// One more line.
    pub(crate) fn add(
        &mut self,
        question: impl Display,
        answer: impl Display,
    ) -> Result<(), Error> {
        Ok(writeln!(self.0, "{question} = {answer}")?)
    }

    /// A float, to its last bit.
    pub(crate) fn add_float(&mut self, question: impl Display, answer: f64) -> Result<(), Error> {
        self.add(question, format_args!("{answer:e}"))
    }

    pub(crate) fn into_text(self) -> String {
        self.0
    }
}
