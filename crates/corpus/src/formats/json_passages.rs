//! Passages as JSON lines, as in BEIR's `corpus.jsonl` and in Anserini.

use serde::Deserialize;

use crate::Error;
use crate::formats::source::PassageSource;
use crate::input::Lines;
use crate::json::{Id, Text, parse_line};
use crate::types::{Passage, replace};

/// Reads one passage per line.
pub(crate) struct JsonPassages {
    lines: Lines,
    style: Style,
}

/// Which field has the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Style {
    /// `text`.
    Beir,
    /// `contents`.
    Anserini,
}

/// The JSON object of a line, with the fields of both styles.
#[derive(Deserialize)]
struct Line<'a> {
    #[serde(borrow)]
    _id: Option<Id<'a>>,
    #[serde(borrow)]
    id: Option<Id<'a>>,
    #[serde(borrow)]
    title: Option<Text<'a>>,
    #[serde(borrow)]
    text: Option<Text<'a>>,
    #[serde(borrow)]
    contents: Option<Text<'a>>,
}

impl JsonPassages {
    /// Reads lines with `_id` or `id`, `text` and optionally `title`, as in BEIR.
    pub fn beir(lines: Lines) -> Self {
        Self { lines, style: Style::Beir }
    }

    /// Reads lines with `id` or `_id`, `contents` and optionally `title`, as in Anserini.
    pub fn anserini(lines: Lines) -> Self {
        Self { lines, style: Style::Anserini }
    }
}

impl PassageSource for JsonPassages {
    fn error(&self, expected: String, got: String) -> Error {
        self.lines.error(expected, got)
    }

    fn read(&mut self, passage: &mut Passage) -> Result<bool, Error> {
        if !self.lines.advance_to_text()? {
            return Ok(false);
        }
        let expected = match self.style {
            Style::Beir => "a JSON object with \"_id\" and \"text\"",
            Style::Anserini => "a JSON object with \"id\" and \"contents\"",
        };
        let line: Line = parse_line(&self.lines, expected)?;
        let text = match self.style {
            Style::Beir => line.text,
            Style::Anserini => line.contents,
        };
        let id = line._id.or(line.id).filter(|Id(id)| !id.is_empty());
        let id = id.ok_or_else(|| self.lines.error(expected, "no id or an empty one"))?;
        let Text(text) = text.ok_or_else(|| self.lines.error(expected, "no text"))?;
        replace(&mut passage.id, &id.0);
        replace(&mut passage.text, &text);
        passage.set_title(line.title.as_ref().map_or("", |Text(title)| title));
        Ok(true)
    }
}
