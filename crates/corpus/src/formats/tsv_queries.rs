//! Tab-separated queries: an id and a text per line.

use crate::Error;
use crate::error::quoted;
use crate::formats::source::QuestionSource;
use crate::input::Lines;
use crate::types::Question;

/// Reads lines of `id`, tab, `text`. Quotes are part of the text. A first line with the usual names of the columns,
/// such as `qid` and `query`, is skipped.
pub(crate) struct TsvQueries {
    lines: Lines,
    is_first: bool,
}

impl TsvQueries {
    pub fn new(lines: Lines) -> Self {
        Self { lines, is_first: true }
    }
}

impl QuestionSource for TsvQueries {
    fn read(&mut self) -> Result<Option<Question>, Error> {
        while self.lines.advance_to_text()? {
            let line = self.lines.text()?;
            let is_first = std::mem::take(&mut self.is_first);
            let fields = line.split_once('\t').map(|(id, text)| (id.trim(), text.trim()));
            let Some((id, text)) =
                fields.filter(|(id, text)| !id.is_empty() && !text.is_empty() && !text.contains('\t'))
            else {
                return Err(self.lines.error("an id, a tab and a text", quoted(line)));
            };
            let is_header = ["id", "_id", "qid", "query_id", "query-id"].contains(&id)
                && ["text", "query", "question"].contains(&text);
            if !(is_first && is_header) {
                return Ok(Some(Question {
                    id: id.to_owned(),
                    text: text.to_owned(),
                    ..Question::default()
                }));
            }
        }
        Ok(None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::tests::lines_of;
    use proptest::prelude::*;

    /// Returns the id and the text of each question, or the message of the error in its place.
    fn read_all(mut source: impl QuestionSource) -> Vec<Result<(String, String), String>> {
        let mut found = Vec::new();
        loop {
            match source.read() {
                Ok(None) => return found,
                Ok(Some(question)) => found.push(Ok((question.id, question.text))),
                Err(error) => found.push(Err(error.to_string())),
            }
        }
    }

    #[test]
    fn quotes_are_part_of_the_query_and_invalid_lines_are_refused() {
        let (lines, _file) = lines_of(b"qid\tquery\n1\t\"quoted\" and\r\n2\t\"whole\"\n3\n4\ta\tb\n");
        let found = read_all(TsvQueries::new(lines));
        assert_eq!(found[0], Ok(("1".into(), "\"quoted\" and".into())));
        assert_eq!(found[1], Ok(("2".into(), "\"whole\"".into())));
        assert!(
            found[2]
                .as_ref()
                .is_err_and(|error| error.ends_with(":4: expected an id, a tab and a text, got \"3\""))
        );
        assert!(found[3].is_err());
    }

    proptest! {
        #[test]
        fn any_text_is_read_without_a_panic(text in "[id\t\n é]*") {
            read_all(TsvQueries::new(lines_of(text.as_bytes()).0));
        }
    }
}
