//! Detects the format of a file from its first bytes. The file name does not matter.

use super::format::{PassageFormat, QuestionFormat};
use crate::Error;
use crate::input::BufferedInput;

/// Maximum number of bytes that are examined.
const MAX_PREFIX_BYTES: usize = 64 << 10;

/// Detects the format of a file of passages. Consumes nothing.
pub(crate) fn passage_format(input: &mut BufferedInput) -> Result<PassageFormat, Error> {
    const EXPECTED: &str = "passages as text, a TSV of id, text and title, JSON lines with \"_id\" and \"text\" or \
                            \"id\" and \"contents\", or SQuAD or PubMedQA JSON";
    input.prefix(MAX_PREFIX_BYTES)?;
    let prefix = prefix(input);
    let refused = |got: String| Error::format(input.path(), EXPECTED, got);
    match prefix.first() {
        None => Err(refused("an empty file".to_owned())),
        Some(b'{') => {
            let keys = Keys::of(prefix);
            let has = |name| keys.outer.iter().any(|key| key == name);
            if has("contents") {
                Ok(PassageFormat::Anserini)
            } else if has("text") && (has("_id") || has("id")) {
                Ok(PassageFormat::Beir)
            } else if has("data") {
                Ok(PassageFormat::Squad)
            } else if keys.has_nested("CONTEXTS") {
                Ok(PassageFormat::PubmedQa)
            } else {
                Err(refused(keys.description()))
            }
        }
        Some(b'[') if matches!(first_in_brackets(prefix), Some(b'{')) => {
            Err(refused("a JSON array of objects".to_owned()))
        }
        // Without this check, all documents would become one text, with their markup.
        Some(b'<') if prefix.get(..5).is_some_and(|tag| tag.eq_ignore_ascii_case(b"<doc>")) => {
            Err(refused("a TREC collection, which begins with <DOC>; convert it to JSON lines".to_owned()))
        }
        Some(_) if is_passage_table(prefix) => Ok(PassageFormat::Dpr),
        Some(_) => check_text(prefix).map(|()| PassageFormat::Text).map_err(refused),
    }
}

/// Detects the format of a file of questions. Consumes nothing.
pub(crate) fn question_format(input: &mut BufferedInput) -> Result<QuestionFormat, Error> {
    const EXPECTED: &str = "questions as a TSV of id and text or of question and answers, JSON objects with \
                            \"question\" and \"answers\" or \"_id\" and \"text\", SQuAD or PubMedQA JSON, or TREC topics";
    input.prefix(MAX_PREFIX_BYTES)?;
    let prefix = prefix(input);
    let refused = |got: String| Error::format(input.path(), EXPECTED, got);
    match prefix.first() {
        None => Err(refused("an empty file".to_owned())),
        Some(b'[') if matches!(first_in_brackets(prefix), None | Some(b'{' | b']')) => {
            Ok(QuestionFormat::DprJson)
        }
        Some(b'<') => Ok(QuestionFormat::Trec),
        Some(b'{') => {
            let keys = Keys::of(prefix);
            let has = |name| keys.outer.iter().any(|key| key == name);
            if has("question") || has("qText") {
                Ok(QuestionFormat::DprJsonl)
            } else if has("text") && (has("_id") || has("id")) {
                Ok(QuestionFormat::Beir)
            } else if has("data") {
                Ok(QuestionFormat::Squad)
            } else if keys.has_nested("QUESTION") {
                Ok(QuestionFormat::PubmedQa)
            } else {
                Err(refused(keys.description()))
            }
        }
        Some(_) => {
            check_text(prefix).map_err(refused)?;
            let line = lines(prefix).next().unwrap_or_default();
            let mut fields = line.split(|&byte| byte == b'\t').skip(1);
            match (fields.next(), fields.next()) {
                // Two fields: if the second is a list of answers, it begins and ends with a bracket. It may be quoted.
                (Some(second), None) => {
                    let second = second.strip_prefix(b"\"").unwrap_or(second).trim_ascii_start();
                    let is_list = matches!(second.first(), Some(b'[' | b'('));
                    let end = second.trim_ascii_end();
                    let end = end.strip_suffix(b"\"").unwrap_or(end).last();
                    let is_list = is_list && matches!(end, Some(b']' | b')'));
                    Ok(if is_list { QuestionFormat::DprCsv } else { QuestionFormat::Tsv })
                }
                _ => Err(refused(format!("a first line {}", quoted_line(line)))),
            }
        }
    }
}

/// Returns the bytes that are examined, without white space at the start.
fn prefix(input: &BufferedInput) -> &[u8] {
    input.data()[..input.data().len().min(MAX_PREFIX_BYTES)].trim_ascii_start()
}

/// Returns the lines of a prefix that are not blank. Leaves out the last line if the end of the prefix may have cut it.
fn lines(prefix: &[u8]) -> impl Iterator<Item = &[u8]> {
    // Only a prefix of the maximum length is cut. White space at the start has been removed, so a prefix of at least
    // half the maximum length is treated as cut.
    let complete = match prefix.iter().rposition(|&byte| byte == b'\n') {
        Some(end) if prefix.len() >= MAX_PREFIX_BYTES / 2 => &prefix[..end],
        _ => prefix,
    };
    let lines = complete.split(|&byte| byte == b'\n').map(|line| line.strip_suffix(b"\r").unwrap_or(line));
    lines.filter(|line| !line.trim_ascii().is_empty())
}

/// Returns whether the prefix looks like a table of passages: its first line is a header with `id` and `text`, or every
/// line has exactly two tabs and the first field of the first line has no space.
fn is_passage_table(prefix: &[u8]) -> bool {
    let mut lines = lines(prefix);
    let Some(first) = lines.next() else { return false };
    let names: Vec<&[u8]> = first.split(|&byte| byte == b'\t').collect();
    if names.contains(&b"id".as_slice()) && names.contains(&b"text".as_slice()) {
        return true;
    }
    let tabs = |line: &[u8]| line.iter().filter(|&&byte| byte == b'\t').count();
    let id_has_space = first.split(|&byte| byte == b'\t').next().is_some_and(|id| id.contains(&b' '));
    tabs(first) == 2 && !id_has_space && lines.all(|line| tabs(line) == 2)
}

/// Fails if a prefix is not UTF-8 text. The error says what was found instead.
fn check_text(prefix: &[u8]) -> Result<(), String> {
    if prefix.contains(&0) {
        return Err("binary data".to_owned());
    }
    match str::from_utf8(prefix) {
        // If there is no `error_len`, the text is valid, except that the end of the prefix has cut a character.
        Err(error) if error.error_len().is_some() => {
            Err(format!("bytes that are not UTF-8, such as 0x{:02x}", prefix[error.valid_up_to()]))
        }
        _ => Ok(()),
    }
}

/// Returns the first byte after the bracket at the start of the prefix, skipping white space.
fn first_in_brackets(prefix: &[u8]) -> Option<u8> {
    prefix[1..].trim_ascii_start().first().copied()
}

/// Quotes a line, which need not be UTF-8, for an error message, with escapes. Cuts the line after 60 bytes.
fn quoted_line(line: &[u8]) -> String {
    let start: Vec<u8> = line.iter().copied().take(60).collect();
    format!("\"{}{}\"", start.escape_ascii(), if start.len() < line.len() { "…" } else { "" })
}

/// The keys of the first JSON object, as far as the prefix contains them.
#[derive(Debug, Default)]
struct Keys {
    /// The keys of the object itself.
    outer: Vec<String>,
    /// The keys of the objects that are values of the object.
    nested: Vec<String>,
}

impl Keys {
    /// Finds the keys in a prefix that begins with an object.
    fn of(prefix: &[u8]) -> Self {
        let mut keys = Self::default();
        let (mut at, mut depth) = (0, 0usize);
        while at < prefix.len() {
            match prefix[at] {
                b'{' | b'[' => depth += 1,
                b'}' | b']' => {
                    depth = depth.saturating_sub(1);
                    if depth == 0 {
                        break;
                    }
                }
                b'"' => {
                    let start = at + 1;
                    at = start;
                    while at < prefix.len() && prefix[at] != b'"' {
                        at += if prefix[at] == b'\\' { 2 } else { 1 };
                    }
                    let is_key =
                        prefix.get(at + 1..).is_some_and(|rest| rest.trim_ascii_start().starts_with(b":"));
                    if is_key && depth <= 2 && at <= prefix.len() {
                        let key = String::from_utf8_lossy(&prefix[start..at]).into_owned();
                        if depth == 1 { keys.outer.push(key) } else { keys.nested.push(key) }
                    }
                }
                _ => {}
            }
            at += 1;
        }
        keys
    }

    /// Returns whether an object that is a value of the object has this key.
    fn has_nested(&self, name: &str) -> bool {
        self.nested.iter().any(|key| key == name)
    }

    /// Lists the first keys, for error messages.
    fn description(&self) -> String {
        let keys: Vec<_> = self.outer.iter().take(8).map(|key| crate::error::quoted(key)).collect();
        format!("JSON with {}", if keys.is_empty() { "no keys".to_owned() } else { keys.join(", ") })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Detects the format of a temporary file with this content.
    fn detect<T>(
        content: &[u8],
        format: impl Fn(&mut BufferedInput) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let file = tempfile::NamedTempFile::new().expect("a file");
        std::fs::write(file.path(), content).expect("writable");
        format(&mut BufferedInput::open(file.path())?.0)
    }

    #[test]
    fn every_format_of_passages_is_detected() {
        for (content, expected) in [
            ("id\ttext\ttitle\n1\ta\tb\n", PassageFormat::Dpr),
            ("1\ta b\tc\n2\td\te", PassageFormat::Dpr),
            ("id\ttext\n1\ta\n", PassageFormat::Dpr),
            ("{\"_id\": \"1\", \"title\": \"\", \"text\": \"a\"}\n", PassageFormat::Beir),
            ("{\"id\": 1, \"contents\": \"a\"}", PassageFormat::Anserini),
            ("\n {\"version\": \"1.1\",\n \"data\": [{\"title\"", PassageFormat::Squad),
            ("{\"7\": {\"QUESTION\": \"a?\", \"CONTEXTS\": [\"b", PassageFormat::PubmedQa),
            ("# Title\n\nSome text.", PassageFormat::Text),
            ("one\ttwo\tthree\nno table", PassageFormat::Text),
            ("[1] A footnote.", PassageFormat::Text),
        ] {
            assert_eq!(
                detect(content.as_bytes(), passage_format).expect("recognized"),
                expected,
                "{content}"
            );
        }
    }

    #[test]
    fn every_format_of_questions_is_detected() {
        for (content, expected) in [
            ("who?\t['a', 'b']\n", QuestionFormat::DprCsv),
            ("who?\t\"[\"\"a\"\"]\"\r\n", QuestionFormat::DprCsv),
            ("12\twho?\n", QuestionFormat::Tsv),
            ("12\t[sic] who?\n", QuestionFormat::Tsv),
            ("[\n {\"qId\": 1", QuestionFormat::DprJson),
            ("{\"question\": \"who?\", \"answer\": [\"text\"]}", QuestionFormat::DprJsonl),
            ("{\"id\": \"1\", \"question\": \"a\", \"answers\": []}", QuestionFormat::DprJsonl),
            ("{\"_id\": \"1\", \"text\": \"a\", \"metadata\": {}}", QuestionFormat::Beir),
            ("{\"data\": [{\"paragraphs\": [{\"qas\": [{\"question\": \"a\"}]}]}]}", QuestionFormat::Squad),
            ("{\"7\": {\"QUESTION\": \"a?\"}}", QuestionFormat::PubmedQa),
            ("\n<top>\n<num> Number: 1\n", QuestionFormat::Trec),
        ] {
            assert_eq!(
                detect(content.as_bytes(), question_format).expect("recognized"),
                expected,
                "{content}"
            );
        }
    }

    #[test]
    fn the_error_for_an_unknown_format_describes_the_content() {
        let error = |content: &[u8]| detect(content, passage_format).expect_err("unknown").to_string();
        assert!(error(b" \n").ends_with("got an empty file"));
        assert!(error(b"PK\x03\x04\0\0").ends_with("got binary data"));
        assert!(
            error(b"<DOC>\n<DOCNO> 1 </DOCNO>").contains("got a TREC collection, which begins with <DOC>")
        );
        assert!(error(b"caf\xe9 au lait").ends_with("got bytes that are not UTF-8, such as 0xe9"));
        assert!(error(b"{\"name\": \"x\", \"y\": [{\"z\": 1}]}").ends_with("got JSON with \"name\", \"y\""));
        let error = detect(b"just words", question_format).expect_err("unknown").to_string();
        assert!(error.ends_with("got a first line \"just words\""), "{error}");
    }

    proptest! {
        #[test]
        fn any_bytes_are_examined_without_a_panic(content in prop::collection::vec(prop::sample::select(b"{}[]\":,\\\t\n a\xff<".to_vec()), 0..40)) {
            let _ = detect(&content, passage_format);
            let _ = detect(&content, question_format);
        }
    }
}
