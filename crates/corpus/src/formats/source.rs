//! The traits that the readers of all formats implement: [`PassageSource`] and [`QuestionSource`].

use crate::Error;
use crate::types::{Passage, Question};

/// Reads passages in the order of a file.
pub(crate) trait PassageSource: Send {
    /// Reads the next passage into `passage` and sets all of its fields. Returns `false` at the end of the file. After
    /// an [`Error::Line`], the next call continues with the next passage.
    fn read(&mut self, passage: &mut Passage) -> Result<bool, Error>;

    /// Creates an [`Error::Line`] for the passage that was read last. Its line number is that of the line, table row or
    /// JSON item that contains the passage, or 1 for a text file.
    fn error(&self, expected: String, got: String) -> Error;
}

impl<S: PassageSource + ?Sized> PassageSource for Box<S> {
    fn read(&mut self, passage: &mut Passage) -> Result<bool, Error> {
        (**self).read(passage)
    }

    fn error(&self, expected: String, got: String) -> Error {
        (**self).error(expected, got)
    }
}

/// Reads questions in the order of a file.
pub(crate) trait QuestionSource: Send {
    /// Reads the next question. Returns `None` at the end of the file. After an [`Error::Line`], the next call
    /// continues with the next question.
    fn read(&mut self) -> Result<Option<Question>, Error>;
}
