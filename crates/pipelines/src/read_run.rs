//! Reads the passages of a run with a reader model, except those whose readings are in a cache. A reading is what the
//! model returns for one question and one passage.

use std::sync::{Arc, Mutex};

use control::Control;
use corpus::PassageTexts;
use inference::{PassageLogits, ReaderModel, ReaderPassage};
use ranking::RetrievedRun;
use reading::{
    CacheLookup, QuestionBuilder, QuestionReadings, ReadingCache, ReadingKey, SpanLimits, StoredReading,
    Window, read_through,
};

use crate::Error;
use crate::reader_identity::ReaderOrigin;
use crate::run_readings::RunReadings;
use crate::window::to_window;

/// Approximate number of the model's batches between two writes to the cache. If the work is canceled, only the
/// readings since the last write are lost.
const BATCHES_PER_WRITE: usize = 4;

/// A reader with its cache.
#[derive(Debug)]
pub struct RunReader {
    /// `None` if the reader has been closed. Then the cache must have every reading.
    pub model: Option<Arc<ReaderModel>>,
    /// The files and the configuration with which the reader was opened.
    pub origin: Arc<ReaderOrigin>,
    /// Which spans of a passage are kept.
    pub limits: SpanLimits,
    /// Readings from earlier calls. New readings are added.
    pub cache: Option<Cache>,
}

/// A cache of readings, which other calls may use at the same time.
#[derive(Debug, Clone)]
pub struct Cache {
    /// The open cache file.
    pub file: Arc<Mutex<ReadingCache>>,
    /// Identifies the reader and the limits with which all readings in the file were made; see
    /// [`ReaderOrigin::identity`].
    pub identity: String,
}

/// A question for which a run has hits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunQuestion {
    /// Id of the query in the run.
    pub id: String,
    /// The question.
    pub text: String,
}

/// Reads the first `depth` hits of `run` for each question, unless the cache has their readings. `passages` has the
/// texts of the hits. Progress counts passages.
///
/// # Errors
///
/// [`Error::OtherReader`] if the cache has readings of a different reader, or with different limits;
/// [`Error::Argument`] if `passages` lacks one of the hits; [`Error::ReaderClosed`] if there is no model and a reading
/// is not in a cache. Other errors if a passage cannot be read, the cache cannot be read or written, or the work is
/// canceled. The cache keeps the readings that were written to it before the error.
pub fn read_run(
    reader: &RunReader,
    run: &RetrievedRun,
    depth: usize,
    passages: &PassageTexts,
    questions: Vec<RunQuestion>,
    control: &Control,
) -> Result<RunReadings, Error> {
    reader.check_cache()?;
    let config = reader.origin.config();
    // The number of inputs of maximum length that fit into a batch, but at least 4, because most inputs are shorter.
    let inputs_per_batch = (config.batch_tokens / config.max_tokens).max(4);
    let group_len = BATCHES_PER_WRITE * inputs_per_batch;
    let work = Work { cache: reader.cache.as_ref(), limits: reader.limits, group_len, control };
    work.read_run(run, depth, passages, questions, |question, passages| {
        let model = reader.model.as_ref().ok_or(Error::ReaderClosed)?;
        Ok(model.read(question, passages, control)?)
    })
}

impl RunReader {
    /// Checks that the readings of the cache were made by this reader, with its limits.
    fn check_cache(&self) -> Result<(), Error> {
        let Some(cache) = &self.cache else { return Ok(()) };
        let expected = self.origin.identity(self.limits)?;
        if cache.identity == expected {
            return Ok(());
        }
        Err(Error::OtherReader { expected, got: cache.identity.clone() })
    }
}

/// What [`read_run`] needs in addition to the model, which is passed as a function.
struct Work<'a> {
    cache: Option<&'a Cache>,
    limits: SpanLimits,
    /// Maximum number of passages per call of the model.
    group_len: usize,
    control: &'a Control,
}

impl Work<'_> {
    /// Does the work of [`read_run`] with a function in place of the model.
    fn read_run(
        &self,
        run: &RetrievedRun,
        depth: usize,
        passages: &PassageTexts,
        questions: Vec<RunQuestion>,
        model: impl Fn(&str, &[ReaderPassage<'_>]) -> Result<Vec<Vec<PassageLogits>>, Error>,
    ) -> Result<RunReadings, Error> {
        let run = run.to_run()?;
        let hits_of = |question: &str| {
            let hits = run.get(question).unwrap_or_default();
            &hits[..hits.len().min(depth)]
        };
        self.control.set_total(questions.iter().map(|question| hits_of(&question.id).len() as u64).sum());
        let mut readings: Vec<QuestionReadings> = Vec::with_capacity(questions.len());
        for question in &questions {
            let hits = hits_of(&question.id);
            let inputs: Vec<ReaderPassage<'_>> =
                hits.iter().map(|hit| passage_of(passages, &hit.id)).collect::<Result<_, _>>()?;
            let stored_readings = self.read(&question.text, &inputs, &model)?;
            let mut builder = QuestionBuilder::new();
            for ((hit, input), reading) in hits.iter().zip(&inputs).zip(&stored_readings) {
                builder.push(input.text, hit.score, reading)?;
            }
            readings.push(builder.finish());
        }
        let ids = questions.into_iter().map(|question| question.id).collect();
        Ok(RunReadings::new(ids, readings, run))
    }

    /// Returns the readings of passages, in the order of the passages. Readings that the cache lacks come from the
    /// model.
    fn read(
        &self,
        question: &str,
        passages: &[ReaderPassage<'_>],
        model: impl Fn(&str, &[ReaderPassage<'_>]) -> Result<Vec<Vec<PassageLogits>>, Error>,
    ) -> Result<Vec<StoredReading>, Error> {
        let key = |passage: &ReaderPassage<'_>| ReadingKey::of(question, passage.title, passage.text);
        let lookup = self
            .cache
            .map(|cache| CacheLookup { cache: &cache.file, keys: passages.iter().map(key).collect() });
        read_through(lookup.as_ref(), passages.len(), self.group_len, self.control, |group| {
            let inputs: Vec<ReaderPassage<'_>> = group.iter().map(|&at| passages[at]).collect();
            let outputs = model(question, &inputs)?;
            let readings = group.iter().zip(&outputs).map(|(&at, windows)| {
                let windows: Vec<Window<'_>> = windows.iter().map(to_window).collect();
                Ok(StoredReading::new(at, &windows, self.limits)?)
            });
            readings.collect()
        })
    }
}

fn passage_of<'a>(passages: &'a PassageTexts, id: &str) -> Result<ReaderPassage<'a>, Error> {
    let found = passages.get(id)?.ok_or_else(|| {
        let message =
            format!("readRun: expected the text of every passage of the run, got none for \"{id}\"");
        Error::Argument { message }
    })?;
    Ok(ReaderPassage { title: found.title, text: found.text })
}

#[cfg(test)]
mod tests {
    use super::*;
    use corpus::Passage;
    use inference::{ReaderConfig, Relevance};
    use ranking::{Run, ScoredId};
    use reading::Scoring;
    use std::cell::RefCell;

    const LIMITS: SpanLimits = SpanLimits { max_spans: 3, max_tokens: 3 };

    /// A run with three hits for q1 and one for q2.
    fn run() -> RetrievedRun {
        let mut run = Run::new();
        let hit = |id: &str, score: f32| ScoredId { id: id.to_owned(), score };
        run.insert("q1", vec![hit("a", 3.0), hit("b", 2.0), hit("c", 1.0)]);
        run.insert("q2", vec![hit("c", 5.0)]);
        run.into()
    }

    /// The passages of [`run`].
    fn passages() -> PassageTexts {
        let mut passages = PassageTexts::default();
        let passage =
            |id: &str, text: &str| Passage { id: id.to_owned(), title: None, text: text.to_owned() };
        passages.extend([passage("a", "old"), passage("b", "new"), passage("c", "third")]);
        passages
    }

    fn questions(ids: &[&str]) -> Vec<RunQuestion> {
        ids.iter().map(|&id| RunQuestion { id: id.to_owned(), text: format!("{id}?") }).collect()
    }

    /// The output of the model for a text: one window with one token, which is the whole text. Longer texts are more
    /// relevant.
    fn logits(text: &str) -> Vec<PassageLogits> {
        vec![PassageLogits {
            relevance: Relevance::Logit(text.len() as f32),
            start: vec![1.0],
            end: vec![1.0],
            offsets: std::iter::once(0..text.len() as u32).collect(),
            words: vec![0],
        }]
    }

    /// Reads [`run`] for the questions `ids`, with at most two passages per call of the model. Returns the readings
    /// and, for each call, the question and the texts.
    fn read(
        cache: Option<&Cache>,
        depth: usize,
        ids: &[&str],
        control: &Control,
    ) -> (RunReadings, Vec<String>) {
        let calls = RefCell::new(Vec::new());
        let work = Work { cache, limits: LIMITS, group_len: 2, control };
        let readings = work.read_run(&run(), depth, &passages(), questions(ids), |question, passages| {
            let texts: Vec<&str> = passages.iter().map(|passage| passage.text).collect();
            calls.borrow_mut().push(format!("{question} {}", texts.join(" ")));
            Ok(texts.into_iter().map(logits).collect())
        });
        (readings.expect("every passage is there"), calls.into_inner())
    }

    #[test]
    fn the_first_passages_of_each_question_are_read_and_answer_the_question() {
        let control = Control::new();
        // The run has no hits for q3.
        let (readings, calls) = read(None, 2, &["q1", "q2", "q3"], &control);
        assert_eq!(calls, ["q1? old new", "q2? third"]);
        assert_eq!(control.total(), 3);
        let passage_counts: Vec<usize> = readings.questions().iter().map(QuestionReadings::len).collect();
        assert_eq!(passage_counts, [2, 1, 0]);

        // There are fewer than 9 questions and passages. “old” and “new” have equal scores, so the first one wins.
        let answers = readings.answers(0..9, Scoring::default(), 9, &Control::new()).expect("finite weights");
        let found: Vec<_> =
            answers.iter().map(|found| (found.question, found.passage_id, found.answer.text)).collect();
        assert_eq!(found, [(0, "a", "old"), (1, "c", "third")]);
        let last = readings.answers(1..2, Scoring::default(), 9, &Control::new()).expect("finite weights");
        assert_eq!(last, answers[1..]);
        assert!(readings.answers(7..9, Scoring::default(), 9, &Control::new()).expect("none").is_empty());
    }

    #[test]
    fn the_model_reads_only_passages_whose_readings_the_cache_lacks() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = ReadingCache::open(&folder.path().join("cache"), "a reader").expect("a new file");
        let cache = Cache { file: Arc::new(Mutex::new(file)), identity: "a reader".to_owned() };
        assert_eq!(read(Some(&cache), 2, &["q1"], &Control::new()).1, ["q1? old new"]);
        let (readings, calls) = read(Some(&cache), 3, &["q1", "q2"], &Control::new());
        assert_eq!(calls, ["q1? third", "q2? third"]);
        assert_eq!(readings.questions()[0].len(), 3);
        assert!(read(Some(&cache), 3, &["q2", "q1"], &Control::new()).1.is_empty());
    }

    #[test]
    fn a_run_is_refused_if_passages_are_missing_the_reader_is_closed_or_the_cache_is_of_a_different_reader() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = |name: &str| folder.path().join(name);
        std::fs::write(file("model"), "model").expect("writable");
        let origin = Arc::new(ReaderOrigin::new(file("model"), file("model"), ReaderConfig::default()));
        let mut reader = RunReader { model: None, origin, limits: LIMITS, cache: None };
        let refused = |reader: &RunReader, passages: &PassageTexts| {
            let refused = read_run(reader, &run(), 9, passages, questions(&["q1"]), &Control::new());
            refused.map(|_| ()).expect_err("refused").to_string()
        };
        assert_eq!(refused(&reader, &passages()), "this reader was closed");
        assert_eq!(
            refused(&reader, &PassageTexts::default()),
            "readRun: expected the text of every passage of the run, got none for \"a\""
        );
        let cache = ReadingCache::open(&file("cache"), "another reader").expect("a new file");
        let identity = "another reader".to_owned();
        reader.cache = Some(Cache { file: Arc::new(Mutex::new(cache)), identity });
        assert!(refused(&reader, &passages()).ends_with(", got one of another reader"));
    }

    #[test]
    fn questions_are_joined_with_their_readings_and_refused_if_none_of_them_was_read() {
        let (readings, _) = read(None, 2, &["q1"], &Control::new());
        let accepted = |id: &str| (id.to_owned(), vec!["old".to_owned()]);
        let questions = [accepted("q9"), accepted("q1")];
        let answered = readings.answered(&questions, false).expect("one was read");
        assert_eq!(
            answered.iter().map(|question| question.readings.is_some()).collect::<Vec<_>>(),
            [false, true]
        );
        let refused = readings.answered(&questions[..1], false).expect_err("none was read").to_string();
        assert_eq!(
            refused,
            "questions: expected at least one that was read, got none: the readings begin with \"q1\", the questions with \"q9\""
        );
    }
}
