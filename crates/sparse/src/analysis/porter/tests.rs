use proptest::prelude::*;

use super::stem;

fn stemmed(word: &str) -> String {
    let mut units: Vec<u16> = word.encode_utf16().collect();
    stem(&mut units);
    if word.is_ascii() {
        let mut bytes = word.as_bytes().to_vec();
        stem(&mut bytes);
        assert_eq!(String::from_utf8(bytes).ok(), String::from_utf16(&units).ok());
    }
    String::from_utf16(&units).expect("stems of whole words are whole")
}

#[test]
fn the_examples_of_the_paper_come_out_as_printed_or_as_later_steps_leave_them() {
    // Each step's own examples; where a later step goes on, its result.
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
        // Runs of y: consonant, vowel, consonant, … from the start; vowel first after a consonant.
        ("yyyyed", "yyyi"),
        ("xyyyed", "xyyi"),
    ];
    for (word, stem) in pairs {
        assert_eq!(stemmed(word), stem, "{word}");
    }
}

#[test]
fn the_departures_of_the_authors_program_are_kept() {
    for (word, stem) in [("is", "is"), ("s", "s"), ("possibly", "possibl"), ("apology", "apolog")] {
        assert_eq!(stemmed(word), stem);
    }
}

#[test]
fn letters_beyond_ascii_are_consonants() {
    assert_eq!(stemmed("cafés"), "café");
    // Two equal consonants before -ed: one goes, as in "hopped".
    assert_eq!(stemmed("añññed"), "aññ");
}

proptest! {
    /// Suffixes in a row, so that steps follow upon each other.
    #[test]
    fn a_stem_is_the_word_up_to_its_last_letters(
        start in "[a-zé]{0,6}",
        endings in prop::collection::vec("s|es|ies|eed|ed|ing|y|ational|iviti|biliti|logi|izer|ness|ement|ion|e|ll", 0..4),
    ) {
        let word = format!("{start}{}", endings.concat());
        let stem = stemmed(&word);
        let (letters, of_word): (Vec<char>, Vec<char>) = (stem.chars().collect(), word.chars().collect());
        prop_assert!(letters.len() <= of_word.len() && letters.is_empty() == of_word.is_empty(), "{word}: {stem}");
        // Rules replace what they cut by letters of which the first is mostly the word's own.
        prop_assert!(of_word.starts_with(&letters[..letters.len().saturating_sub(2)]), "{word}: {stem}");
        if of_word.len() <= 2 {
            prop_assert_eq!(stem, word);
        }
    }
}
