//! Training of the question encoder alone, for fixed passage vectors.

use control::Control;
use transformer::Text;

use crate::Error;
use crate::encoder::{Compared, EncoderOptions, EncoderTrainer, VectorObjective};
use crate::engine::{Plan, StepReport};
use crate::loss::marginal_nll_loss;

/// Questions, and the vectors of the passages that all of them are compared with.
#[derive(Debug, Clone)]
pub struct QuestionBatch<'a> {
    /// The questions.
    pub questions: Vec<Text<'a>>,
    /// The vectors of the passages, `[passages, dim]`.
    pub passages: &'a [f32],
    /// The positive passages of each question, at least one.
    pub positives: &'a [Vec<u32>],
}

impl EncoderTrainer {
    /// Makes a step that changes only the question encoder. The loss is [`marginal_nll_loss`]; the option `loss` has
    /// no effect. Returns the report of the step, and the number of questions for which a positive passage was more
    /// similar than every passage that is not positive.
    ///
    /// # Errors
    ///
    /// [`Error::Batch`] if a question cannot be encoded, a vector has another dimension, or positive passages are
    /// invalid; [`Error::NotFinite`]; [`Error::Canceled`]. After an error, the parameters are those before the step.
    pub fn step_questions(
        &mut self,
        batch: &QuestionBatch<'_>,
        control: &Control,
    ) -> Result<(StepReport, usize), Error> {
        self.check(batch)?;
        let plan = Plan::new(&batch.questions, &[(0, 0..batch.questions.len())]);
        let mut objective = self.question_objective(batch);
        let report = self.engine.step(&plan, &batch.questions, control, &mut objective)?;
        Ok((report, objective.correct))
    }

    /// Computes the loss of a batch and the gradients of the question encoder in the next step of
    /// [`step_questions`](Self::step_questions), in the form of its weights. Makes no optimizer step.
    ///
    /// # Errors
    ///
    /// Same as [`step_questions`](Self::step_questions).
    pub fn question_gradients(
        &mut self,
        batch: &QuestionBatch<'_>,
        control: &Control,
    ) -> Result<(f32, transformer::weights::Weights), Error> {
        self.check(batch)?;
        let plan = Plan::new(&batch.questions, &[(0, 0..batch.questions.len())]);
        let mut objective = self.question_objective(batch);
        let (loss, _) = self.engine.differentiate(&plan, &batch.questions, control, &mut objective)?;
        let (model, gradients) = (&self.engine.models[0], &self.engine.gradients()[0]);
        Ok((loss, gradients.values().to_weights(model.network.shape())))
    }

    fn question_objective<'a>(
        &self,
        batch: &'a QuestionBatch<'_>,
    ) -> VectorObjective<impl FnMut(&[f32]) -> Compared + Sync + use<'a>> {
        let (options, dim) = (self.options, self.dim());
        let compare = move |vectors: &[f32]| compare(options, batch, dim, vectors);
        VectorObjective { options, dim, compare, correct: 0 }
    }

    fn check(&self, batch: &QuestionBatch<'_>) -> Result<(), Error> {
        let fail = |what: &str, expected: String, got: String| {
            Err(Error::Batch { what: what.to_owned(), expected, got })
        };
        let (questions, dim) = (batch.questions.len(), self.dim());
        if questions == 0 {
            return fail("batch", "at least 1 question".to_owned(), "0 questions".to_owned());
        }
        if batch.positives.len() != questions {
            let expected = format!("one list per question, {questions}");
            return fail("positives", expected, batch.positives.len().to_string());
        }
        if !batch.passages.len().is_multiple_of(dim) {
            let expected = format!("vectors of {dim} values");
            return fail("passages", expected, format!("{} values", batch.passages.len()));
        }
        let passages = batch.passages.len() / dim;
        if let Some(at) = batch.positives.iter().position(Vec::is_empty) {
            let got = format!("none for question {at}");
            return fail("positives", "at least 1 passage per question".to_owned(), got);
        }
        match batch.positives.iter().flatten().find(|passage| **passage as usize >= passages) {
            Some(got) => fail("positives", format!("passages below {passages}"), got.to_string()),
            None => Ok(()),
        }
    }
}

/// Compares the vectors of questions with those of the passages.
fn compare(
    EncoderOptions { similarity, scale, .. }: EncoderOptions,
    QuestionBatch { passages, positives, .. }: &QuestionBatch<'_>,
    dim: usize,
    questions: &[f32],
) -> Compared {
    let passage_count = passages.len() / dim;
    let similarities = similarity.forward(questions, passages, dim, scale);
    let rows = similarities.chunks_exact(passage_count).zip(*positives);
    let correct = rows.filter(|(row, positives)| is_correct(row, positives)).count();
    let mut similarity_gradients = similarities.clone();
    let loss = marginal_nll_loss(passage_count, positives, &mut similarity_gradients);
    let (gradients, _) =
        similarity.backward(questions, passages, dim, scale, &similarities, &similarity_gradients);
    Compared { loss, gradients, correct }
}

/// Whether a positive passage has a higher similarity than every passage that is not positive.
fn is_correct(similarities: &[f32], positives: &[u32]) -> bool {
    let mut is_positive = vec![false; similarities.len()];
    positives.iter().for_each(|at| is_positive[*at as usize] = true);
    let best = positives.iter().map(|at| similarities[*at as usize]).fold(f32::NEG_INFINITY, f32::max);
    similarities.iter().zip(is_positive).all(|(value, is_positive)| is_positive || *value < best)
}
