//! Runs both kinds of readers, DPR's reader and question-answering models, with the models in this repository's folder
//! `models/`. The question-answering model is a DPR reader without its relevance output. Without ONNX Runtime, only
//! the models that the crate `transformer` recognizes are tested.

#[path = "support/onnx.rs"]
mod onnx;
mod support;

use std::sync::Arc;

use control::Control;
use inference::{
    Error, LongPassages, PassageLogits, ReaderConfig, ReaderForm, ReaderModel, ReaderPassage, Relevance,
    RuntimeChoice, Session,
};
use support::{onnx_runtime, open_model, open_rewritten_model, runtimes};
use tokenize::Tokenizer;

const QUESTION: &str = "In which year was the Suez Canal opened?";
const ANSWER: &str = "The Suez Canal was opened to shipping in November 1869 after ten years of digging.";

fn reader(runtime: &RuntimeChoice, model: &str, config: ReaderConfig) -> ReaderModel {
    let (session, tokenizer) = open_model(runtime, model);
    ReaderModel::new(session, tokenizer, config).expect("a reader")
}

/// Opens a DPR reader in `models/` without its relevance output, which makes it a question-answering model.
fn question_answering(runtime: &RuntimeChoice, model: &str) -> (Arc<Session>, Arc<Tokenizer>) {
    open_rewritten_model(runtime, model, |bytes| onnx::with_outputs(bytes, |name| name != "relevance_logit"))
}

/// A passage without a title.
fn text(text: &str) -> ReaderPassage<'_> {
    ReaderPassage { title: None, text }
}

/// Reads passages for [`QUESTION`]. Returns the windows of each passage.
fn read(reader: &ReaderModel, passages: &[ReaderPassage<'_>]) -> Vec<Vec<PassageLogits>> {
    reader.read(QUESTION, passages, &Control::new()).expect("reads")
}

/// The option to read long passages in windows that share at least `overlap` tokens.
fn windows(overlap: usize) -> LongPassages {
    LongPassages::Windows { overlap_tokens: Some(overlap) }
}

/// The relevance logit of a window.
fn logit(window: &PassageLogits) -> f32 {
    match window.relevance {
        Relevance::Logit(logit) => logit,
        Relevance::NoAnswer(score) => panic!("expected a relevance logit, got a no-answer score: {score}"),
    }
}

/// The byte range from the token with the best start logit to the token with the best end logit.
fn best_span(window: &PassageLogits) -> std::ops::Range<usize> {
    let best_token =
        |values: &[f32]| (0..values.len()).max_by(|&a, &b| values[a].total_cmp(&values[b])).expect("tokens");
    window.offsets[best_token(&window.start)].start as usize
        ..window.offsets[best_token(&window.end)].end as usize
}

#[test]
fn the_reader_ranks_the_right_passage_first_and_finds_the_year() {
    for runtime in &runtimes() {
        // The model was exported for inputs of up to 224 tokens.
        let config = ReaderConfig { max_tokens: 224, ..ReaderConfig::default() };
        let reader = reader(runtime, "minilm-reader", config);
        let passages = [
            ReaderPassage {
                title: Some("Piano"),
                text: "Bartolomeo Cristofori built the first pianos in Florence.",
            },
            ReaderPassage { title: Some("Suez Canal"), text: ANSWER },
        ];
        let read = read(&reader, &passages);
        assert!(
            logit(&read[1][0]) > logit(&read[0][0]),
            "{:?} {:?}",
            read[1][0].relevance,
            read[0][0].relevance
        );
        assert!(ANSWER[best_span(&read[1][0])].contains("1869"), "{}", &ANSWER[best_span(&read[1][0])]);
    }
}

#[test]
fn a_text_that_fits_is_one_window_with_the_same_logits_as_with_truncation() {
    let Some(runtime) = &onnx_runtime() else { return };
    let cut = ReaderConfig { long_passages: LongPassages::Cut, ..ReaderConfig::default() };
    let passages = [text(ANSWER), ReaderPassage { title: Some("Suez Canal"), text: ANSWER }];
    let in_windows = read(&reader(runtime, "tiny-reader", ReaderConfig::default()), &passages);
    assert!(in_windows.iter().all(|windows| windows.len() == 1));
    assert_eq!(in_windows, read(&reader(runtime, "tiny-reader", cut), &passages));
}

#[test]
fn a_long_text_is_read_to_its_end_in_windows_and_truncated_without_them() {
    for runtime in &runtimes() {
        let long = format!("{}{ANSWER}", "Rain fell on the quiet hills and nobody spoke of it. ".repeat(60));
        let config = ReaderConfig { max_tokens: 128, long_passages: windows(32), ..ReaderConfig::default() };
        let windows_read = read(&reader(runtime, "minilm-reader", config), &[text(&long)]).remove(0);
        assert!(windows_read.len() > 5, "{} windows", windows_read.len());
        let best = windows_read.iter().max_by(|a, b| logit(a).total_cmp(&logit(b))).expect("windows");
        assert!(long[best_span(best)].contains("1869"), "{}", &long[best_span(best)]);
        // Offsets and word numbers refer to the whole text, so they are equal for the tokens that two windows share.
        assert_eq!(
            windows_read.last().expect("windows").offsets.last().expect("tokens").end as usize,
            long.len()
        );
        for pair in windows_read.windows(2) {
            let shared =
                pair[0].offsets.iter().position(|token| *token == pair[1].offsets[0]).expect("an overlap");
            assert!(pair[0].offsets.len() - shared >= 32);
            assert!(pair[1].offsets.starts_with(&pair[0].offsets[shared..]));
            assert!(pair[1].words.starts_with(&pair[0].words[shared..]));
        }
        let config = ReaderConfig { long_passages: LongPassages::Cut, ..config };
        let cut = read(&reader(runtime, "minilm-reader", config), &[text(&long)]).remove(0);
        assert_eq!(cut.len(), 1);
        assert_eq!(
            cut[0].offsets, windows_read[0].offsets,
            "the first window, up to the last complete word that fits"
        );
    }
}

#[test]
fn every_window_gets_the_same_logits_as_a_passage_of_only_its_words() {
    let Some(runtime) = &onnx_runtime() else { return };
    let words: Vec<String> = (0..300).map(|word| format!("w{word}")).collect();
    let long = words.join(" ");
    // Use batches of one input, because the int8 activations of a batch share one scale.
    let config = ReaderConfig {
        max_tokens: 96,
        batch_tokens: 1,
        long_passages: windows(20),
        ..ReaderConfig::default()
    };
    let reader = reader(runtime, "tiny-reader", config);
    let title = Some("numbers");
    for window in &read(&reader, &[ReaderPassage { title, text: &long }])[0] {
        let bytes = window.offsets[0].start as usize..window.offsets.last().expect("tokens").end as usize;
        let alone = read(&reader, &[ReaderPassage { title, text: &long[bytes] }]).remove(0);
        assert_eq!(alone.len(), 1);
        assert_eq!(
            (alone[0].relevance, &alone[0].start, &alone[0].end),
            (window.relevance, &window.start, &window.end)
        );
    }
}

#[test]
fn logits_do_not_depend_on_the_order_of_passages_and_hardly_depend_on_the_batches() {
    let Some(runtime) = &onnx_runtime() else { return };
    let texts: Vec<String> = (0..40)
        .map(|text| {
            format!("{ANSWER} {}", "Then a ship passed. ".repeat(text % 7)).replacen(
                "ten",
                &text.to_string(),
                1,
            )
        })
        .collect();
    let passages: Vec<ReaderPassage<'_>> = texts.iter().map(|one| text(one)).collect();
    let in_batches =
        reader(runtime, "tiny-reader", ReaderConfig { batch_tokens: 300, ..ReaderConfig::default() });
    let forward = read(&in_batches, &passages);
    let mut backward = read(&in_batches, &passages.iter().rev().copied().collect::<Vec<_>>());
    backward.reverse();
    assert_eq!(forward, backward, "bit for bit");
    let alone = read(
        &reader(runtime, "tiny-reader", ReaderConfig { batch_tokens: 1, ..ReaderConfig::default() }),
        &passages,
    );
    for (a, b) in forward.iter().flatten().zip(alone.iter().flatten()) {
        assert_eq!((&a.offsets, &a.words), (&b.offsets, &b.words));
        // The int8 activations of a batch share one scale, so the logits are close but not equal.
        assert!((logit(a) - logit(b)).abs() < 0.5, "{} {}", logit(a), logit(b));
    }
}

#[test]
fn progress_counts_passages_not_windows() {
    let Some(runtime) = &onnx_runtime() else { return };
    let config = ReaderConfig { max_tokens: 80, batch_tokens: 160, ..ReaderConfig::default() };
    let long = "one two three four five ".repeat(100);
    let control = Control::new();
    reader(runtime, "tiny-reader", config)
        .read(QUESTION, &[text(&long), text(""), text("short")], &control)
        .expect("reads");
    assert_eq!(control.done(), 3);
}

#[test]
fn a_question_answering_model_is_recognized_by_its_outputs_and_returns_a_score_for_no_answer() {
    let Some(runtime) = &onnx_runtime() else { return };
    let (session, tokenizer) = question_answering(runtime, "tiny-reader");
    let plain =
        ReaderModel::new(session.clone(), tokenizer.clone(), ReaderConfig::default()).expect("a reader");
    assert_eq!(plain.form(), ReaderForm::QuestionAnswering);
    let titled = ReaderPassage { title: Some("Suez Canal"), text: ANSWER };
    let window = read(&plain, &[titled]).remove(0).remove(0);
    assert_eq!(window, read(&plain, &[text(ANSWER)])[0][0], "titles are not read by default");

    // Build the input directly: [CLS] question [SEP] text [SEP], with token types 0 and 1.
    let (question, pieces) =
        (tokenizer.pieces(QUESTION).expect("pieces"), tokenizer.pieces(ANSWER).expect("pieces"));
    let input = tokenizer.input(&question.ids, Some(&pieces.ids));
    let batch = inference::Batch::new(&[&input], tokenizer.padding_id());
    assert_eq!(batch.types.iter().sum::<i64>(), pieces.len() as i64 + 1);
    let outputs = session.run(batch, &["start_logits", "end_logits"], &Control::new()).expect("runs");
    let (start, end) = (&outputs[0].data, &outputs[1].data);
    assert_eq!(window.relevance, Relevance::NoAnswer(start[0] + end[0]));
    let text_start = question.len() + 2;
    assert_eq!(window.start, start[text_start..text_start + pieces.len()]);
    assert_eq!(window.end, end[text_start..text_start + pieces.len()]);
    assert_eq!((window.offsets, window.words), (pieces.offsets, pieces.words));
}

#[test]
fn a_question_answering_model_can_read_titles_and_its_offsets_refer_to_the_text() {
    let Some(runtime) = &onnx_runtime() else { return };
    let (session, tokenizer) = question_answering(runtime, "tiny-reader");
    let config = ReaderConfig { titles: Some(true), ..ReaderConfig::default() };
    let titled = ReaderModel::new(session.clone(), tokenizer.clone(), config).expect("a reader");
    let plain = ReaderModel::new(session, tokenizer, ReaderConfig::default()).expect("a reader");
    let window =
        read(&titled, &[ReaderPassage { title: Some("Suez Canal"), text: ANSWER }]).remove(0).remove(0);
    // The same input without a title: its text begins with the title, which has 10 bytes, and a space.
    let joined = format!("Suez Canal {ANSWER}");
    let expected = read(&plain, &[text(&joined)]).remove(0).remove(0);
    let title_len = expected.offsets.iter().filter(|token| token.end <= 10).count();
    assert_eq!(window.relevance, expected.relevance);
    assert_eq!(window.start, expected.start[title_len..]);
    assert_eq!(window.end, expected.end[title_len..]);
    let moved: Vec<_> = window.offsets.iter().map(|token| token.start + 11..token.end + 11).collect();
    assert_eq!(moved, expected.offsets[title_len..]);
}

#[test]
fn a_model_without_the_input_token_types_can_be_run() {
    let Some(runtime) = &onnx_runtime() else { return };
    let without_types = |bytes: &[u8]| onnx::with_zero_for(bytes, "token_type_ids");
    let (session, tokenizer) = open_rewritten_model(runtime, "tiny-reader", without_types);
    let untyped = ReaderModel::new(session, tokenizer, ReaderConfig::default()).expect("a reader");
    // DPR's code uses only the token type 0, and no separator after the text. Therefore the next two readers run their
    // models on the same inputs, although only one of the models has token types.
    let open_ended = ReaderConfig { open_ended: true, ..ReaderConfig::default() };
    let typed_open_ended = reader(runtime, "tiny-reader", open_ended);
    let (session, tokenizer) = open_rewritten_model(runtime, "tiny-reader", without_types);
    let untyped_open_ended = ReaderModel::new(session, tokenizer, open_ended).expect("a reader");
    let passages = [ReaderPassage { title: Some("Suez Canal"), text: ANSWER }];
    assert_eq!(
        read(&typed_open_ended, &passages),
        read(&untyped_open_ended, &passages),
        "token types of 0 give the logits of a model without token types"
    );
    assert_ne!(
        read(&untyped, &passages),
        read(&untyped_open_ended, &passages),
        "the input has one more token"
    );
    assert_ne!(
        read(&untyped, &passages),
        read(&reader(runtime, "tiny-reader", ReaderConfig::default()), &passages)
    );
}

#[test]
fn other_models_and_options_that_leave_no_room_for_text_are_refused() {
    let Some(runtime) = &onnx_runtime() else { return };
    let (session, tokenizer) = open_model(runtime, "minilm-encoder");
    let error = ReaderModel::new(session, tokenizer, ReaderConfig::default()).expect_err("an encoder");
    assert!(matches!(error, Error::Model { .. }));
    assert!(
        error.to_string().ends_with(
            "expected outputs start_logits and end_logits (a question-answering model), or these and \
             relevance_logit (DPR's reader), got outputs last_hidden_state"
        ),
        "{error}"
    );
    let refused = |config| {
        let (session, tokenizer) = open_model(runtime, "tiny-reader");
        ReaderModel::new(session, tokenizer, config).expect_err("refused").to_string()
    };
    let config = ReaderConfig { max_tokens: 59, ..ReaderConfig::default() };
    // 40 tokens of the question, `[CLS]` and three `[SEP]`, and 16 tokens for title and text.
    assert_eq!(refused(config), "maxTokens: expected at least 60, got 59");
    // 256 − 40 − 4 = 212 tokens for title and text. A title may take half of them.
    let config = ReaderConfig { long_passages: windows(106), ..ReaderConfig::default() };
    assert_eq!(
        refused(config),
        "overlapTokens: expected less than 106, the tokens that the longest question and title leave for the text, got 106"
    );
}

#[test]
fn the_longest_question_and_title_and_the_largest_overlap_still_leave_room_for_text() {
    let Some(runtime) = &onnx_runtime() else { return };
    // The question takes 40 of the 60 tokens, and 4 are special tokens. The title takes 8 of the other 16.
    let config = ReaderConfig { max_tokens: 60, long_passages: windows(7), ..ReaderConfig::default() };
    let reader = reader(runtime, "tiny-reader", config);
    let (question, title) = ("why ".repeat(100), "title ".repeat(100));
    let long = "one two three four five ".repeat(10);
    let passages = [ReaderPassage { title: Some(&title), text: &long }];
    let windows = reader.read(&question, &passages, &Control::new()).expect("reads").remove(0);
    // The text has 50 tokens. A window has 8 of them and begins one token after the previous window: 50 − 8 + 1
    // windows.
    assert_eq!(windows.len(), 43);
    assert!(windows.iter().all(|window| window.offsets.len() == 8));
}

#[test]
fn empty_texts_and_texts_of_one_huge_word_are_read() {
    let Some(runtime) = &onnx_runtime() else { return };
    let huge = "x".repeat(100_000);
    let unbroken = "ab".repeat(40);
    for (session, tokenizer) in
        [open_model(runtime, "tiny-reader"), question_answering(runtime, "tiny-reader")]
    {
        let config = ReaderConfig { max_tokens: 80, ..ReaderConfig::default() };
        let reader = ReaderModel::new(session, tokenizer, config).expect("a reader");
        let read = read(&reader, &[text(""), text(&huge), text(&unbroken), text(" \n ")]);
        assert_eq!((read[0].len(), read[0][0].offsets.len()), (1, 0));
        assert_eq!(read[3][0].offsets.len(), 0);
        // The word exceeds WordPiece's limit of 100 characters per word: one unknown piece covers the whole text.
        assert_eq!((read[1].len(), read[1][0].offsets.len()), (1, 1));
        assert_eq!(read[1][0].offsets[0], 0..100_000);
        // 80 letters without a space are several pieces of one word, which does not fit into one window.
        let last = read[2].last().expect("a window");
        assert_eq!(last.offsets.last().expect("tokens").end, 80);
        assert!(read[2].iter().all(|window| window.words.iter().all(|&word| word == 0)));
    }
}

#[test]
fn a_canceled_read_stops_within_its_batch_and_does_not_wait_for_other_batches() {
    let reader = reader(
        &RuntimeChoice::BuiltIn,
        "minilm-reader",
        ReaderConfig { batch_tokens: usize::MAX, ..ReaderConfig::default() },
    );
    // One batch, which would run for seconds.
    let passages = vec![text(ANSWER); 3000];
    let controls = [Control::new(), Control::new()];
    std::thread::scope(|scope| {
        // One of the reads waits for the batch of the other.
        let reads = controls.each_ref().map(|control| {
            let (reader, passages) = (&reader, &passages);
            scope.spawn(move || reader.read(QUESTION, passages, control))
        });
        std::thread::sleep(std::time::Duration::from_millis(300));
        controls.iter().for_each(Control::cancel);
        for read in reads {
            assert!(matches!(read.join().expect("no panic"), Err(Error::Canceled(_))));
        }
    });
    // The session runs the next batch.
    assert_eq!(read(&reader, &[text(ANSWER)]).len(), 1);
}
