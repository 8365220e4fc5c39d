//! Reads and writes rows of tab-separated fields.
//!
//! [`Row`] finds the fields of a row in [`Lines`], without copying them; [`push_row`] writes a row.

use std::ops::Range;

use memchr::{memchr, memchr2};

use crate::Error;
use crate::input::Lines;

/// Maximum size of a row that has a line break in a quoted field, in bytes. A field that would make the row longer does
/// not count as quoted. This bounds the memory and time that an unmatched quote takes.
const MAX_MULTILINE_ROW_BYTES: usize = 1 << 20;

/// Maximum number of fields of a row that are stored. Further fields are only counted, so that a row of millions of
/// tabs takes little memory. No supported table has so many columns.
const MAX_FIELDS: usize = 1 << 10;

/// The tab-separated fields of a row, quoted as in DPR's files.
///
/// A field counts as quoted if it begins with a double quote, has only doubled quotes inside, and ends with a double
/// quote that is followed by a tab or the end of a line. Then its outer quotes are removed, each doubled quote becomes
/// one, and it may contain tabs and line breaks. Every other field is read unchanged. Python's `csv` would remove an
/// unmatched quote at the start of a field and append the following lines to that field; here the quote stays and the
/// field ends at the next tab or at the end of the line. Files that Python's `csv` wrote are read as `csv` reads them,
/// except that rows of only white space are skipped, and that a field with line breaks does not count as quoted if it
/// makes the row longer than [`MAX_MULTILINE_ROW_BYTES`].
#[derive(Debug, Default)]
pub(crate) struct Row {
    /// The first [`MAX_FIELDS`] fields of the row.
    fields: Vec<Field>,
    /// Number of fields of the row, including those that are not in `fields`.
    count: usize,
}

#[derive(Debug)]
struct Field {
    /// Byte range in the current line, without the outer quotes.
    range: Range<usize>,
    is_quoted: bool,
}

impl Row {
    /// Advances `lines` to the next row that is not blank and finds its fields. Returns `false` at the end of the file.
    pub fn advance(&mut self, lines: &mut Lines) -> Result<bool, Error> {
        self.fields.clear();
        self.count = 0;
        if !lines.advance_to_text()? {
            return Ok(false);
        }
        let mut at = 0;
        loop {
            let field = match lines.current().get(at) {
                Some(b'"') => read_quoted(lines, at)?,
                _ => None,
            };
            let line = lines.current();
            let (field, end) = field.unwrap_or_else(|| {
                let end = memchr(b'\t', &line[at..]).map_or(line.len(), |tab| at + tab);
                (Field { range: at..end, is_quoted: false }, end)
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

    /// Number of fields that were stored: all fields, unless the row has more than [`MAX_FIELDS`].
    pub fn stored_count(&self) -> usize {
        self.fields.len()
    }

    /// Appends the field at `index` to `string`. `text` must be [`Lines::text`] of the row.
    pub fn push_to(&self, string: &mut String, text: &str, index: usize) {
        let field = &self.fields[index];
        let mut rest = &text[field.range.clone()];
        if field.is_quoted {
            while let Some(at) = memchr(b'"', rest.as_bytes()) {
                string.push_str(&rest[..=at]);
                // Skip the second quote of the pair.
                rest = &rest[at + 2..];
            }
        }
        string.push_str(rest);
    }

    /// Returns the field at `index`. `text` must be [`Lines::text`] of the row.
    pub fn field(&self, text: &str, index: usize) -> String {
        let mut string = String::with_capacity(self.fields[index].range.len());
        self.push_to(&mut string, text, index);
        string
    }
}

/// Reads the quoted field that begins at byte `start` of the current line. Returns the field and the byte offset after
/// its closing quote, or `None` if the field is not quoted. Extends the current line if the field contains line breaks.
fn read_quoted(lines: &mut Lines, start: usize) -> Result<Option<(Field, usize)>, Error> {
    let extent = lines.extent();
    let mut at = start + 1;
    loop {
        let line = lines.current();
        match memchr(b'"', &line[at..]) {
            None => {
                // The search for the closing quote continues at the line break, which `current` leaves out until the
                // next line has been joined.
                at = line.len();
                if !lines.extend(MAX_MULTILINE_ROW_BYTES)? {
                    break;
                }
            }
            Some(quote) => match line.get(at + quote + 1) {
                Some(b'"') => at += quote + 2,
                None | Some(b'\t') => {
                    let end = at + quote;
                    return Ok(Some((Field { range: start + 1..end, is_quoted: true }, end + 1)));
                }
                Some(_) => break,
            },
        }
    }
    lines.retract(extent);
    Ok(None)
}

/// Appends a field, quoted if necessary.
fn push_field(row: &mut String, field: &str) {
    let has_special_byte =
        |bytes: &[u8]| memchr2(b'\t', b'"', bytes).or(memchr2(b'\n', b'\r', bytes)).is_some();
    // Without quotes, a row in which all fields are white space would be read as a blank line.
    let is_blank = !field.is_empty() && field.trim_ascii().is_empty();
    if !is_blank && !has_special_byte(field.as_bytes()) {
        row.push_str(field);
        return;
    }
    row.push('"');
    row.push_str(&field.replace('"', "\"\""));
    row.push('"');
}

/// Appends a row of fields, without its line break, so that [`Row`] and Python's `csv` read it back. There are two
/// exceptions for `Row`: it skips a row of empty fields as a blank line, and does not read back a row that has line
/// breaks in its fields and is longer than [`MAX_MULTILINE_ROW_BYTES`].
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

    /// Returns the fields of all rows of a file with this content.
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
    fn an_unmatched_quote_stays_in_its_field_and_does_not_affect_others() {
        assert_eq!(rows_of(b"\"Air\" was by whom?\ta\n"), [["\"Air\" was by whom?", "a"]]);
        assert_eq!(rows_of(b"1\t\"open\tx\n2\t\"good\"\ty\n"), [["1", "\"open", "x"], ["2", "good", "y"]]);
        assert_eq!(rows_of(b"6\" nails\tb\n"), [["6\" nails", "b"]]);
        assert_eq!(rows_of(b"\"a\nb\"\t\"open\n\"x\" y"), [vec!["a\nb", "\"open"], vec!["\"x\" y"]]);
    }

    proptest! {
        #[test]
        fn rows_written_by_a_csv_writer_or_by_push_field_are_read_back(
            rows in prop::collection::vec(prop::collection::vec("[ab\t\"\n\r ,ü]{0,6}", 2), 1..8),
        ) {
            let mut writer = csv::WriterBuilder::new().delimiter(b'\t').from_writer(Vec::new());
            let mut written = String::new();
            for row in &rows {
                writer.write_record(row).expect("memory is writable");
                push_field(&mut written, &row[0]);
                written.push('\t');
                push_field(&mut written, &row[1]);
                written.push('\n');
            }
            // Blank lines are not rows. A row of empty fields is a blank line, and so is a row of spaces without
            // quotes. The csv writer writes spaces without quotes; `push_field` quotes them.
            let rows_containing = |is_wanted: fn(char) -> bool| -> Vec<Vec<String>> {
                rows.iter().filter(|row| row.concat().contains(is_wanted)).cloned().collect()
            };
            let read_back = rows_of(&writer.into_inner().expect("memory is writable"));
            prop_assert_eq!(read_back, rows_containing(|c| c != ' '));
            prop_assert_eq!(rows_of(written.as_bytes()), rows_containing(|_| true));
        }

        #[test]
        fn any_bytes_are_read_without_a_panic(content in prop::collection::vec(prop::sample::select(b"\"\"\"\t\na\xff\r".to_vec()), 0..60)) {
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
