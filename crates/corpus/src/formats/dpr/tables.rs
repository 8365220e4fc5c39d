//! DPR's tab-separated tables: passages with `id`, `text` and `title`, and questions with answers.

use super::answer_list::parse_answers;
use crate::Error;
use crate::error::quoted;
use crate::formats::source::PassageSource;
use crate::formats::source::QuestionSource;
use crate::input::Lines;
use crate::tsv::Row;
use crate::types::{Passage, Question};

/// Reads rows of `id`, `text` and optionally `title`. If the first row is a header, it gives the order of the columns.
pub(crate) struct TablePassages {
    lines: Lines,
    row: Row,
    /// `None` before the first row.
    columns: Option<Columns>,
}

/// The index of the column of each field, and the number of columns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Columns {
    id: usize,
    text: usize,
    title: Option<usize>,
    count: usize,
}

impl TablePassages {
    pub fn new(lines: Lines) -> Self {
        Self { lines, row: Row::default(), columns: None }
    }

    /// Determines the columns from the first row. Also returns whether that row is a header.
    fn find_columns(&mut self) -> Result<(Columns, bool), Error> {
        let text = self.lines.text()?;
        let names: Vec<_> = (0..self.row.stored_count()).map(|index| self.row.field(text, index)).collect();
        let named = |name: &str| names.iter().position(|found| found == name);
        let count = self.row.len();
        if count == names.len()
            && let (Some(id), Some(text)) = (named("id"), named("text"))
        {
            return Ok((Columns { id, text, title: named("title"), count }, true));
        }
        match count {
            2 => Ok((Columns { id: 0, text: 1, title: None, count }, false)),
            3 => Ok((Columns { id: 0, text: 1, title: Some(2), count }, false)),
            _ => Err(self
                .lines
                .error("tab-separated id, text and title, or a header with them", fields(count))),
        }
    }
}

impl PassageSource for TablePassages {
    fn error(&self, expected: String, got: String) -> Error {
        self.lines.error(expected, got)
    }

    fn read(&mut self, passage: &mut Passage) -> Result<bool, Error> {
        let columns = loop {
            if !self.row.advance(&mut self.lines)? {
                return Ok(false);
            }
            if let Some(columns) = self.columns {
                break columns;
            }
            let (columns, is_header) = self.find_columns()?;
            self.columns = Some(columns);
            if !is_header {
                break columns;
            }
        };
        if self.row.len() != columns.count {
            let expected = format!("{} like the first line", fields(columns.count));
            return Err(self.lines.error(expected, fields(self.row.len())));
        }
        let text = self.lines.text()?;
        passage.id.clear();
        self.row.push_to(&mut passage.id, text, columns.id);
        if passage.id.is_empty() {
            return Err(self.lines.error("an id", "an empty one"));
        }
        passage.text.clear();
        self.row.push_to(&mut passage.text, text, columns.text);
        let title = passage.title.get_or_insert_default();
        title.clear();
        if let Some(column) = columns.title {
            self.row.push_to(title, text, column);
        }
        if title.is_empty() {
            passage.title = None;
        }
        Ok(true)
    }
}

/// Describes a number of fields for error messages.
fn fields(count: usize) -> String {
    format!("{count} tab-separated {}", if count == 1 { "field" } else { "fields" })
}

/// Reads rows of a question and a list of answers, such as `["answer", …]`. The id is the number of the row, from 0.
pub(crate) struct TableQuestions {
    lines: Lines,
    row: Row,
    next_row: u64,
}

impl TableQuestions {
    pub fn new(lines: Lines) -> Self {
        Self { lines, row: Row::default(), next_row: 0 }
    }
}

impl QuestionSource for TableQuestions {
    fn read(&mut self) -> Result<Option<Question>, Error> {
        const EXPECTED: &str = "a question, a tab and a list of answers";
        if !self.row.advance(&mut self.lines)? {
            return Ok(None);
        }
        let id = self.next_row.to_string();
        self.next_row += 1;
        let line = self.lines.text()?;
        if self.row.len() != 2 {
            return Err(self.lines.error(EXPECTED, fields(self.row.len())));
        }
        let answers = self.row.field(line, 1);
        let answers = parse_answers(&answers)
            .map_err(|reason| self.lines.error(EXPECTED, format!("{reason} in {}", quoted(&answers))))?;
        let text = self.row.field(line, 0);
        Ok(Some(Question { id, text, answers, ..Question::default() }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::tests::lines_of;

    fn passages_of(content: &str) -> Vec<Result<Passage, String>> {
        let (lines, _file) = lines_of(content.as_bytes());
        let (mut source, mut passage, mut found) =
            (TablePassages::new(lines), Passage::default(), Vec::new());
        loop {
            match source.read(&mut passage) {
                Ok(false) => return found,
                Ok(true) => found.push(Ok(passage.clone())),
                Err(error) => found.push(Err(error.to_string())),
            }
        }
    }

    fn passage(id: &str, text: &str, title: Option<&str>) -> Result<Passage, String> {
        Ok(Passage { id: id.to_owned(), text: text.to_owned(), title: title.map(str::to_owned) })
    }

    #[test]
    fn a_header_names_the_columns_and_is_not_a_passage() {
        assert_eq!(
            passages_of("id\ttext\ttitle\n1\t\"a \"\"b\"\"\"\tT\n2\tc\t\n"),
            [passage("1", "a \"b\"", Some("T")), passage("2", "c", None),]
        );
        assert_eq!(passages_of("title\tid\ttext\nT\t7\ta"), [passage("7", "a", Some("T"))]);
        assert_eq!(passages_of("7\ta\tT"), [passage("7", "a", Some("T"))]);
        assert_eq!(passages_of("7\ta"), [passage("7", "a", None)]);
    }

    #[test]
    fn a_row_without_id_or_with_another_number_of_fields_is_refused_and_the_next_is_read() {
        let found = passages_of("id\ttext\ttitle\n1\ta\n\tb\tT\n2\tc\tT\n");
        let errors: Vec<_> = found.iter().filter_map(|result| result.as_ref().err()).collect();
        assert!(errors[0].ends_with(
            ":2: expected 3 tab-separated fields like the first line, got 2 tab-separated fields"
        ));
        assert!(errors[1].ends_with(":3: expected an id, got an empty one"), "{errors:?}");
        assert_eq!(found[2], passage("2", "c", Some("T")));
    }

    #[test]
    fn questions_are_numbered_by_row_even_after_an_invalid_row() {
        let (lines, _file) = lines_of(b"a?\t['x']\nb?\tnone\n\"c \"\"?\"\"\"\t\"[\"\"y\"\"]\"\n");
        let mut source = TableQuestions::new(lines);
        let first = source.read().expect("valid").expect("present");
        assert_eq!(
            (first.id.as_str(), first.text.as_str(), first.answers),
            ("0", "a?", vec!["x".to_owned()])
        );
        let error = source.read().expect_err("invalid").to_string();
        assert!(
            error.ends_with(
                ":2: expected a question, a tab and a list of answers, got not a list in \"none\""
            )
        );
        let third = source.read().expect("valid").expect("present");
        assert_eq!(
            (third.id.as_str(), third.text.as_str(), third.answers),
            ("2", "c \"?\"", vec!["y".to_owned()])
        );
    }
}
