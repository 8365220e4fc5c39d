//! Lists of ids in memory and in files.

use std::fmt;
use std::path::Path;

use serde::de::{Deserializer, Error as _, SeqAccess, Visitor};

use crate::Error;

/// A list of ids.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct IdList {
    /// All ids, one after another, so that the list takes one allocation instead of one per id.
    text: String,
    /// Byte offset of the end of each id in `text`.
    ends: Vec<usize>,
}

impl IdList {
    /// Reads a file of ids: a JSON array of strings or integers if it begins with `[`, otherwise text with one id per
    /// line.
    ///
    /// # Errors
    ///
    /// [`Error::Io`] if the file cannot be read. [`Error::Format`] if it is not UTF-8, or begins with `[` but is not
    /// such an array.
    pub fn read(path: &Path) -> Result<Self, Error> {
        storage::check_regular(path).map_err(Error::io("open", path))?;
        let bytes = std::fs::read(path).map_err(Error::io("open", path))?;
        let content = std::str::from_utf8(&bytes).map_err(|error| {
            let at = error.valid_up_to();
            Error::format(path, "ids in UTF-8", format!("the byte 0x{:02x} at {at}", bytes[at]))
        })?;
        let content = content.strip_prefix('\u{feff}').unwrap_or(content);
        if content.trim_start().starts_with('[') {
            let mut deserializer = serde_json::Deserializer::from_str(content);
            let ids = deserializer.deserialize_seq(JsonIds).and_then(|ids| deserializer.end().map(|()| ids));
            return ids.map_err(|error| {
                Error::format(path, "a JSON array of strings or integers", error.to_string())
            });
        }
        let mut ids = Self::default();
        content.lines().for_each(|line| ids.push(line));
        Ok(ids)
    }

    /// Returns the content of a file that [`read`](Self::read) can read: a JSON array if `path` ends in `.json`,
    /// otherwise text with one id per line.
    ///
    /// # Errors
    ///
    /// [`Error::Option`] if the content would be text from which [`read`](Self::read) could not recover all ids, for
    /// example because an id contains a line break.
    pub fn to_file(&self, path: &Path) -> Result<Vec<u8>, Error> {
        let ids = || (0..self.len()).map(|at| self.get(at));
        if path.extension().is_some_and(|extension| extension == "json") {
            return Ok(serde_json::to_vec(&ids().collect::<Vec<_>>()).expect("strings are JSON"));
        }
        // `read` would split an id at a line break, and remove a carriage return at the end.
        let is_ambiguous = |id: &&str| id.contains('\n') || id.ends_with('\r');
        // `read` would take the text for JSON if the first id that is not blank begins with a bracket.
        let bracketed = ids().find(|id| !id.trim().is_empty()).filter(|id| id.trim_start().starts_with('['));
        // `read` would remove a byte order mark at the beginning of the text.
        let marked = ids().next().filter(|id| id.starts_with('\u{feff}'));
        if let Some(id) = ids().find(is_ambiguous).or(bracketed).or(marked) {
            return Err(Error::Option {
                name: "ids",
                expected:
                    "ids without line breaks, the first of which does not begin with a bracket, or a path \
                           that ends in .json"
                        .to_owned(),
                got: format!("\"{}\"", id.escape_debug()),
            });
        }
        let mut text = Vec::with_capacity(self.text.len() + self.len());
        for id in ids() {
            text.extend(id.bytes());
            text.push(b'\n');
        }
        Ok(text)
    }

    /// Appends an id.
    pub fn push(&mut self, id: &str) {
        self.text.push_str(id);
        self.ends.push(self.text.len());
    }

    /// Returns the number of ids.
    #[must_use]
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Returns whether there are no ids.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Returns the id at a position.
    ///
    /// # Panics
    ///
    /// If `at` is not less than [`len`](Self::len).
    #[must_use]
    pub fn get(&self, at: usize) -> &str {
        let start = if at == 0 { 0 } else { self.ends[at - 1] };
        &self.text[start..self.ends[at]]
    }
}

impl<S: AsRef<str>> FromIterator<S> for IdList {
    fn from_iter<I: IntoIterator<Item = S>>(ids: I) -> Self {
        let mut list = Self::default();
        ids.into_iter().for_each(|id| list.push(id.as_ref()));
        list
    }
}

/// Deserializes a JSON array of ids.
struct JsonIds;

impl<'de> Visitor<'de> for JsonIds {
    type Value = IdList;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an array")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<IdList, A::Error> {
        let mut ids = IdList::default();
        while let Some(id) = items.next_element::<serde_json::Value>()? {
            match id {
                serde_json::Value::String(id) => ids.push(&id),
                serde_json::Value::Number(id) if !id.is_f64() => ids.push(&id.to_string()),
                other => return Err(A::Error::custom(format!("{other} at position {}", ids.len()))),
            }
        }
        Ok(ids)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reads the ids of a file with this content; returns an error as its message.
    fn read(content: &[u8]) -> Result<Vec<String>, String> {
        let file = tempfile::NamedTempFile::new().expect("a file");
        std::fs::write(file.path(), content).expect("writable");
        let error = |error: Error| error.to_string().replace(&file.path().display().to_string(), "FILE");
        let ids = IdList::read(file.path()).map_err(error)?;
        Ok((0..ids.len()).map(|at| ids.get(at).to_owned()).collect())
    }

    #[test]
    fn lines_and_json_arrays_are_read() {
        assert_eq!(read(b"\xef\xbb\xbfa\r\nb c\n\nd"), Ok(["a", "b c", "", "d"].map(str::to_owned).to_vec()));
        assert_eq!(
            read(b" [\"a\", 7, -1, \"\\u00e9\"]\n"),
            Ok(["a", "7", "-1", "é"].map(str::to_owned).to_vec())
        );
        assert_eq!(read(b""), Ok(vec![]));
    }

    #[test]
    fn a_file_without_a_list_of_ids_is_refused() {
        let expected = "FILE: expected a JSON array of strings or integers, got";
        assert_eq!(read(b"[\"a\", 1.5]"), Err(format!("{expected} 1.5 at position 1 at line 1 column 10")));
        assert_eq!(read(b"[\"a\""), Err(format!("{expected} EOF while parsing a list at line 1 column 4")));
        assert_eq!(read(b"a\xff"), Err("FILE: expected ids in UTF-8, got the byte 0xff at 1".to_owned()));
    }

    #[test]
    fn a_list_is_written_as_text_only_if_it_is_read_back_unchanged() {
        let text = |ids: &[&str]| ids.iter().collect::<IdList>().to_file(Path::new("ids.txt"));
        for ids in [&["a", "[b"][..], &["", "a", "\u{feff}b"], &[" ", "a"]] {
            let written = text(ids).expect("ids that text can hold");
            assert_eq!(read(&written), Ok(ids.iter().map(|&id| id.to_owned()).collect()));
        }
        for ids in [&["[a", "b"][..], &["", " [a"], &["\u{feff}a"], &["a\nb"], &["a\r"]] {
            assert!(text(ids).is_err(), "{ids:?}");
        }
    }
}
