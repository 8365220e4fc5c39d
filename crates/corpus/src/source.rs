//! What every format reader implements: [`PassageSource`] and [`QuestionSource`].

use crate::Error;
use crate::record::{Passage, Question};

/// Reads passages in the order of a file.
pub(crate) trait PassageSource: Send {
    /// Reads the next passage into `passage` and sets all of its fields. Returns `false` at the end. After an
    /// [`Error::Line`], the next call continues with the next passage.
    fn read(&mut self, passage: &mut Passage) -> Result<bool, Error>;

    /// An [`Error::Line`] at the position of the passage that was read last.
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
    /// The next question, or `None` at the end. After an [`Error::Line`], the next call continues with the next
    /// question.
    fn read(&mut self) -> Result<Option<Question>, Error>;
}
