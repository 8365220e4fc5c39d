//! The traits of readers of single formats: [`PassageSource`] and [`QuestionSource`].

use crate::Error;
use crate::types::{Passage, Question};

/// Reads passages in the order of a file.
pub(crate) trait PassageSource: Send {
    /// Reads the next passage into `passage` and sets all of its fields. Returns `false` at the end of the file. If it
    /// fails with [`Error::Line`], the next call continues with the next passage.
    fn read(&mut self, passage: &mut Passage) -> Result<bool, Error>;

    /// Creates an [`Error::Line`] at the line of the passage that was read last.
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
    /// Reads the next question. Returns `None` at the end of the file. If it fails with [`Error::Line`], the next call
    /// continues with the next question.
    fn read(&mut self) -> Result<Option<Question>, Error>;
}
