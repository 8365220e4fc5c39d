//! Splits ASCII text into BERT's word pieces, about ten times as fast as the library (the crate `tokenizers` of Hugging
//! Face).
//!
//! A text is cut at white space into chunks. A chunk of ASCII letters, digits and punctuation is split here. All other
//! chunks are unsupported: each sequence of adjacent unsupported chunks goes to the library in one call.

use std::ops::Range;

use tokenizers::{ModelWrapper, NormalizerWrapper, PreTokenizerWrapper};

use crate::Pieces;
use crate::double_array_trie::{Node, Trie};
use crate::library::LibraryTokenizer;

/// How BERT's tokenizer treats a byte.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Class {
    /// Separates words.
    Space,
    /// A letter or digit.
    Letter,
    /// ASCII punctuation: a word of its own.
    Punctuation,
    /// A control character or part of a non-ASCII character, which the library handles.
    Unsupported,
}

static CLASSES: [Class; 256] = {
    let mut classes = [Class::Unsupported; 256];
    let mut byte = 0;
    while byte < 128 {
        let character = byte as u8;
        classes[byte] = match character {
            b' ' | b'\t' | b'\n' | b'\r' => Class::Space,
            _ if character.is_ascii_alphanumeric() => Class::Letter,
            _ if character.is_ascii_punctuation() => Class::Punctuation,
            _ => Class::Unsupported,
        };
        byte += 1;
    }
    classes
};

/// Splits ASCII words greedily into the longest pieces of the vocabulary (Wu et al., 2016, "Google's Neural Machine
/// Translation System", section 4.1, as in BERT).
#[derive(Debug)]
pub(crate) struct AsciiWordPieces {
    trie: Trie,
    /// The nodes of the trie at which lookups start: for the first piece of a word, and for the pieces after it. See
    /// [`KINDS`].
    roots: [Node; 2],
    /// The id of the unknown token.
    unknown: u32,
    /// Whether letters are lowercased before a lookup.
    lowercase: bool,
    /// Maximum number of letters in a word. A longer word becomes the unknown token.
    max_letters: usize,
}

/// In the trie, a byte precedes each piece: 0 if the piece can begin a word, 1 if it continues one (`##` in BERT).
const KINDS: [u8; 2] = [0, 1];

impl AsciiWordPieces {
    /// Reads the vocabulary and the settings of a tokenizer. Returns `None` if its rules are not those of BERT.
    pub fn new(inner: &LibraryTokenizer) -> Option<Self> {
        let Some(NormalizerWrapper::BertNormalizer(normalizer)) = inner.get_normalizer()?.only() else {
            return None;
        };
        let PreTokenizerWrapper::BertPreTokenizer(_) = &inner.get_pre_tokenizer()?.0 else { return None };
        let ModelWrapper::WordPiece(model) = inner.get_model() else { return None };
        // Special tokens in a text are ordinary text. Other added tokens must be found before the text is split, which
        // only the library does.
        if inner.get_added_tokens_decoder().values().any(|token| !token.special) {
            return None;
        }
        let vocabulary = inner.get_vocab(false);
        let unknown = *vocabulary.get(&model.unk_token)?;
        let mut strings: Vec<(Vec<u8>, u32)> = Vec::new();
        for (piece, id) in vocabulary {
            if let Some(rest) = piece.strip_prefix(&model.continuing_subword_prefix) {
                strings.push(([&[KINDS[1]], rest.as_bytes()].concat(), id));
            }
            strings.push(([&[KINDS[0]], piece.as_bytes()].concat(), id));
        }
        strings.sort_unstable();
        let sorted: Vec<(&[u8], u32)> = strings.iter().map(|(string, id)| (&string[..], *id)).collect();
        let trie = Trie::new(&sorted);
        let [beginnings, continuations] = KINDS.map(|kind| trie.step(Trie::ROOT, kind));
        let (roots, lowercase) = ([beginnings?, continuations?], normalizer.lowercase);
        Some(Self { trie, roots, unknown, lowercase, max_letters: model.max_input_chars_per_word })
    }

    /// Splits a text of less than 4 GiB into pieces. `library` splits the chunks that are not supported here. Chunks
    /// can be split separately because none of BERT's rules looks across white space.
    pub fn pieces<E>(&self, text: &str, library: impl Fn(&str) -> Result<Pieces, E>) -> Result<Pieces, E> {
        let bytes = text.as_bytes();
        let mut pieces = Pieces::default();
        // English has four to five bytes per piece, including the space.
        pieces.reserve(bytes.len() / 4 + 4);
        // The number of the next word.
        let mut word = 0;
        let mut at = 0;
        while at < bytes.len() {
            if CLASSES[usize::from(bytes[at])] == Class::Space {
                at += 1;
                continue;
            }
            let (end, is_supported) = chunk_end(bytes, at);
            if is_supported {
                self.push_words(bytes, at..end, &mut word, &mut pieces);
                at = end;
            } else {
                let end = unsupported_end(bytes, end);
                let found = library(&text[at..end])?;
                pieces.ids.extend(found.ids);
                pieces
                    .offsets
                    .extend(found.offsets.iter().map(|range| range.start + at as u32..range.end + at as u32));
                pieces.words.extend(found.words.iter().map(|number| number + word));
                word += found.words.last().map_or(0, |last| last + 1);
                at = end;
            }
        }
        Ok(pieces)
    }

    /// Appends the pieces of a supported chunk.
    fn push_words(&self, bytes: &[u8], chunk: Range<usize>, word: &mut u32, pieces: &mut Pieces) {
        let mut start = chunk.start;
        while start < chunk.end {
            let mut end = start + 1;
            if CLASSES[usize::from(bytes[start])] == Class::Letter {
                let is_letter = |&&byte: &&u8| CLASSES[usize::from(byte)] == Class::Letter;
                end += bytes[end..chunk.end].iter().take_while(is_letter).count();
            }
            self.push_word(&bytes[start..end], start as u32, *word, pieces);
            *word += 1;
            start = end;
        }
    }

    /// Appends the pieces of a word, or the unknown token.
    fn push_word(&self, letters: &[u8], offset: u32, word: u32, pieces: &mut Pieces) {
        let first_piece = pieces.len();
        let [mut root, continuations] = self.roots;
        let mut at = 0;
        while at < letters.len() {
            let found = if letters.len() > self.max_letters {
                None
            } else {
                self.longest_piece(root, &letters[at..])
            };
            let Some((id, length)) = found else {
                pieces.truncate(first_piece);
                pieces.push(self.unknown, offset..offset + letters.len() as u32, word);
                return;
            };
            let start = offset + at as u32;
            pieces.push(id, start..start + length as u32, word);
            at += length;
            root = continuations;
        }
    }

    /// Returns the id and length of the longest piece that is a prefix of `letters`.
    #[inline]
    fn longest_piece(&self, root: Node, letters: &[u8]) -> Option<(u32, usize)> {
        let (mut node, mut best) = (root, None);
        for (at, letter) in letters.iter().enumerate() {
            let letter = if self.lowercase { letter.to_ascii_lowercase() } else { *letter };
            let Some(next) = self.trie.step(node, letter) else { break };
            node = next;
            if let Some(id) = self.trie.value(node) {
                best = Some((id, at + 1));
            }
        }
        best
    }
}

/// Returns the end of the chunk that begins at byte `start`, and whether all of its bytes are supported.
fn chunk_end(bytes: &[u8], start: usize) -> (usize, bool) {
    let mut is_supported = true;
    for (at, &byte) in bytes.iter().enumerate().skip(start) {
        match CLASSES[usize::from(byte)] {
            Class::Space => return (at, is_supported),
            Class::Unsupported => is_supported = false,
            Class::Letter | Class::Punctuation => {}
        }
    }
    (bytes.len(), is_supported)
}

/// Returns the end of a sequence of unsupported chunks, the first of which ends at byte `end`.
fn unsupported_end(bytes: &[u8], mut end: usize) -> usize {
    loop {
        let is_space = |&byte: &u8| CLASSES[usize::from(byte)] == Class::Space;
        let next = end + bytes[end..].iter().take_while(|byte| is_space(byte)).count();
        if next == bytes.len() {
            return end;
        }
        let (after, is_supported) = chunk_end(bytes, next);
        if is_supported {
            return end;
        }
        end = after;
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::sync::LazyLock;

    use proptest::prelude::*;

    use crate::Tokenizer;

    const FILE: &str = "models/minilm-encoder/tokenizer.json";

    fn repository() -> &'static Path {
        Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
    }

    /// Loads [`FILE`] after some replacements, which are pairs of old and new text.
    fn tokenizer_with(changes: &[(&str, &str)]) -> Tokenizer {
        let path = repository().join(FILE);
        let mut file = std::fs::read_to_string(&path).expect("it is in the repository");
        for (from, to) in changes {
            assert!(file.contains(from), "{from}");
            file = file.replacen(from, to, 1);
        }
        Tokenizer::from_bytes(file.as_bytes(), &path).expect("a valid file")
    }

    /// Four variants of the tokenizer: unchanged, case-sensitive, one that does not remove control characters, and one
    /// with a low limit on word length.
    static TOKENIZERS: LazyLock<[Tokenizer; 4]> = LazyLock::new(|| {
        [
            tokenizer_with(&[]),
            tokenizer_with(&[(r#""lowercase":true"#, r#""lowercase":false"#)]),
            tokenizer_with(&[(r#""clean_text":true"#, r#""clean_text":false"#)]),
            tokenizer_with(&[(r#""max_input_chars_per_word":100"#, r#""max_input_chars_per_word":5"#)]),
        ]
    });

    /// Asserts that all variants split the text as the library does.
    fn check_against_library(text: &str) {
        for tokenizer in &*TOKENIZERS {
            let (ascii, library) = (tokenizer.pieces(text), tokenizer.library_pieces(text));
            assert_eq!(ascii.expect("tokenizes"), library.expect("tokenizes"), "{text:?}");
        }
    }

    #[test]
    fn words_punctuation_and_unsupported_text_are_split_as_by_the_library() {
        for text in [
            "",
            "  ",
            "Hello, world!",
            "don't re-do U.S.A. e.g. 3,000.50 a_b [SEP] ##ing # a##b",
            "tab\tline\nreturn\r\nfeed\x0bform\x0cnull\0bell\x07 delete\x7f end",
            "ab\u{0}cd \u{0} e",
            "naïve café cafe\u{301} \u{301}alone x \u{301} y",
            "東京 tokyo東京 a東 b",
            "no\u{a0}break \u{2003}em \u{200b}zero\u{200b} soft\u{ad}hyphen",
            "ΣΊΣΥΦΟΣ İstanbul ẞ ﬁne ½ Ⅷ 🚀 rocket🚀",
            "zzzzqqqqxxxx \u{2603} supercalifragilisticexpialidocious",
            &"long".repeat(40),
            &format!("{} {}", "x".repeat(100), "x".repeat(101)),
        ] {
            check_against_library(text);
        }
    }

    #[test]
    fn the_example_articles_are_split_as_by_the_library() {
        let articles = repository().join("examples/encyclopedia/articles");
        for article in std::fs::read_dir(articles).expect("it is in the repository") {
            check_against_library(
                &std::fs::read_to_string(article.expect("an entry").path()).expect("a text"),
            );
        }
    }

    #[test]
    fn tokenizers_with_other_rules_use_the_library() {
        let token = r#"{"id":103,"special":true,"content":"[MASK]""#;
        let added = tokenizer_with(&[(token, r#"{"id":103,"special":false,"content":"[MASK]""#)]);
        assert!(added.ascii.is_none(), "added tokens are found before the text is split");
        assert_eq!(added.pieces("a [MASK] b").expect("tokenizes").ids, [1037, 103, 1038]);
        let normalizer = r#"{"type":"BertNormalizer","clean_text":true,"handle_chinese_chars":true,"strip_accents":null,"lowercase":true}"#;
        assert!(tokenizer_with(&[(normalizer, r#"{"type":"Lowercase"}"#)]).ascii.is_none());
        assert!(TOKENIZERS.iter().all(|tokenizer| tokenizer.ascii.is_some()));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(300))]

        #[test]
        fn any_text_is_split_as_by_the_library(text in any::<String>()) {
            check_against_library(&text);
        }

        #[test]
        fn texts_of_words_and_separators_are_split_as_by_the_library(
            parts in prop::collection::vec(
                prop_oneof![
                    "[a-zA-Z0-9]{1,12}",
                    "[ -~]{1,8}",
                    r"[\t\n\r\x0b\x0c\x00 ]{1,3}",
                    "[äöüßéÅñσΣ東京\u{301}\u{327}\u{a0}\u{ad}\u{2003}\u{3000}’–…½]{1,3}",
                ],
                0..20,
            ),
        ) {
            check_against_library(&parts.concat());
        }
    }
}
