//! SQuAD 1.1 and 2.0 (Rajpurkar et al., 2016 and 2018): articles that consist of paragraphs, each with questions.
//!
//! An article is parsed as a whole, but its passages and questions are created one by one. Each passage contains a copy
//! of the title, and each question a copy of its paragraph, so all of them together could take many times the memory of
//! the article.

use std::vec::IntoIter;

use serde::Deserialize;

use super::ids::push_encoded;
use crate::Error;
use crate::formats::source::PassageSource;
use crate::formats::source::QuestionSource;
use crate::input::{BufferedInput, passage_too_long};
use crate::json::{JsonItems, Shape};
use crate::types::{Passage, Question, distinct};

const EXPECTED: &str = "an article with \"title\" and \"paragraphs\"";

/// An article with paragraphs of type `P`.
#[derive(Deserialize)]
struct Article<P> {
    title: String,
    paragraphs: Vec<P>,
}

#[derive(Deserialize)]
struct Paragraph {
    context: String,
}

#[derive(Deserialize)]
struct ParagraphWithQuestions {
    context: String,
    qas: Vec<QuestionEntry>,
}

#[derive(Deserialize)]
struct QuestionEntry {
    id: String,
    question: String,
    #[serde(default)]
    answers: Vec<Answer>,
}

#[derive(Deserialize)]
struct Answer {
    text: String,
}

/// Reads each paragraph as a passage with the id `<title>#<n>`, where `n` is the position of the paragraph in its
/// article, from 0.
pub(crate) struct SquadPassages {
    articles: JsonItems,
    /// Maximum number of bytes of a passage.
    max_passage: usize,
    /// The title of the current article.
    title: String,
    /// The paragraphs of the current article that have not been returned yet, with their positions.
    paragraphs: std::iter::Enumerate<IntoIter<Paragraph>>,
}

/// Reads the questions, with their paragraphs as contexts.
pub(crate) struct SquadQuestions {
    articles: JsonItems,
    /// The title of the current article.
    title: String,
    /// The paragraphs of the current article after the current one, with their positions.
    paragraphs: std::iter::Enumerate<IntoIter<ParagraphWithQuestions>>,
    /// The current paragraph.
    context: Passage,
    /// The questions of the current paragraph that have not been returned yet.
    questions: IntoIter<QuestionEntry>,
}

impl SquadPassages {
    pub fn new(input: BufferedInput, max_passage: usize) -> Self {
        let articles = JsonItems::new(input, Shape::ArrayIn("data"));
        Self { articles, max_passage, title: String::new(), paragraphs: Vec::new().into_iter().enumerate() }
    }
}

impl SquadQuestions {
    pub fn new(input: BufferedInput) -> Self {
        Self {
            articles: JsonItems::new(input, Shape::ArrayIn("data")),
            title: String::new(),
            paragraphs: Vec::new().into_iter().enumerate(),
            context: Passage::default(),
            questions: Vec::new().into_iter(),
        }
    }
}

impl PassageSource for SquadPassages {
    fn error(&self, expected: String, got: String) -> Error {
        self.articles.error(expected, got)
    }

    fn read(&mut self, passage: &mut Passage) -> Result<bool, Error> {
        loop {
            if let Some((number, found)) = self.paragraphs.next() {
                *passage = paragraph(&self.title, number, found.context);
                return Ok(true);
            }
            if !self.articles.advance()? {
                return Ok(false);
            }
            let article: Article<Paragraph> = self.articles.parse(EXPECTED)?;
            // Every passage contains the title.
            if let Some((expected, got)) = passage_too_long("", Some(&article.title), "", self.max_passage) {
                return Err(self.error(expected, got));
            }
            self.title = article.title;
            self.paragraphs = article.paragraphs.into_iter().enumerate();
        }
    }
}

impl QuestionSource for SquadQuestions {
    fn read(&mut self) -> Result<Option<Question>, Error> {
        loop {
            if let Some(entry) = self.questions.next() {
                return Ok(Some(Question {
                    id: entry.id,
                    text: entry.question,
                    answers: distinct(entry.answers.into_iter().map(|answer| answer.text)),
                    context: Some(self.context.clone()),
                    positives: Vec::new(),
                }));
            }
            if let Some((number, found)) = self.paragraphs.next() {
                self.context = paragraph(&self.title, number, found.context);
                self.questions = found.qas.into_iter();
                continue;
            }
            if !self.articles.advance()? {
                return Ok(None);
            }
            let article: Article<ParagraphWithQuestions> = self.articles.parse(EXPECTED)?;
            self.title = article.title;
            self.paragraphs = article.paragraphs.into_iter().enumerate();
        }
    }
}

/// Creates the passage for paragraph `number` of an article.
fn paragraph(title: &str, number: usize, text: String) -> Passage {
    let mut id = String::with_capacity(title.len() + 4);
    push_encoded(&mut id, title.as_bytes());
    id.push('#');
    id.push_str(&number.to_string());
    let mut passage = Passage { id, title: None, text };
    passage.set_title(&title.replace('_', " "));
    passage
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Three articles. The second one, on line 7, has no title.
    const FILE: &str = r#"{"version": "v2.0", "data": [
        {"title": "Super_Bowl 50", "paragraphs": [
            {"context": "First.", "qas": [{"id": "a", "question": "Which?", "answers": [
                {"text": "one", "answer_start": 0}, {"text": "two", "answer_start": 3}, {"text": "one", "answer_start": 0}]}]},
            {"context": "Second.", "qas": [{"id": "b", "question": "Not?", "is_impossible": true,
                "answers": [], "plausible_answers": [{"text": "x", "answer_start": 0}]}]}]},
        {"paragraphs": []},
        {"title": "Last", "paragraphs": [{"context": "Third.", "qas": []}]}]}"#;

    /// Opens a temporary file with [`FILE`]. The file is removed when the returned guard is dropped.
    fn input() -> (BufferedInput, tempfile::NamedTempFile) {
        let file = tempfile::NamedTempFile::new().expect("a file");
        std::fs::write(file.path(), FILE).expect("writable");
        (BufferedInput::open(file.path()).expect("readable").0, file)
    }

    #[test]
    fn paragraphs_are_passages_and_an_invalid_article_is_reported_with_its_line() {
        let (input, _file) = input();
        let (mut source, mut passage) = (SquadPassages::new(input, 1 << 20), Passage::default());
        let mut read = || source.read(&mut passage).map(|has_passage| has_passage.then(|| passage.clone()));
        let found = read().expect("valid").expect("present");
        assert_eq!(
            found,
            Passage {
                id: "Super_Bowl%2050#0".into(),
                title: Some("Super Bowl 50".into()),
                text: "First.".into()
            }
        );
        assert_eq!(read().expect("valid").expect("present").id, "Super_Bowl%2050#1");
        let error = read().expect_err("no title").to_string();
        assert!(error.contains(":7: expected an article with \"title\""), "{error}");
        assert_eq!(read().expect("valid").expect("present").id, "Last#0");
        assert_eq!(read().expect("the end"), None);
    }

    #[test]
    fn answers_are_distinct_and_unanswerable_questions_have_none() {
        let (input, _file) = input();
        let mut source = SquadQuestions::new(input);
        let first = source.read().expect("valid").expect("present");
        assert_eq!(first.answers, ["one", "two"]);
        let second = source.read().expect("valid").expect("present");
        assert_eq!((second.id.as_str(), second.answers.len()), ("b", 0));
        assert_eq!(second.context.expect("a paragraph").text, "Second.");
    }
}
