//! The tokenizers of the project's own models.

use std::path::{Path, PathBuf};

use proptest::prelude::*;
use tokenize::{Error, Tokenizer};

fn model(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models").join(name).join("tokenizer.json")
}

#[test]
fn bert_word_pieces_as_published() {
    let tokenizer = Tokenizer::open(&model("minilm-encoder")).expect("it is in the repository");
    // bert-base-uncased: [CLS] 101, hello 7592, world 2088, ! 999, [SEP] 102.
    let pieces = tokenizer.pieces("Hello, wörld!").expect("tokenizes");
    assert_eq!(pieces.ids, [7592, 1010, 2088, 999]);
    let offsets: Vec<_> = pieces.offsets.iter().map(|range| (range.start, range.end)).collect();
    assert_eq!(
        offsets,
        [(0, 5), (5, 6), (7, 13), (13, 14)],
        "byte offsets of the original text, in which ö has two bytes"
    );
    assert_eq!(tokenizer.input(&pieces.ids, None).ids, [101, 7592, 1010, 2088, 999, 102]);
}

#[test]
fn a_letter_keeps_the_marks_that_stand_apart_from_it() {
    let tokenizer = Tokenizer::open(&model("minilm-encoder")).expect("it is in the repository");
    let at = |text: &str| {
        let pieces = tokenizer.pieces(text).expect("tokenizes");
        pieces
            .offsets
            .iter()
            .map(|range| text[range.start as usize..range.end as usize].to_owned())
            .collect::<Vec<_>>()
    };
    // The same word composed and decomposed, as macOS writes it; the normalizer strips both accents.
    assert_eq!(at("caf\u{e9} noir"), ["caf\u{e9}", "noir"]);
    assert_eq!(at("cafe\u{301} noir"), ["cafe\u{301}", "noir"]);
    assert_eq!(at("a\u{301}\u{327}."), ["a\u{301}\u{327}", "."], "two marks");
    assert_eq!(at("東京 🚀"), ["東", "京", "🚀"]);
}

#[test]
fn pieces_of_one_word_carry_its_number() {
    let tokenizer = Tokenizer::open(&model("minilm-encoder")).expect("it is in the repository");
    // "embeddings" is em ##bed ##ding ##s in BERT's vocabulary.
    let pieces = tokenizer.pieces("word embeddings!").expect("tokenizes");
    assert_eq!(pieces.words, [0, 1, 1, 1, 1, 2]);
}

#[test]
fn pieces_have_their_texts() {
    let tokenizer = Tokenizer::open(&model("minilm-encoder")).expect("it is in the repository");
    assert!(tokenizer.is_word_piece());
    let texts = tokenizer.piece_texts("Word embeddings ☃").expect("tokenizes");
    assert_eq!(texts, ["word", "em", "##bed", "##ding", "##s", "[UNK]"]);
}

#[test]
fn special_tokens_in_a_text_are_text() {
    let tokenizer = Tokenizer::open(&model("minilm-encoder")).expect("it is in the repository");
    let pieces = tokenizer.pieces("a [SEP] b").expect("tokenizes");
    assert!(!pieces.ids.contains(&102), "{:?}", pieces.ids);
}

#[test]
fn what_is_no_tokenizer_is_refused() {
    let missing = Tokenizer::open(&model("no-such-model")).expect_err("missing");
    assert!(matches!(missing, Error::Io { .. }), "{missing}");
    let config = model("minilm-encoder").with_file_name("config.json");
    let foreign = Tokenizer::open(&config).expect_err("another file");
    assert!(matches!(foreign, Error::Format { .. }), "{foreign}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn offsets_stand_on_characters_in_order(text in "\\PC{0,60}") {
        let tokenizer = Tokenizer::open(&model("tiny-encoder")).expect("it is in the repository");
        let pieces = tokenizer.pieces(&text).expect("tokenizes");
        prop_assert!(pieces.ids.len() == pieces.offsets.len() && pieces.ids.len() == pieces.words.len());
        for range in &pieces.offsets {
            prop_assert!(text.get(range.start as usize..range.end as usize).is_some(), "{range:?}");
        }
        prop_assert!(pieces.words.windows(2).all(|pair| pair[1] == pair[0] || pair[1] == pair[0] + 1));
    }
}
