//! BERT's word pieces of plain text, an order of magnitude faster than by general rules.

use std::ops::Range;

use tokenizers::{ModelWrapper, NormalizerWrapper, PreTokenizerWrapper};

use crate::Pieces;
use crate::guard::LibraryTokenizer;
use crate::trie::{State, Trie};

/// What a byte is to BERT's tokenizer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Class {
    /// Ends a word.
    Space,
    /// A letter or digit.
    Letter,
    /// A word of its own.
    Mark,
    /// A control character, or part of a character beyond ASCII: other rules are needed.
    Other,
}

static CLASSES: [Class; 256] = {
    let mut classes = [Class::Other; 256];
    let mut byte = 0;
    while byte < 128 {
        let character = byte as u8;
        classes[byte] = match character {
            b' ' | b'\t' | b'\n' | b'\r' => Class::Space,
            _ if character.is_ascii_alphanumeric() => Class::Letter,
            _ if character.is_ascii_punctuation() => Class::Mark,
            _ => Class::Other,
        };
        byte += 1;
    }
    classes
};

/// The word pieces of words of ASCII characters: split at white space, marks apart, each word from its beginning into the longest
/// pieces that the vocabulary has (Wu et al., 2016, "Google's Neural Machine Translation System", §4.1, as in BERT).
#[derive(Debug)]
pub(crate) struct PlainWordPieces {
    trie: Trie,
    /// Where pieces begin that begin a word, and those that do not.
    roots: [State; 2],
    unknown: u32,
    lowercase: bool,
    /// A longer word is unknown.
    most_letters: usize,
}

/// What stands before the two kinds of pieces in the trie.
const KINDS: [u8; 2] = [0, 1];

impl PlainWordPieces {
    /// None if the tokenizer has other rules than BERT's.
    pub fn of(inner: &LibraryTokenizer) -> Option<Self> {
        let Some(NormalizerWrapper::BertNormalizer(normalizer)) = inner.get_normalizer()?.only() else {
            return None;
        };
        let PreTokenizerWrapper::BertPreTokenizer(_) = &inner.get_pre_tokenizer()?.0 else { return None };
        let ModelWrapper::WordPiece(model) = inner.get_model() else { return None };
        // Special ones in somebody's text are text; others are found before words are.
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
        let [first, rest] = KINDS.map(|kind| trie.step(Trie::ROOT, kind));
        let (roots, lowercase) = ([first?, rest?], normalizer.lowercase);
        Some(Self { trie, roots, unknown, lowercase, most_letters: model.max_input_chars_per_word })
    }

    /// The pieces of a text shorter than 4 GiB. What stands between two spaces and is not plain goes through `general`, which
    /// gives the pieces of a text by itself: no rule of BERT's reaches over white space.
    pub fn pieces<E>(&self, text: &str, general: impl Fn(&str) -> Result<Pieces, E>) -> Result<Pieces, E> {
        let bytes = text.as_bytes();
        let mut pieces = Pieces::default();
        // English has four to five letters a piece, with its space.
        pieces.reserve(bytes.len() / 4 + 4);
        let mut word = 0;
        let mut at = 0;
        while at < bytes.len() {
            if CLASSES[usize::from(bytes[at])] == Class::Space {
                at += 1;
                continue;
            }
            let (end, plain) = chunk(bytes, at);
            if plain {
                self.plain(bytes, at..end, &mut word, &mut pieces);
                at = end;
            } else {
                let end = others(bytes, end);
                let found = general(&text[at..end])?;
                pieces.ids.extend(found.ids);
                pieces
                    .offsets
                    .extend(found.offsets.iter().map(|place| place.start + at as u32..place.end + at as u32));
                pieces.words.extend(found.words.iter().map(|of| of + word));
                word += found.words.last().map_or(0, |last| last + 1);
                at = end;
            }
        }
        Ok(pieces)
    }

    /// Pieces of words without a space between them.
    fn plain(&self, bytes: &[u8], chunk: Range<usize>, word: &mut u32, pieces: &mut Pieces) {
        let mut start = chunk.start;
        while start < chunk.end {
            let mut end = start + 1;
            if CLASSES[usize::from(bytes[start])] == Class::Letter {
                let letter = |&&byte: &&u8| CLASSES[usize::from(byte)] == Class::Letter;
                end += bytes[end..chunk.end].iter().take_while(letter).count();
            }
            self.word(&bytes[start..end], start as u32, *word, pieces);
            *word += 1;
            start = end;
        }
    }

    fn word(&self, letters: &[u8], offset: u32, word: u32, pieces: &mut Pieces) {
        let before = pieces.len();
        let [mut root, rest] = self.roots;
        let mut at = 0;
        while at < letters.len() {
            let found =
                if letters.len() > self.most_letters { None } else { self.longest(root, &letters[at..]) };
            let Some((id, length)) = found else {
                pieces.truncate(before);
                pieces.push(self.unknown, offset..offset + letters.len() as u32, word);
                return;
            };
            let start = offset + at as u32;
            pieces.push(id, start..start + length as u32, word);
            at += length;
            root = rest;
        }
    }

    /// The longest piece that the letters begin with, and its length.
    #[inline]
    fn longest(&self, root: State, letters: &[u8]) -> Option<(u32, usize)> {
        let (mut state, mut best) = (root, None);
        for (at, letter) in letters.iter().enumerate() {
            let letter = if self.lowercase { letter.to_ascii_lowercase() } else { *letter };
            let Some(next) = self.trie.step(state, letter) else { break };
            state = next;
            if let Some(id) = self.trie.number(state) {
                best = Some((id, at + 1));
            }
        }
        best
    }
}

/// The end of what stands from here to the next space, and whether it is plain.
fn chunk(bytes: &[u8], from: usize) -> (usize, bool) {
    let mut plain = true;
    for (at, &byte) in bytes.iter().enumerate().skip(from) {
        match CLASSES[usize::from(byte)] {
            Class::Space => return (at, plain),
            Class::Other => plain = false,
            Class::Letter | Class::Mark => {}
        }
    }
    (bytes.len(), plain)
}

/// The end of the last of the chunks that are not plain either and follow one another.
fn others(bytes: &[u8], mut end: usize) -> usize {
    loop {
        let space = |&byte: &u8| CLASSES[usize::from(byte)] == Class::Space;
        let next = end + bytes[end..].iter().take_while(|byte| space(byte)).count();
        if next == bytes.len() {
            return end;
        }
        let (after, plain) = chunk(bytes, next);
        if plain {
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

    /// The tokenizer's file with other settings.
    fn changed(changes: &[(&str, &str)]) -> Tokenizer {
        let path = repository().join(FILE);
        let mut file = std::fs::read_to_string(&path).expect("the project carries it");
        for (from, to) in changes {
            assert!(file.contains(from), "{from}");
            file = file.replacen(from, to, 1);
        }
        Tokenizer::from_bytes(file.as_bytes(), &path).expect("a sound file")
    }

    /// As it is, with capitals, with raw control characters, with short words only.
    static TOKENIZERS: LazyLock<[Tokenizer; 4]> = LazyLock::new(|| {
        [
            changed(&[]),
            changed(&[(r#""lowercase":true"#, r#""lowercase":false"#)]),
            changed(&[(r#""clean_text":true"#, r#""clean_text":false"#)]),
            changed(&[(r#""max_input_chars_per_word":100"#, r#""max_input_chars_per_word":5"#)]),
        ]
    });

    fn same(text: &str) {
        for tokenizer in &*TOKENIZERS {
            let (plain, general) = (tokenizer.pieces(text), tokenizer.general(text));
            assert_eq!(plain.expect("tokenises"), general.expect("tokenises"), "{text:?}");
        }
    }

    #[test]
    fn words_marks_and_what_is_not_plain() {
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
            same(text);
        }
    }

    #[test]
    fn the_encyclopaedia() {
        let articles = repository().join("examples/encyclopedia/articles");
        for article in std::fs::read_dir(articles).expect("the project carries it") {
            same(&std::fs::read_to_string(article.expect("is there").path()).expect("a text"));
        }
    }

    #[test]
    fn other_rules_are_left_alone() {
        let token = r#"{"id":103,"special":true,"content":"[MASK]""#;
        let added = changed(&[(token, r#"{"id":103,"special":false,"content":"[MASK]""#)]);
        assert!(added.plain.is_none(), "added tokens are found before words are");
        assert_eq!(added.pieces("a [MASK] b").expect("tokenises").ids, [1037, 103, 1038]);
        let normalizer = r#"{"type":"BertNormalizer","clean_text":true,"handle_chinese_chars":true,"strip_accents":null,"lowercase":true}"#;
        assert!(changed(&[(normalizer, r#"{"type":"Lowercase"}"#)]).plain.is_none());
        assert!(TOKENIZERS.iter().all(|tokenizer| tokenizer.plain.is_some()));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(300))]

        #[test]
        fn any_text(text in any::<String>()) {
            same(&text);
        }

        #[test]
        fn texts_of_words_and_what_may_stand_between_them(
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
            same(&parts.concat());
        }
    }
}
