//! Writes files of passages.

use std::path::Path;
use std::sync::Arc;

use serde_json::json;

use super::output::Output;
use crate::Error;
use crate::error::quoted;
use crate::read::PassageFormat;
use crate::tsv::push_row;
use crate::types::Passage;

/// Writes passages one by one. [`finish`](Self::finish) replaces the target file; a writer that is dropped unfinished
/// leaves the old file unchanged. The path `-` means standard output.
#[derive(Debug)]
pub struct PassageWriter {
    output: Output,
    format: PassageFormat,
    /// The line that is being written; reused for the next one.
    line: String,
}

impl PassageWriter {
    /// Creates a writer whose file will replace `path`, in the format [`PassageFormat::Dpr`],
    /// [`Beir`](PassageFormat::Beir) or [`Anserini`](PassageFormat::Anserini).
    ///
    /// # Errors
    ///
    /// [`Error::Argument`] for any other format; [`Error::Storage`] if no file can be created in the folder of `path`;
    /// [`Error::Io`] if writing fails.
    pub fn create(path: impl AsRef<Path>, format: PassageFormat) -> Result<Self, Error> {
        if !matches!(format, PassageFormat::Dpr | PassageFormat::Beir | PassageFormat::Anserini) {
            return Err(Error::argument(
                "format to write passages in",
                "dpr, beir or anserini",
                format.to_string(),
            ));
        }
        let mut output = Output::create(path.as_ref(), &Arc::default())?;
        if format == PassageFormat::Dpr {
            output.push(b"id\ttext\ttitle\n")?;
        }
        Ok(Self { output, format, line: String::new() })
    }

    /// Appends a passage.
    ///
    /// # Errors
    ///
    /// [`Error::Argument`] for an empty id; [`Error::Io`] if writing fails.
    pub fn push(&mut self, passage: &Passage) -> Result<(), Error> {
        if passage.id.is_empty() {
            return Err(Error::argument(
                "passage",
                "an id",
                format!("none for the text {}", quoted(&passage.text)),
            ));
        }
        let Passage { id, title, text } = passage;
        let title = title.as_deref().unwrap_or_default();
        self.line.clear();
        match self.format {
            PassageFormat::Beir => {
                self.line.push_str(&json!({"_id": id, "title": title, "text": text}).to_string());
            }
            PassageFormat::Anserini if title.is_empty() => {
                self.line.push_str(&json!({"id": id, "contents": text}).to_string());
            }
            PassageFormat::Anserini => {
                self.line.push_str(&json!({"id": id, "title": title, "contents": text}).to_string());
            }
            _ => push_row(&mut self.line, &[id, text, title]),
        }
        self.line.push('\n');
        self.output.push(self.line.as_bytes())
    }

    /// Completes the file and replaces the target file.
    ///
    /// # Errors
    ///
    /// [`Error::Io`] or [`Error::Storage`] if writing fails; the old file is then unchanged.
    pub fn finish(self) -> Result<(), Error> {
        self.output.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ReadOptions, open_passages};
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn passages_are_read_back_from_every_format(
            passages in prop::collection::vec(("[ a\t\"é\n]{1,5}", "[ a\t\"\n\r\\\\]{0,8}", any::<String>()), 1..6),
        ) {
            let folder = tempfile::tempdir().expect("a folder");
            let path = folder.path().join("passages");
            let passages: Vec<Passage> = passages.into_iter().map(|(id, title, text)| {
                Passage { id, title: Some(title).filter(|title| !title.is_empty()), text }
            }).collect();
            for format in [PassageFormat::Dpr, PassageFormat::Beir, PassageFormat::Anserini] {
                let mut writer = PassageWriter::create(&path, format).expect("writable");
                passages.iter().try_for_each(|passage| writer.push(passage)).expect("valid");
                writer.finish().expect("writable");
                let mut reader = open_passages(&path, PassageFormat::Auto, &ReadOptions::default()).expect("recognized");
                prop_assert_eq!(reader.format(), format);
                prop_assert_eq!(&reader.by_ref().collect::<Result<Vec<_>, _>>().expect("valid"), &passages);
            }
        }
    }
}
