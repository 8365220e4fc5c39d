//! Questions as JSON objects, one per line or in one array.

use serde::Deserialize;

use crate::Error;
use crate::formats::source::QuestionSource;
use crate::json::{Answers, Context, First, Id, JsonRecords, Text};
use crate::types::Question;

/// Reads questions from JSON objects with the field names of DPR, Pyserini, BEIR or WebQuestions. A question without an
/// id gets its position in the file, from 0, as its id. For training examples of DPR, the context is the first positive
/// passage.
pub(crate) struct JsonQuestions {
    records: JsonRecords,
    /// The property that has the ids of gold passages.
    gold_field: Option<String>,
    next_position: u64,
}

/// The JSON object of a question, with the fields of all data sets.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Object<'a> {
    #[serde(borrow, rename = "_id")]
    beir_id: Option<Id<'a>>,
    #[serde(borrow)]
    id: Option<Id<'a>>,
    #[serde(borrow)]
    q_id: Option<Id<'a>>,
    #[serde(borrow)]
    question: Option<Text<'a>>,
    #[serde(borrow)]
    q_text: Option<Text<'a>>,
    #[serde(borrow)]
    text: Option<Text<'a>>,
    answers: Option<Answers>,
    answer: Option<Answers>,
    #[serde(borrow, rename = "positive_ctxs")]
    positives: Option<First<Context<'a>>>,
    #[serde(borrow)]
    context: Option<Context<'a>>,
}

impl JsonQuestions {
    /// `gold_field` names the property with the id of the gold passage or a list of ids.
    pub fn new(records: JsonRecords, gold_field: Option<String>) -> Self {
        Self { records, gold_field, next_position: 0 }
    }

    /// Returns the ids of the current question's gold passages; empty if it lacks the property, or if it is null.
    fn gold_ids(&self) -> Result<Vec<String>, Error> {
        let Some(field) = &self.gold_field else { return Ok(Vec::new()) };
        let expected = format!("a JSON object whose property {field:?} is a passage id or a list of them");
        let mut object: serde_json::Map<String, serde_json::Value> = self.records.parse(&expected)?;
        let value = object.remove(field).unwrap_or_default();
        // An answer is a string or a number, and so is an id.
        let Answers(ids) =
            serde_json::from_value(value).map_err(|error| self.records.error(expected, error.to_string()))?;
        Ok(ids)
    }
}

impl QuestionSource for JsonQuestions {
    fn read(&mut self) -> Result<Option<Question>, Error> {
        const EXPECTED: &str = "a JSON object with \"question\" and \"answers\" or \"_id\" and \"text\"";
        if !self.records.advance()? {
            return Ok(None);
        }
        let position = self.next_position;
        self.next_position += 1;
        let object: Object = self.records.parse(EXPECTED)?;
        let text = object.question.or(object.q_text).or(object.text);
        let Text(text) = text.ok_or_else(|| self.records.error(EXPECTED, "no question"))?;
        let id = object.id.or(object.beir_id).or(object.q_id);
        let id = id.map_or_else(|| position.to_string(), |Id(id)| id.into_owned());
        if id.is_empty() {
            return Err(self.records.error("an id", "an empty one"));
        }
        let Answers(answers) = object.answers.or(object.answer).unwrap_or_default();
        let positive = object.positives.and_then(|First(positive)| positive);
        let context = object.context.or(positive).map(Context::into_passage);
        let text = text.into_owned();
        Ok(Some(Question { id, text, answers, context, positives: self.gold_ids()? }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::Passage;

    fn questions_of(content: &str) -> Result<Vec<Question>, Error> {
        questions_with_gold(content, None)
    }

    /// Reads all questions of a file with this content.
    fn questions_with_gold(content: &str, gold_field: Option<&str>) -> Result<Vec<Question>, Error> {
        let file = tempfile::NamedTempFile::new().expect("a file");
        std::fs::write(file.path(), content).expect("writable");
        let mut source = JsonQuestions::new(JsonRecords::open(file.path())?, gold_field.map(str::to_owned));
        let mut found = Vec::new();
        while let Some(question) = source.read()? {
            found.push(question);
        }
        Ok(found)
    }

    #[test]
    fn json_lines_and_json_arrays_with_all_field_names_are_read() -> Result<(), Error> {
        let question = |id: &str, answers: &[&str]| Question {
            id: id.to_owned(),
            text: "who?".to_owned(),
            answers: answers.iter().map(|&answer| answer.to_owned()).collect(),
            ..Question::default()
        };
        let lines = "{\"question\": \"who?\", \"answer\": [\"a\", \"b\"]}\n\n{\"id\": 7, \"question\": \"who?\", \"answers\": \"a\"}\n\
                     {\"_id\": \"x\", \"text\": \"who?\", \"metadata\": {\"y\": []}}\n";
        assert_eq!(
            questions_of(lines)?,
            [question("0", &["a", "b"]), question("7", &["a"]), question("x", &[])]
        );
        let array = "[\n {\"qId\": \"q\", \"answers\": [], \"qText\": \"who?\"},\n {\"question\": \"who?\"}]";
        assert_eq!(questions_of(array)?, [question("q", &[]), question("1", &[])]);
        Ok(())
    }

    #[test]
    fn the_first_positive_passage_of_a_training_example_is_the_context() -> Result<(), Error> {
        let line = r#"{"dataset": "nq", "question": "who?", "answers": ["a"], "positive_ctxs": [
            {"title": "T", "text": "a b", "score": 1000, "title_score": 1, "passage_id": "11"}, {"text": "c"}],
            "negative_ctxs": [], "hard_negative_ctxs": [{"title": "", "text": "d", "psg_id": 3}]}"#;
        let context = questions_of(&line.replace('\n', ""))?.remove(0).context.expect("a context");
        assert_eq!(context, Passage { id: "11".into(), title: Some("T".into()), text: "a b".into() });
        Ok(())
    }

    #[test]
    fn the_ids_of_gold_passages_are_read_from_the_property_that_the_caller_names() -> Result<(), Error> {
        let lines = "{\"question\": \"a\", \"gold\": \"p\"}\n{\"question\": \"b\", \"gold\": [1, \"q\"]}\n\
                     {\"question\": \"c\", \"gold\": null}\n{\"question\": \"d\"}";
        let ids = |field| -> Result<Vec<Vec<String>>, Error> {
            let questions = questions_with_gold(lines, field)?;
            Ok(questions.into_iter().map(|question| question.positives).collect())
        };
        assert_eq!(ids(Some("gold"))?, [vec!["p"], vec!["1", "q"], vec![], vec![]]);
        assert_eq!(ids(None)?, vec![Vec::<String>::new(); 4]);
        let error = questions_with_gold("{\"question\": \"a\", \"gold\": {\"id\": 1}}", Some("gold"));
        let message = error.expect_err("no id").to_string();
        assert!(
            message.contains(":1: expected a JSON object whose property \"gold\" is a passage id"),
            "{message}"
        );
        Ok(())
    }

    #[test]
    fn objects_that_are_not_questions_are_refused_with_their_line_numbers() {
        let error = |content| questions_of(content).expect_err("invalid").to_string();
        assert!(
            error("{\"question\": \"a\"}\n{\"answers\": []}").contains(":2: expected a JSON object with")
        );
        assert!(error("{\"question\": 3}").contains("got a number instead of a string at column"));
        assert!(error("[{\"question\": \"a\"},\n\n{\"question\":\n[]}]").contains(":4: "));
    }
}
