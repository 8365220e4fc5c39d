use std::ops::Range;

use memchr::{memchr, memchr2};

use crate::Error;
use crate::input::Lines;

/// No row with a quoted line break is longer than this.
const MAX_ROW: usize = 1 << 20;

/// Maximum number of fields that are stored; further fields are only counted. No supported table has more columns.
const MAX_FIELDS: usize = 1 << 10;

/// The tab-separated fields of a row, quoted as DPR's files are.
///
/// A field that begins with a double quote, ends with one before the next tab or the end of a line, and has
/// only doubled quotes between is quoted: the outer quotes go, the inner ones are halved, tabs and line breaks
/// inside belong to it. Every other field is taken as it stands, so a stray quote neither disappears nor
/// swallows the lines behind it, as it would with Python's `csv`; what `csv` writes is read alike.
#[derive(Debug, Default)]
pub(crate) struct Row {
    /// The first [`MAX_FIELDS`] fields of the row.
    fields: Vec<Field>,
    count: usize,
}

#[derive(Debug)]
struct Field {
    /// Within the current line; of a quoted field, between its quotes.
    range: Range<usize>,
    quoted: bool,
}

impl Row {
    /// Moves `lines` to the next row that is more than white space and finds its fields; `false` at the end.
    pub fn advance(&mut self, lines: &mut Lines) -> Result<bool, Error> {
        self.fields.clear();
        self.count = 0;
        if !lines.advance_to_text()? {
            return Ok(false);
        }
        let mut at = 0;
        loop {
            let field = match lines.current().get(at) {
                Some(b'"') => quoted(lines, at)?,
                _ => None,
            };
            let line = lines.current();
            let (field, end) = field.unwrap_or_else(|| {
                let end = memchr(b'\t', &line[at..]).map_or(line.len(), |tab| at + tab);
                (Field { range: at..end, quoted: false }, end)
            });
            if self.fields.len() < MAX_FIELDS {
                self.fields.push(field);
            }
            self.count += 1;
            if end == line.len() {
                return Ok(true);
            }
            at = end + 1;
        }
    }

    /// Number of fields.
    pub fn len(&self) -> usize {
        self.count
    }

    /// Number of fields that can be read: all, unless the row has more than [`MAX_FIELDS`].
    pub fn kept(&self) -> usize {
        self.fields.len()
    }

    /// Appends field `index` of `text`, the row's lines.
    pub fn push_to(&self, string: &mut String, text: &str, index: usize) {
        let field = &self.fields[index];
        let mut rest = &text[field.range.clone()];
        if field.quoted {
            while let Some(at) = memchr(b'"', rest.as_bytes()) {
                string.push_str(&rest[..=at]);
                // The second quote of the pair.
                rest = &rest[at + 2..];
            }
        }
        string.push_str(rest);
    }

    /// Field `index` of `text`, the row's lines.
    pub fn field(&self, text: &str, index: usize) -> String {
        let mut string = String::with_capacity(self.fields[index].range.len());
        self.push_to(&mut string, text, index);
        string
    }
}

/// The quoted field that begins at `start` and where it ends, outer quote included; joins lines to the current
/// one as far as the field reaches.
fn quoted(lines: &mut Lines, start: usize) -> Result<Option<(Field, usize)>, Error> {
    let span = lines.span();
    let mut at = start + 1;
    loop {
        let line = lines.current();
        match memchr(b'"', &line[at..]) {
            None => {
                // The line break between, which `current` hid, has no quotes.
                at = line.len();
                if !lines.extend(MAX_ROW)? {
                    break;
                }
            }
            Some(quote) => match line.get(at + quote + 1) {
                Some(b'"') => at += quote + 2,
                None | Some(b'\t') => {
                    let end = at + quote;
                    return Ok(Some((Field { range: start + 1..end, quoted: true }, end + 1)));
                }
                Some(_) => break,
            },
        }
    }
    lines.retract(span);
    Ok(None)
}

/// Appends a field, quoted if it must be.
fn push_field(row: &mut String, field: &str) {
    let special = |bytes: &[u8]| memchr2(b'\t', b'"', bytes).or(memchr2(b'\n', b'\r', bytes)).is_some();
    // A row of nothing but white space would be taken for a blank line.
    let blank = !field.is_empty() && field.trim_ascii().is_empty();
    if !blank && !special(field.as_bytes()) {
        row.push_str(field);
        return;
    }
    row.push('"');
    row.push_str(&field.replace('"', "\"\""));
    row.push('"');
}

/// Appends a row of fields, without its line break, so that [`Row`] and Python's `csv` read it back.
pub(crate) fn push_row(line: &mut String, fields: &[&str]) {
    for (at, field) in fields.iter().enumerate() {
        if at > 0 {
            line.push('\t');
        }
        push_field(line, field);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::tests::lines_of;
    use proptest::prelude::*;

    fn rows_of(content: &[u8]) -> Vec<Vec<String>> {
        let (mut lines, _file) = lines_of(content);
        let (mut row, mut rows) = (Row::default(), Vec::new());
        while row.advance(&mut lines).expect("readable") {
            let text = lines.text().expect("UTF-8");
            rows.push((0..row.len()).map(|index| row.field(text, index)).collect());
        }
        rows
    }

    #[test]
    fn quoted_fields_lose_their_quotes_and_may_span_lines() {
        assert_eq!(rows_of(b"1\t\"a \"\"b\"\"\tc\r\nd\"\te\r\n"), [["1", "a \"b\"\tc\r\nd", "e"]]);
        assert_eq!(rows_of(b"\"\"\t\"\"\"\"\tx"), [["", "\"", "x"]]);
    }

    #[test]
    fn stray_quotes_stay_and_keep_to_their_field() {
        assert_eq!(rows_of(b"\"Air\" was by whom?\ta\n"), [["\"Air\" was by whom?", "a"]]);
        assert_eq!(rows_of(b"1\t\"open\tx\n2\t\"good\"\ty\n"), [["1", "\"open", "x"], ["2", "good", "y"]]);
        assert_eq!(rows_of(b"6\" nails\tb\n"), [["6\" nails", "b"]]);
        assert_eq!(rows_of(b"\"a\nb\"\t\"open\n\"x\" y"), [vec!["a\nb", "\"open"], vec!["\"x\" y"]]);
    }

    proptest! {
        #[test]
        fn what_a_csv_writer_writes_comes_back(
            rows in prop::collection::vec(prop::collection::vec("[ab\t\"\n\r ,ü]{0,6}", 2), 1..8),
        ) {
            let mut writer = csv::WriterBuilder::new().delimiter(b'\t').from_writer(Vec::new());
            let mut ours = String::new();
            for row in &rows {
                writer.write_record(row).expect("to memory");
                push_field(&mut ours, &row[0]);
                ours.push('\t');
                push_field(&mut ours, &row[1]);
                ours.push('\n');
            }
            // A row of nothing but spaces and tabs counts as blank.
            let kept = |kept: fn(char) -> bool| -> Vec<Vec<String>> {
                rows.iter().filter(|row| row.concat().contains(kept)).cloned().collect()
            };
            prop_assert_eq!(rows_of(&writer.into_inner().expect("to memory")), kept(|c| c != ' '));
            prop_assert_eq!(rows_of(ours.as_bytes()), kept(|_| true));
        }

        #[test]
        fn no_bytes_make_it_panic(content in prop::collection::vec(prop::sample::select(b"\"\"\"\t\na\xff\r".to_vec()), 0..60)) {
            let (mut lines, _file) = lines_of(&content);
            let mut row = Row::default();
            let mut bytes = 0;
            while row.advance(&mut lines).expect("readable") {
                bytes += lines.current().len();
                if let Ok(text) = lines.text() {
                    for index in 0..row.len() {
                        row.field(text, index);
                    }
                }
            }
            prop_assert!(bytes <= content.len());
        }
    }
}
