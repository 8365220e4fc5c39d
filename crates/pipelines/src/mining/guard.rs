//! Rejects candidates that would be false negatives: passages that answer a question although they are not labeled as
//! positive.

use std::collections::HashSet;

use corpus::PassageTexts;
use text::{AnswerMatcher, PreparedText, Shingles};

use crate::Error;

/// A question for which negatives are selected.
#[derive(Debug, Clone)]
pub struct MinedQuestion {
    /// Id of the question, which is the id of its query in a run.
    pub id: String,
    /// Finds the accepted answers in a text.
    pub answers: AnswerMatcher,
    /// Ids of the positive passages.
    pub positives: Vec<String>,
    /// Ids of passages that must not be selected for other reasons, such as negatives that were selected before.
    pub excluded: Vec<String>,
    /// Score of the first positive passage in the run, for margins. A candidate has no margin to a positive without a
    /// score, so none is selected.
    pub positive_score: Option<f32>,
}

/// How many candidates were rejected, by the first reason that applied in the order of the fields. Candidates after the
/// last selected negative are not examined.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Rejections {
    /// Passages that are positives of the question.
    pub positives: u32,
    /// Passages with a score outside the limits.
    pub by_score: u32,
    /// Passages with a score too close to that of the positive.
    pub by_margin: u32,
    /// Passages that contain an answer.
    pub with_answer: u32,
    /// Passages whose text equals or nearly equals that of a positive.
    pub duplicates: u32,
}

/// Filters the candidates of one question by their ids and texts.
pub(super) struct Guard<'a> {
    texts: &'a PassageTexts,
    question: &'a MinedQuestion,
    max_overlap: Option<f32>,
    excluded: HashSet<&'a str>,
    /// Texts of the positives, with their shingles if overlaps are limited. Read when the first candidate needs them.
    positives: Option<Vec<(&'a str, Option<Shingles>)>>,
}

impl<'a> Guard<'a> {
    pub fn new(texts: &'a PassageTexts, question: &'a MinedQuestion, max_overlap: Option<f32>) -> Self {
        let excluded = question.excluded.iter().map(String::as_str).collect();
        Self { texts, question, max_overlap, excluded, positives: None }
    }

    /// Whether a candidate is neither a positive nor one of the excluded passages; counts positives as rejected.
    pub fn accepts_id(&self, id: &str, rejections: &mut Rejections) -> bool {
        let is_positive = self.question.positives.iter().any(|positive| positive == id);
        rejections.positives += u32::from(is_positive);
        !is_positive && !self.excluded.contains(id)
    }

    /// Whether the text of a candidate neither contains an answer nor repeats a positive; counts the rejection
    /// otherwise.
    pub fn accepts_text(&mut self, id: &str, rejections: &mut Rejections) -> Result<bool, Error> {
        let text = text_of(self.texts, id)?;
        let prepared = PreparedText::new(text);
        if self.question.answers.matches_prepared(&prepared) {
            rejections.with_answer += 1;
            return Ok(false);
        }
        let max_overlap = self.max_overlap;
        let positives = self.positives()?;
        let mut is_duplicate = positives.iter().any(|(positive, _)| *positive == text);
        if let Some(max_overlap) = max_overlap
            && !is_duplicate
        {
            let shingles = Shingles::new(&prepared);
            let mut positive_shingles = positives.iter().filter_map(|(_, shingles)| shingles.as_ref());
            is_duplicate = positive_shingles.any(|positive| positive.overlap(&shingles) > max_overlap);
        }
        rejections.duplicates += u32::from(is_duplicate);
        Ok(!is_duplicate)
    }

    fn positives(&mut self) -> Result<&[(&'a str, Option<Shingles>)], Error> {
        if self.positives.is_none() {
            let read = |id: &String| {
                let text = text_of(self.texts, id)?;
                Ok((text, self.max_overlap.map(|_| Shingles::new(&PreparedText::new(text)))))
            };
            self.positives = Some(self.question.positives.iter().map(read).collect::<Result<_, Error>>()?);
        }
        Ok(self.positives.as_deref().unwrap_or_default())
    }
}

/// Returns the text of a passage. Fails if the corpus does not have it.
pub(super) fn text_of<'a>(texts: &'a PassageTexts, id: &str) -> Result<&'a str, Error> {
    let found = texts.get(id)?.ok_or_else(|| {
        let message = format!(
            "passages: expected every hit and every positive to be a passage of the corpus, got \"{id}\""
        );
        Error::Argument { message }
    })?;
    Ok(found.text)
}
