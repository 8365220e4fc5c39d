//! Reads TREC topics: queries with a number, a title and descriptions, in a text file with tags like those of HTML.

use std::collections::VecDeque;

use crate::Error;
use crate::error::quoted;
use crate::formats::source::QuestionSource;
use crate::input::{Lines, document_too_long};
use crate::types::Question;

/// The tags of topic files. Anything else in angle brackets is text.
const TAGS: [&str; 15] = [
    "top", "num", "title", "desc", "narr", "dom", "head", "smry", "con", "fac", "def", "nat", "time",
    "query", "note",
];

/// Maximum number of topics on one line. A topic takes much more space in memory than its `<top>` in the file, so the
/// limit on the size of a document does not bound the memory of the topics on a line.
const MAX_TOPICS_PER_LINE: usize = 1 << 16;

/// Reads topics as questions: a topic's number becomes the id, and its title the text. The labels `Number:` and
/// `Topic:` are removed, and each sequence of white space becomes one space.
pub(crate) struct Topics {
    lines: Lines,
    /// The topic whose end has not been read yet.
    topic: Option<Topic>,
    /// Topics that have been read completely, but not returned yet.
    complete: VecDeque<Topic>,
}

/// A topic, as far as it has been read.
#[derive(Default)]
struct Topic {
    /// Number of the line on which the topic begins.
    line: u64,
    /// The field to which the text at the current position belongs.
    field: Field,
    number: String,
    title: String,
    /// Whether number and title together exceeded the limit. If so, they are not stored.
    is_too_long: bool,
}

/// A field of a topic. Only the number and the title are kept.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Field {
    Number,
    Title,
    #[default]
    Other,
}

impl Topics {
    pub fn new(lines: Lines) -> Self {
        Self { lines, topic: None, complete: VecDeque::new() }
    }

    /// Converts a complete topic to a question.
    fn finish(&self, topic: Topic) -> Result<Question, Error> {
        if topic.is_too_long {
            let (expected, got) = document_too_long(self.lines.limit());
            return Err(Error::line(self.lines.path(), topic.line, expected, got));
        }
        let cleaned = |text: &str, label: &str| {
            let text = text.trim();
            let found = text.get(..label.len()).filter(|start| start.eq_ignore_ascii_case(label));
            let text = found.map_or(text, |_| &text[label.len()..]);
            text.split_whitespace().collect::<Vec<_>>().join(" ")
        };
        let id = cleaned(&topic.number, "Number:");
        let text = cleaned(&topic.title, "Topic:");
        if id.is_empty() || text.is_empty() {
            let got = match (id.is_empty(), text.is_empty()) {
                (true, true) => "one with neither".to_owned(),
                (true, false) => "one without <num>".to_owned(),
                _ => format!("topic {id} without <title>"),
            };
            return Err(Error::line(self.lines.path(), topic.line, "a topic with <num> and <title>", got));
        }
        Ok(Question { id, text, ..Question::default() })
    }
}

impl QuestionSource for Topics {
    fn read(&mut self) -> Result<Option<Question>, Error> {
        loop {
            if let Some(topic) = self.complete.pop_front() {
                return self.finish(topic).map(Some);
            }
            if !self.lines.advance_to_text()? {
                return self.topic.take().map(|topic| self.finish(topic)).transpose();
            }
            for part in parts(self.lines.text()?) {
                match part {
                    // A topic without an end tag ends where the next one begins.
                    Part::Tag("top") => {
                        let new = Topic { line: self.lines.number(), ..Topic::default() };
                        self.complete.extend(self.topic.replace(new));
                        if self.complete.len() > MAX_TOPICS_PER_LINE {
                            let expected = format!("at most {MAX_TOPICS_PER_LINE} topics on a line");
                            return Err(self.lines.error(expected, "more"));
                        }
                    }
                    Part::Tag("/top") => self.complete.extend(self.topic.take()),
                    Part::Tag(tag) => {
                        if let Some(topic) = &mut self.topic {
                            topic.field = match tag {
                                "num" => Field::Number,
                                "title" => Field::Title,
                                _ => Field::Other,
                            };
                        }
                    }
                    Part::Text(text) => match &mut self.topic {
                        Some(topic) => topic.push(text, self.lines.limit()),
                        // Between topics, text that begins with `<` is taken for an unknown tag, and ignored.
                        None if text.trim().is_empty() || text.trim_start().starts_with('<') => {}
                        None => return Err(self.lines.error("<top>", quoted(text))),
                    },
                }
            }
        }
    }
}

impl Topic {
    /// Appends text to the current field. `limit` is the maximum number of bytes of number and title together.
    fn push(&mut self, text: &str, limit: usize) {
        if self.number.len() + self.title.len() + text.len() > limit && self.field != Field::Other {
            (self.number, self.title) = (String::new(), String::new());
            self.is_too_long = true;
        }
        if self.is_too_long {
            return;
        }
        let field = match self.field {
            Field::Number => &mut self.number,
            Field::Title => &mut self.title,
            Field::Other => return,
        };
        field.push(' ');
        field.push_str(text);
    }
}

/// A part of a line.
enum Part<'a> {
    /// A known tag: the lowercase name of a start tag, `/top`, or `/` for any other end tag.
    Tag(&'static str),
    /// Text between known tags.
    Text(&'a str),
}

/// Splits a line into known tags and the text between them, in linear time.
fn parts(line: &str) -> impl Iterator<Item = Part<'_>> {
    let (mut rest, mut tag) = (Some(line), None);
    std::iter::from_fn(move || {
        if let Some(tag) = tag.take() {
            return Some(Part::Tag(tag));
        }
        let text = rest?;
        let mut at = 0;
        while let Some(open) = text[at..].find('<').map(|found| at + found) {
            let inside = &text[open + 1..];
            // The search for `>` stops at the next `<`, because no tag contains a `<`. This makes the time linear.
            let close = inside.find(['<', '>']).filter(|&close| inside.as_bytes()[close] == b'>');
            if let Some((close, name)) = close.and_then(|close| Some((close, known_tag(&inside[..close])?))) {
                (rest, tag) = (Some(&inside[close + 1..]), Some(name));
                return Some(Part::Text(&text[..open]));
            }
            at = open + 1;
        }
        rest = None;
        Some(Part::Text(text))
    })
}

/// Returns the value of [`Part::Tag`] for the content of a tag, or `None` if the tag is unknown.
fn known_tag(tag: &str) -> Option<&'static str> {
    let tag = tag.trim();
    match tag.strip_prefix('/') {
        Some(name) if name.eq_ignore_ascii_case("top") => Some("/top"),
        Some(name) => TAGS.iter().any(|tag| tag.eq_ignore_ascii_case(name)).then_some("/"),
        None => TAGS.into_iter().find(|known| known.eq_ignore_ascii_case(tag)),
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
    fn topics_in_all_styles_of_trec_are_read() {
        let (lines, _file) = lines_of(
            b"\n<top>\n\n<num> Number: 301 \n<title> International Organized\nCrime < 5 <b>\n\n<desc> Description: \nx\n</top>\n\
              <top>\n<head> Tipster\n<num> Number:  051\n<dom> Domain: Economics\n<title> Topic:  Airbus Subsidies\n<con>\n\
              <top><num>7</num><title>One line</title></top><top><num>8<title>Same</top>\n",
        );
        let found: Vec<_> =
            read_all(Topics::new(lines)).into_iter().map(|topic| topic.expect("valid")).collect();
        let expected = [
            ("301", "International Organized Crime < 5 <b>"),
            ("051", "Airbus Subsidies"),
            ("7", "One line"),
            ("8", "Same"),
        ];
        assert_eq!(found, expected.map(|(id, title)| (id.to_owned(), title.to_owned())));
    }

    #[test]
    fn a_topic_without_title_is_refused_with_the_number_of_its_first_line() {
        let (lines, _file) =
            lines_of(b"<top>\n<num> 1\n<title> a\n</top>\n<top>\n<num> Number: 2\n</top>\nstray\n");
        let found = read_all(Topics::new(lines));
        let errors: Vec<_> = found.iter().filter_map(|found| found.as_ref().err()).collect();
        assert!(
            errors[0].ends_with(":5: expected a topic with <num> and <title>, got topic 2 without <title>")
        );
        assert!(errors[1].ends_with(":8: expected <top>, got \"stray\""), "{errors:?}");
    }

    proptest! {
        #[test]
        fn any_text_is_read_without_a_panic(text in "(<top>|</top>|<num>|<title>|[<>/a\n é])*") {
            read_all(Topics::new(lines_of(text.as_bytes()).0));
        }
    }
}
