//! The tokenizers of the models in `models/`: ids, offsets, words, and errors.

use std::path::{Path, PathBuf};

use proptest::prelude::*;
use tokenize::{Error, Tokenizer};

/// The path of a model's tokenizer.
fn model(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models").join(name).join("tokenizer.json")
}

#[test]
fn word_pieces_have_the_ids_of_berts_published_vocabulary() {
    let tokenizer = Tokenizer::open(&model("minilm-encoder")).expect("it is in the repository");
    // bert-base-uncased: [CLS] 101, hello 7592, the comma 1010, world 2088, ! 999, [SEP] 102.
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
fn offsets_include_combining_marks() {
    let tokenizer = Tokenizer::open(&model("minilm-encoder")).expect("it is in the repository");
    let piece_ranges = |text: &str| {
        let pieces = tokenizer.pieces(text).expect("tokenizes");
        pieces
            .offsets
            .iter()
            .map(|range| text[range.start as usize..range.end as usize].to_owned())
            .collect::<Vec<_>>()
    };
    // The same word in composed form and in decomposed form, which macOS uses in file names. The normalizer strips the
    // accent in both.
    assert_eq!(piece_ranges("caf\u{e9} noir"), ["caf\u{e9}", "noir"]);
    assert_eq!(piece_ranges("cafe\u{301} noir"), ["cafe\u{301}", "noir"]);
    assert_eq!(piece_ranges("a\u{301}\u{327}."), ["a\u{301}\u{327}", "."], "two marks");
    assert_eq!(piece_ranges("東京 🚀"), ["東", "京", "🚀"]);
}

#[test]
fn pieces_of_one_word_have_the_same_word_number() {
    let tokenizer = Tokenizer::open(&model("minilm-encoder")).expect("it is in the repository");
    // "embeddings" is em ##bed ##ding ##s in BERT's vocabulary.
    let pieces = tokenizer.pieces("word embeddings!").expect("tokenizes");
    assert_eq!(pieces.words, [0, 1, 1, 1, 1, 2]);
}

#[test]
fn pieces_are_returned_as_strings_of_the_vocabulary() {
    let tokenizer = Tokenizer::open(&model("minilm-encoder")).expect("it is in the repository");
    assert!(tokenizer.is_word_piece());
    let texts = tokenizer.piece_texts("Word embeddings ☃").expect("tokenizes");
    assert_eq!(texts, ["word", "em", "##bed", "##ding", "##s", "[UNK]"]);
}

#[test]
fn special_tokens_in_a_text_are_ordinary_text() {
    let tokenizer = Tokenizer::open(&model("minilm-encoder")).expect("it is in the repository");
    let pieces = tokenizer.pieces("a [SEP] b").expect("tokenizes");
    assert!(!pieces.ids.contains(&102), "{:?}", pieces.ids);
}

#[test]
fn files_that_are_missing_or_not_tokenizers_are_refused() {
    let missing = Tokenizer::open(&model("no-such-model")).expect_err("missing");
    assert!(matches!(missing, Error::Io { .. }), "{missing}");
    let config = model("minilm-encoder").with_file_name("config.json");
    let foreign = Tokenizer::open(&config).expect_err("another file");
    assert!(matches!(foreign, Error::Format { .. }), "{foreign}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn offsets_are_character_boundaries_and_word_numbers_ascend(text in "\\PC{0,60}") {
        let tokenizer = Tokenizer::open(&model("tiny-encoder")).expect("it is in the repository");
        let pieces = tokenizer.pieces(&text).expect("tokenizes");
        prop_assert!(pieces.ids.len() == pieces.offsets.len() && pieces.ids.len() == pieces.words.len());
        for range in &pieces.offsets {
            prop_assert!(text.get(range.start as usize..range.end as usize).is_some(), "{range:?}");
        }
        prop_assert!(pieces.words.windows(2).all(|pair| pair[1] == pair[0] || pair[1] == pair[0] + 1));
    }
}
