//! Tokenizers that would take too much memory or time are refused or stopped; those of the kinds that real models use
//! are accepted.

use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tokenize::{Error, Tokenizer};

/// Loads a tokenizer with this normalizer, pre-tokenizer and model.
fn load(normalizer: &Value, pre_tokenizer: &Value, model: &Value) -> Result<Tokenizer, Error> {
    let special = |id: usize, content: &str| json!({"id": id, "content": content, "single_word": false, "lstrip": false, "rstrip": false, "normalized": false, "special": true});
    let file = json!({
        "version": "1.0", "truncation": null, "padding": null,
        "added_tokens": [special(0, "[PAD]"), special(1, "[UNK]"), special(2, "[CLS]"), special(3, "[SEP]")],
        "normalizer": normalizer, "pre_tokenizer": pre_tokenizer, "post_processor": null, "decoder": null, "model": model,
    });
    Tokenizer::from_bytes(file.to_string().as_bytes(), Path::new("tokenizer.json"))
}

/// Returns special tokens, all printable ASCII characters, and the pieces `extra`.
fn vocabulary(extra: &[&str]) -> Vec<String> {
    let special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]"].map(str::to_owned);
    let ascii = ('!'..='~').map(String::from);
    special.into_iter().chain(ascii).chain(extra.iter().map(|&piece| piece.to_owned())).collect()
}

/// Returns an object that maps each piece to its index.
fn ids(pieces: Vec<String>) -> Value {
    pieces
        .into_iter()
        .enumerate()
        .map(|(id, piece)| (piece, Value::from(id)))
        .collect::<serde_json::Map<_, _>>()
        .into()
}

/// A WordPiece model, as in BERT.
fn word_piece(max_input_chars_per_word: u64) -> Value {
    json!({"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##",
        "max_input_chars_per_word": max_input_chars_per_word, "vocab": ids(vocabulary(&["hello", "##s", "▁"]))})
}

/// A Unigram model, as in T5.
fn unigram() -> Value {
    let vocabulary: Vec<_> = vocabulary(&["▁", "▁hello", "▁world", "hello"])
        .into_iter()
        .map(|piece| json!([piece, -1.0]))
        .collect();
    json!({"type": "Unigram", "unk_id": 1, "vocab": vocabulary, "byte_fallback": false})
}

/// A model of byte-pair encoding, as in GPT.
fn bpe() -> Value {
    json!({"type": "BPE", "dropout": null, "unk_token": "[UNK]", "continuing_subword_prefix": null, "end_of_word_suffix": null,
        "fuse_unk": false, "byte_fallback": false, "vocab": ids(vocabulary(&["Ġ", "▁", "he", "▁he"])), "merges": ["h e", "▁ he"]})
}

/// A normalizer that replaces a string.
fn replace(pattern: &str, content: &str) -> Value {
    json!({"type": "Replace", "pattern": {"String": pattern}, "content": content})
}

/// A normalizer that runs several normalizers in order.
fn sequence(normalizers: &[Value]) -> Value {
    json!({"type": "Sequence", "normalizers": normalizers})
}

/// The message of a tokenizer that must be refused with [`Error::Format`].
fn refused(result: Result<Tokenizer, Error>) -> String {
    match result {
        Err(error @ Error::Format { .. }) => error.to_string(),
        other => panic!("expected Error::Format, got {other:?}"),
    }
}

#[test]
fn replacements_that_together_expand_a_text_too_much_are_refused_when_they_are_loaded() {
    let doublings = sequence(&vec![replace("a", "aa"); 40]);
    let error = refused(load(&doublings, &json!({"type": "Whitespace"}), &word_piece(100)));
    assert!(
        error.contains("normalizer 13 (Replace): expected at most 4096 output bytes per input byte"),
        "{error}"
    );
}

#[test]
fn a_text_that_grows_too_much_between_two_normalizers_is_refused_in_bounded_time() {
    // The growth of each normalizer, and the product of all of them, are within the limits that are checked at loading.
    let doublings = sequence(&vec![replace("a", "aa"); 12]);
    let tokenizer = load(&doublings, &json!({"type": "Whitespace"}), &word_piece(100)).expect("allowed");
    assert_eq!(tokenizer.pieces("b").expect("nothing grows").len(), 1);
    let started = Instant::now();
    for text in ["a".repeat(1000), "a".repeat(4 << 20)] {
        let error = tokenizer.pieces(&text).expect_err("refused").to_string();
        assert!(error.contains("(Replace): expected at most"), "{error}");
    }
    assert!(started.elapsed() < Duration::from_secs(30), "{:?}", started.elapsed());
}

#[test]
fn rules_that_repeat_nest_or_backtrack_too_much_are_refused() {
    let whitespace = json!({"type": "Whitespace"});
    let error = refused(load(&sequence(&vec![json!({"type": "NFC"}); 1000]), &whitespace, &word_piece(100)));
    assert!(error.contains("at most 64 steps"), "{error}");
    let nested = (0..2000).fold(json!({"type": "NFC"}), |inner, _| sequence(&[inner])).to_string();
    let file = format!("{{\"version\": \"1.0\", \"normalizer\": {nested}}}");
    assert!(Tokenizer::from_bytes(file.as_bytes(), Path::new("x")).is_err());
    let split = json!({"type": "Split", "pattern": {"Regex": "(?:a|a(?=a?))*b"}, "behavior": "Isolated", "invert": false});
    let error = refused(load(&Value::Null, &split, &word_piece(100)));
    assert!(error.contains("pre-tokenizer 1 (Split): expected no repeated group"), "{error}");
    let levels = json!({"type": "Sequence", "pretokenizers": vec![json!({"type": "ByteLevel", "add_prefix_space": false, "trim_offsets": true, "use_regex": false}); 30]});
    assert!(refused(load(&Value::Null, &levels, &bpe())).contains("(ByteLevel)"));
    let error = refused(load(&Value::Null, &whitespace, &word_piece(1_000_000)));
    assert!(error.contains("max_input_chars_per_word of at most 1000, got 1000000"), "{error}");
}

#[test]
fn corrupt_character_maps_are_refused_or_fail_without_a_panic() {
    let map = |charsmap: &str| json!({"type": "Precompiled", "precompiled_charsmap": charsmap});
    let error = refused(load(&map("////////"), &json!({"type": "Whitespace"}), &unigram()));
    assert!(error.contains("normalizer 1 (Precompiled): expected a trie of 4294967295 bytes"), "{error}");
    // A trie of one unit that points outside the trie.
    let outside =
        load(&map("BAAAAP///wBhAA=="), &json!({"type": "Whitespace"}), &unigram()).expect("looks valid");
    assert!(matches!(outside.pieces("hello"), Err(Error::Tokenize { .. })));
}

#[test]
fn long_words_and_long_sequences_of_spaces_are_split_in_less_than_a_minute() {
    let bert = json!({"type": "BertNormalizer", "clean_text": true, "handle_chinese_chars": true, "strip_accents": null, "lowercase": true});
    let metaspace =
        json!({"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": true});
    let t5 = load(&sequence(&[json!({"type": "NFKC"}), replace(" ", "▁")]), &metaspace, &unigram())
        .expect("a valid tokenizer");
    let bert =
        load(&bert, &json!({"type": "BertPreTokenizer"}), &word_piece(1000)).expect("a valid tokenizer");
    let gpt2 = load(
        &Value::Null,
        &json!({"type": "ByteLevel", "add_prefix_space": false, "trim_offsets": true, "use_regex": true}),
        &bpe(),
    )
    .expect("a valid tokenizer");
    let started = Instant::now();
    for text in ["a".repeat(1 << 20), " ".repeat(1 << 20), "é".repeat(1 << 19), "\u{fdfa}".repeat(1 << 16)] {
        for tokenizer in [&t5, &bert, &gpt2] {
            tokenizer.pieces(&text).expect("a valid tokenizer");
        }
    }
    assert!(started.elapsed() < Duration::from_secs(60), "{:?}", started.elapsed());
}

#[test]
fn tokenizers_of_the_kinds_that_models_use_are_accepted_and_split_texts() {
    let metaspace =
        json!({"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": true});
    let byte_level =
        json!({"type": "ByteLevel", "add_prefix_space": false, "trim_offsets": true, "use_regex": true});
    let bert = |lowercase: bool| json!({"type": "BertNormalizer", "clean_text": true, "handle_chinese_chars": true, "strip_accents": null, "lowercase": lowercase});
    let multiple_spaces = json!({"type": "Replace", "pattern": {"Regex": " {2,}"}, "content": " "});
    let gpt = json!({"type": "Sequence", "pretokenizers": [
        {"type": "Split", "pattern": {"Regex": r"'s|'t| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"}, "behavior": "Isolated", "invert": false},
        {"type": "ByteLevel", "add_prefix_space": false, "trim_offsets": true, "use_regex": false},
    ]});
    let kinds = [
        ("BERT, DistilBERT, MPNet", bert(true), json!({"type": "BertPreTokenizer"}), word_piece(100)),
        ("RoBERTa", Value::Null, byte_level.clone(), bpe()),
        ("ModernBERT", json!({"type": "NFC"}), byte_level, bpe()),
        ("GPT", Value::Null, gpt, bpe()),
        // A character map with an empty trie of 256 units.
        (
            "XLM-R",
            sequence(&[
                json!({"type": "Precompiled", "precompiled_charsmap": empty_charsmap()}),
                multiple_spaces.clone(),
            ]),
            metaspace.clone(),
            unigram(),
        ),
        (
            "T5",
            sequence(&[
                replace("``", "\""),
                replace("''", "\""),
                json!({"type": "NFKD"}),
                json!({"type": "StripAccents"}),
                json!({"type": "Lowercase"}),
                multiple_spaces,
            ]),
            metaspace,
            unigram(),
        ),
        (
            "Llama",
            sequence(&[json!({"type": "Prepend", "prepend": "▁"}), replace(" ", "▁")]),
            Value::Null,
            bpe(),
        ),
    ];
    for (kind, normalizer, pre_tokenizer, model) in kinds {
        let found =
            load(&normalizer, &pre_tokenizer, &model).unwrap_or_else(|error| panic!("{kind}: {error}"));
        for text in ["hello  world's", "", "Hello, \u{fdfa} é  '' ``!", "日本 hello"] {
            found.pieces(text).unwrap_or_else(|error| panic!("{kind}: {error}"));
        }
        let long = "hello world ".repeat(20_000);
        assert!(
            found.pieces(&long).unwrap_or_else(|error| panic!("{kind}: {error}")).len() >= 40_000,
            "{kind}"
        );
    }
}

/// Returns a SentencePiece character map without entries: base64 of the trie's length (1024 bytes), 256 units of zeros,
/// and no texts.
fn empty_charsmap() -> String {
    // 1028 bytes: 00 04 00 00, then zeros. Base64 encodes groups of three bytes in four characters, so 1372 in all.
    format!("AAQA{}AAA=", "A".repeat(1364))
}

#[cfg(unix)]
#[test]
fn a_fifo_is_refused_instead_of_blocking() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("tokenizer.json");
    assert!(std::process::Command::new("mkfifo").arg(&path).status().expect("mkfifo is there").success());
    let error = Tokenizer::open(&path).expect_err("refused");
    assert!(matches!(error, Error::Io { .. }), "{error}");
    assert!(error.to_string().contains("expected a regular file"), "{error}");
}
