use std::ops::Range;
use std::sync::Arc;

use control::Control;
use tokenize::{ModelInput, Tokenizer};

use crate::batch::plan;
use crate::{Batch, Error, Session};

/// The outputs of a DPR-shaped reader.
const OUTPUTS: [&str; 3] = ["start_logits", "end_logits", "relevance_logit"];

/// A passage as the reader is given it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReaderPassage<'a> {
    /// The title of its document.
    pub title: Option<&'a str>,
    /// Its text, from which answers are taken.
    pub text: &'a str,
}

/// How much a reader is given at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReaderConfig {
    /// Tokens of an input, special tokens included; longer texts are cut at their end.
    pub max_tokens: usize,
    /// Tokens of the question; longer ones are cut at their end.
    pub max_question_tokens: usize,
    /// Tokens of one run, filling included.
    pub batch_tokens: usize,
}

/// 256 tokens, of which 40 may be the question's.
impl Default for ReaderConfig {
    fn default() -> Self {
        Self { max_tokens: 256, max_question_tokens: 40, batch_tokens: 2048 }
    }
}

/// What the reader says of one passage. The last four vectors are of one length: the tokens of the passage's text.
#[derive(Debug, Clone, PartialEq)]
pub struct PassageLogits {
    /// How much the passage answers the question, as a logit.
    pub relevance: f32,
    /// Logit of an answer's starting at each token.
    pub start: Vec<f32>,
    /// Logit of an answer's ending with each token.
    pub end: Vec<f32>,
    /// Bytes of the text that each token stands for, half-open.
    pub offsets: Vec<Range<u32>>,
    /// Number of the word of each token.
    pub words: Vec<u32>,
}

/// A DPR-shaped extractive reader (Karpukhin et al., 2020, §6.1).
#[derive(Debug)]
pub struct ReaderModel {
    session: Arc<Session>,
    tokenizer: Arc<Tokenizer>,
    config: ReaderConfig,
}

impl ReaderModel {
    /// Joins a session with its tokenizer.
    ///
    /// # Errors
    ///
    /// [`Error::Model`] if the model lacks one of the three outputs; [`Error::Argument`] if the question would
    /// leave fewer than 16 tokens for the passage.
    pub fn new(
        session: Arc<Session>,
        tokenizer: Arc<Tokenizer>,
        config: ReaderConfig,
    ) -> Result<Self, Error> {
        for output in OUTPUTS {
            if !session.outputs().iter().any(|name| name == output) {
                let got = format!("outputs {}", session.outputs().join(", "));
                return Err(Error::model(session.path(), format!("an output \"{output}\""), got));
            }
        }
        let least = config.max_question_tokens + tokenizer.overhead(3) + 16;
        if config.max_tokens < least {
            let (expected, got) = (format!("at least {least}"), config.max_tokens.to_string());
            return Err(Error::Argument { what: "maxTokens", expected, got });
        }
        Ok(Self { session, tokenizer, config })
    }

    /// Reads passages for a question; one entry a passage, in their order. Counts passages as progress.
    ///
    /// # Errors
    ///
    /// [`Error::Tokenize`], [`Error::Run`], [`Error::Cancelled`] between batches.
    pub fn read(
        &self,
        question: &str,
        passages: &[ReaderPassage<'_>],
        control: &Control,
    ) -> Result<Vec<PassageLogits>, Error> {
        let mut question = self.tokenizer.pieces(question)?;
        question.truncate(self.config.max_question_tokens);
        let mut prepared = Vec::with_capacity(passages.len());
        for (at, &passage) in passages.iter().enumerate() {
            control.check()?;
            prepared.push((at, self.prepare(&question.ids, passage)?));
        }
        prepared.sort_by_key(|(_, prepared)| std::cmp::Reverse(prepared.input.ids.len()));
        let lengths: Vec<usize> = prepared.iter().map(|(_, prepared)| prepared.input.ids.len()).collect();
        let mut read: Vec<Option<PassageLogits>> = vec![None; passages.len()];
        for rows in plan(&lengths, self.config.batch_tokens) {
            control.check()?;
            let rows = &mut prepared[rows];
            let inputs: Vec<&ModelInput> = rows.iter().map(|(_, prepared)| &prepared.input).collect();
            let batch = Batch::new(&inputs, self.tokenizer.padding());
            let (count, length) = (batch.rows, batch.length);
            let outputs = self.session.run(batch, &OUTPUTS)?;
            let [start, end, relevance] = outputs.as_slice() else {
                unreachable!("three outputs were asked for")
            };
            let tokens = count * length;
            if start.data.len() != tokens || end.data.len() != tokens || relevance.data.len() != count {
                let got = format!("{:?}, {:?} and {:?}", start.shape, end.shape, relevance.shape);
                let expected = "shapes [batch, sequence], [batch, sequence] and [batch]";
                return Err(Error::model(self.session.path(), expected, got));
            }
            for (row, (at, prepared)) in rows.iter_mut().enumerate() {
                let first = row * length + prepared.text_start;
                let text = first..first + prepared.offsets.len();
                read[*at] = Some(PassageLogits {
                    relevance: relevance.data[row],
                    start: start.data[text.clone()].to_vec(),
                    end: end.data[text].to_vec(),
                    offsets: std::mem::take(&mut prepared.offsets),
                    words: std::mem::take(&mut prepared.words),
                });
            }
            control.advance(count as u64);
        }
        Ok(read.into_iter().map(|logits| logits.expect("the plan covers every passage")).collect())
    }

    fn prepare(&self, question: &[u32], passage: ReaderPassage<'_>) -> Result<Prepared, Error> {
        let title = self.tokenizer.pieces(passage.title.unwrap_or_default())?;
        let mut text = self.tokenizer.pieces(passage.text)?;
        let room = self.config.max_tokens - question.len() - self.tokenizer.overhead(3);
        // A title never takes more than half of what the question leaves.
        let title = &title.ids[..title.len().min(room / 2)];
        text.truncate(room - title.len());
        let input = self.tokenizer.input_of_three(question, title, &text.ids);
        // The text is followed by one separator.
        let text_start = input.ids.len() - 1 - text.len();
        Ok(Prepared { input, text_start, offsets: text.offsets, words: text.words })
    }
}

struct Prepared {
    input: ModelInput,
    /// Position of the text's first token in the input.
    text_start: usize,
    offsets: Vec<Range<u32>>,
    words: Vec<u32>,
}
