//! Tests of the stemmer: the examples of Porter's paper, and properties of the stems of random words.

use proptest::prelude::*;

use super::stem;

/// Returns the stem of a word. Checks that an ASCII word has the same stem as bytes and as UTF-16 code units.
fn stemmed(word: &str) -> String {
    let mut units: Vec<u16> = word.encode_utf16().collect();
    stem(&mut units);
    if word.is_ascii() {
        let mut bytes = word.as_bytes().to_vec();
        stem(&mut bytes);
        assert_eq!(String::from_utf8(bytes).ok(), String::from_utf16(&units).ok());
    }
    String::from_utf16(&units).expect("the stemmer does not split surrogate pairs")
}

#[test]
fn the_examples_of_the_paper_have_the_expected_stems() {
    // The paper gives examples of each step. Where later steps change a word further, the final stem is expected here.
    let pairs = [
        ("caresses", "caress"),
        ("ponies", "poni"),
        ("ties", "ti"),
        ("cats", "cat"),
        ("feed", "feed"),
        ("agreed", "agre"),
        ("plastered", "plaster"),
        ("bled", "bled"),
        ("motoring", "motor"),
        ("sing", "sing"),
        ("conflated", "conflat"),
        ("troubled", "troubl"),
        ("sized", "size"),
        ("hopping", "hop"),
        ("tanned", "tan"),
        ("falling", "fall"),
        ("hissing", "hiss"),
        ("fizzed", "fizz"),
        ("failing", "fail"),
        ("filing", "file"),
        ("happy", "happi"),
        ("sky", "sky"),
        ("relational", "relat"),
        ("conditional", "condit"),
        ("rational", "ration"),
        ("digitizer", "digit"),
        ("radically", "radic"),
        ("vileli", "vile"),
        ("vietnamization", "vietnam"),
        ("operator", "oper"),
        ("hopefulness", "hope"),
        ("sensibiliti", "sensibl"),
        ("triplicate", "triplic"),
        ("formative", "form"),
        ("goodness", "good"),
        ("revival", "reviv"),
        ("allowance", "allow"),
        ("gyroscopic", "gyroscop"),
        ("adjustable", "adjust"),
        ("replacement", "replac"),
        ("adoption", "adopt"),
        ("homologou", "homolog"),
        ("effective", "effect"),
        ("bowdlerize", "bowdler"),
        ("probate", "probat"),
        ("rate", "rate"),
        ("cease", "ceas"),
        ("controll", "control"),
        ("roll", "roll"),
        ("generalizations", "gener"),
        ("oscillators", "oscil"),
        // In a run of y, consonants and vowels alternate. The first y is a consonant at the start of the word, and a
        // vowel after a consonant.
        ("yyyyed", "yyyi"),
        ("xyyyed", "xyyi"),
    ];
    for (word, stem) in pairs {
        assert_eq!(stemmed(word), stem, "{word}");
    }
}

#[test]
fn the_stemmer_differs_from_the_paper_as_the_authors_program_does() {
    for (word, stem) in [("is", "is"), ("s", "s"), ("possibly", "possibl"), ("apology", "apolog")] {
        assert_eq!(stemmed(word), stem);
    }
}

#[test]
fn letters_other_than_a_to_z_are_consonants() {
    assert_eq!(stemmed("cafés"), "café");
    // One of two equal consonants before -ed is removed, as in "hopped".
    assert_eq!(stemmed("añññed"), "aññ");
}

proptest! {
    /// The words end with up to three suffixes, so that several steps may change them.
    #[test]
    fn a_stem_without_its_last_two_letters_is_a_prefix_of_the_word(
        start in "[a-zé]{0,6}",
        suffixes in prop::collection::vec("s|es|ies|eed|ed|ing|y|ational|iviti|biliti|logi|izer|ness|ement|ion|e|ll", 0..4),
    ) {
        let word = format!("{start}{}", suffixes.concat());
        let stem = stemmed(&word);
        let (stem_letters, letters): (Vec<char>, Vec<char>) = (stem.chars().collect(), word.chars().collect());
        prop_assert!(stem_letters.len() <= letters.len(), "{word}: {stem}");
        prop_assert_eq!(stem_letters.is_empty(), letters.is_empty(), "{}: {}", word, stem);
        // At most the last two letters of a replacement differ from the replaced suffix: `-biliti` becomes `-ble`.
        let unchanged = &stem_letters[..stem_letters.len().saturating_sub(2)];
        prop_assert!(letters.starts_with(unchanged), "{word}: {stem}");
        if letters.len() <= 2 {
            prop_assert_eq!(stem, word);
        }
    }
}
