//! The result of [`read_run`](crate::read_run): the readings of questions, and the answers that follow from them. A
//! reading is what the reader model returned for one question and one passage.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use control::Control;
use ranking::Run;
use reading::{AcceptedAnswers, AnsweredQuestion, BestAnswer, QuestionReadings, Scoring};

use crate::Error;

/// The readings of the questions that were passed to [`read_run`](crate::read_run), in the same order.
#[derive(Debug)]
pub struct RunReadings {
    /// Ids of the questions.
    ids: Vec<String>,
    /// Positions of the questions by their ids.
    positions: HashMap<String, usize>,
    /// `[questions]`: the readings of each question.
    readings: Vec<QuestionReadings>,
    /// The run whose hits were read.
    run: Arc<Run>,
}

/// The best answer to a question of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct RunAnswer<'a> {
    /// Position of the question in [`RunReadings::questions`].
    pub question: usize,
    /// Id of the passage that has the answer.
    pub passage_id: &'a str,
    /// The answer.
    pub answer: BestAnswer<'a>,
}

impl RunReadings {
    /// Takes the ids and the readings of questions, in the same order. The passages of a question are its first hits in
    /// `run`.
    pub(crate) fn new(ids: Vec<String>, readings: Vec<QuestionReadings>, run: Arc<Run>) -> Self {
        let positions = ids.iter().enumerate().map(|(at, id)| (id.clone(), at)).collect();
        Self { ids, positions, readings, run }
    }

    /// Returns the readings of each question.
    #[must_use]
    pub fn questions(&self) -> &[QuestionReadings] {
        &self.readings
    }

    /// Returns the best answer to each question at the given positions. Questions without an answer are left out. Only
    /// the first `passage_count` passages of each question count. Positions at which there is no question are ignored.
    ///
    /// # Errors
    ///
    /// If a weight of the scoring is not finite, or the work is canceled.
    pub fn answers(
        &self,
        questions: Range<usize>,
        scoring: Scoring,
        passage_count: usize,
        control: &Control,
    ) -> Result<Vec<RunAnswer<'_>>, Error> {
        let first = questions.start.min(self.readings.len());
        let selected = &self.readings[first..questions.end.clamp(first, self.readings.len())];
        let best = reading::best_answers(selected, scoring, passage_count, control)?;
        let answers = (first..).zip(best).filter_map(|(question, answer)| {
            let answer = answer?;
            let hits = self.run.get(&self.ids[question]).unwrap_or_default();
            Some(RunAnswer { question, passage_id: &hits[answer.passage].id, answer })
        });
        Ok(answers.collect())
    }

    /// Joins questions, given as ids with accepted answers, with their readings. If `has_patterns`, the accepted
    /// answers are regular expressions.
    ///
    /// # Errors
    ///
    /// [`Error::Argument`] if there are questions and readings, but none of the questions has readings.
    pub fn answered<'a>(
        &'a self,
        questions: &'a [(String, Vec<String>)],
        has_patterns: bool,
    ) -> Result<Vec<AnsweredQuestion<'a>>, Error> {
        let answered: Vec<AnsweredQuestion<'a>> = questions
            .iter()
            .map(|(id, accepted)| AnsweredQuestion {
                readings: self.positions.get(id).map(|&at| &self.readings[at]),
                accepted: if has_patterns {
                    AcceptedAnswers::Patterns(accepted)
                } else {
                    AcceptedAnswers::Texts(accepted)
                },
            })
            .collect();
        match (questions.first(), self.ids.first()) {
            (Some((asked, _)), Some(known))
                if answered.iter().all(|question| question.readings.is_none()) =>
            {
                let message = format!(
                    "questions: expected at least one that was read, got none: the readings begin with \"{known}\", \
                     the questions with \"{asked}\""
                );
                Err(Error::Argument { message })
            }
            _ => Ok(answered),
        }
    }
}
