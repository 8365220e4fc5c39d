//! Porter's stemmer in the form of its author's program, which Lucene follows.
//!
//! M. F. Porter, "An algorithm for suffix stripping", Program 14(3), 1980, with the three departures of the
//! author's own C program: words of one or two letters are left alone, `-bli` becomes `-ble`, `-logi` becomes
//! `-log`. The names of the steps are the paper's.

/// One unit of a word: a byte of ASCII, or a UTF-16 code unit, in which Lucene counts.
pub(crate) trait Unit: Copy + PartialEq + From<u8> {
    /// The unit as ASCII; 0 if it is none.
    fn ascii(self) -> u8;
}

impl Unit for u8 {
    fn ascii(self) -> u8 {
        self
    }
}

impl Unit for u16 {
    fn ascii(self) -> u8 {
        u8::try_from(self).unwrap_or(0)
    }
}

/// Replaces a word in lower case by its stem. Units other than `a`–`z` count as consonants.
pub(crate) fn stem<U: Unit>(word: &mut Vec<U>) {
    if word.len() > 2 {
        let mut stemmer = Stemmer { word, stem: 0 };
        stemmer.step_1a();
        stemmer.step_1b();
        stemmer.step_1c();
        stemmer.step_2();
        stemmer.step_3();
        stemmer.step_4();
        stemmer.step_5();
    }
}

struct Stemmer<'a, U> {
    word: &'a mut Vec<U>,
    /// Length of what stands before the suffix found last.
    stem: usize,
}

impl<U: Unit> Stemmer<'_, U> {
    /// Plurals: `caresses` → `caress`, `ponies` → `poni`, `cats` → `cat`.
    fn step_1a(&mut self) {
        if self.ends("sses") {
            self.cut(2);
        } else if self.ends("ies") {
            self.replace("i");
        } else if self.ends("s") && !self.ends("ss") {
            self.cut(1);
        }
    }

    /// Past tense and gerund: `agreed` → `agree`, `plastered` → `plaster`, `hopping` → `hop`, `filing` → `file`.
    fn step_1b(&mut self) {
        if self.ends("eed") {
            if self.measure(self.stem) > 0 {
                self.cut(1);
            }
        } else if (self.ends("ed") || self.ends("ing")) && self.has_vowel(self.stem) {
            self.word.truncate(self.stem);
            if self.ends("at") {
                self.replace("ate");
            } else if self.ends("bl") {
                self.replace("ble");
            } else if self.ends("iz") {
                self.replace("ize");
            } else if self.ends_in_double_consonant() {
                if !(self.ends("l") || self.ends("s") || self.ends("z")) {
                    self.cut(1);
                }
            } else if self.measure(self.word.len()) == 1 && self.ends_short(self.word.len()) {
                self.word.push(U::from(b'e'));
            }
        }
    }

    /// A final `y` after a vowel somewhere: `happy` → `happi`, but `sky`.
    fn step_1c(&mut self) {
        if self.ends("y") && self.has_vowel(self.stem) {
            self.replace("i");
        }
    }

    /// Double suffixes to single ones: `relational` → `relate`.
    fn step_2(&mut self) {
        self.first_of(match self.nth_last(2) {
            b'a' => &[("ational", "ate"), ("tional", "tion")],
            b'c' => &[("enci", "ence"), ("anci", "ance")],
            b'e' => &[("izer", "ize")],
            b'g' => &[("logi", "log")],
            b'l' => &[("bli", "ble"), ("alli", "al"), ("entli", "ent"), ("eli", "e"), ("ousli", "ous")],
            b'o' => &[("ization", "ize"), ("ation", "ate"), ("ator", "ate")],
            b's' => &[("alism", "al"), ("iveness", "ive"), ("fulness", "ful"), ("ousness", "ous")],
            b't' => &[("aliti", "al"), ("iviti", "ive"), ("biliti", "ble")],
            _ => return,
        });
    }

    /// `-icate`, `-ful`, `-ness` and their like: `triplicate` → `triplic`.
    fn step_3(&mut self) {
        self.first_of(match self.nth_last(1) {
            b'e' => &[("icate", "ic"), ("ative", ""), ("alize", "al")],
            b'i' => &[("iciti", "ic")],
            b'l' => &[("ical", "ic"), ("ful", "")],
            b's' => &[("ness", "")],
            _ => return,
        });
    }

    /// Single suffixes off after a measure above 1: `adjustable` → `adjust`.
    fn step_4(&mut self) {
        let suffixes: &[&str] = match self.nth_last(2) {
            b'a' => &["al"],
            b'c' => &["ance", "ence"],
            b'e' => &["er"],
            b'i' => &["ic"],
            b'l' => &["able", "ible"],
            b'n' => &["ant", "ement", "ment", "ent"],
            // An s or t goes before -ion, and stays.
            b'o' if matches!(self.nth_last(4), b's' | b't') => &["ion", "ou"],
            b'o' => &["ou"],
            b's' => &["ism"],
            b't' => &["ate", "iti"],
            b'u' => &["ous"],
            b'v' => &["ive"],
            b'z' => &["ize"],
            _ => return,
        };
        if suffixes.iter().any(|suffix| self.ends(suffix)) && self.measure(self.stem) > 1 {
            self.word.truncate(self.stem);
        }
    }

    /// A final `e` off, `-ll` to `-l`: `probate` → `probat`, `controll` → `control`.
    fn step_5(&mut self) {
        if self.ends("e") {
            let measure = self.measure(self.stem);
            if measure > 1 || (measure == 1 && !self.ends_short(self.stem)) {
                self.cut(1);
            }
        }
        if self.ends("l") && self.ends_in_double_consonant() && self.measure(self.word.len()) > 1 {
            self.cut(1);
        }
    }

    /// Replaces the first suffix of the list that the word has, if the measure before it is above 0.
    fn first_of(&mut self, rules: &[(&str, &str)]) {
        if let Some((_, by)) = rules.iter().find(|(suffix, _)| self.ends(suffix))
            && self.measure(self.stem) > 0
        {
            self.replace(by);
        }
    }

    /// Whether the word ends so; if it does, the stem is what stands before.
    fn ends(&mut self, suffix: &str) -> bool {
        let Some(at) = self.word.len().checked_sub(suffix.len()) else { return false };
        let found =
            self.word[at..].iter().zip(suffix.bytes()).rev().all(|(&unit, byte)| unit == U::from(byte));
        if found {
            self.stem = at;
        }
        found
    }

    /// The unit so far from the end, counted from 1; 0 before the start.
    fn nth_last(&self, back: usize) -> u8 {
        self.word.len().checked_sub(back).map_or(0, |at| self.word[at].ascii())
    }

    fn replace(&mut self, by: &str) {
        self.word.truncate(self.stem);
        self.word.extend(by.bytes().map(U::from));
    }

    fn cut(&mut self, units: usize) {
        self.word.truncate(self.word.len() - units);
    }

    fn is_consonant(&self, at: usize) -> bool {
        match self.word[at].ascii() {
            b'a' | b'e' | b'i' | b'o' | b'u' => false,
            // A `y` is a vowel after a consonant; a run of them alternates.
            b'y' => {
                let run = self.word[..at].iter().rev().take_while(|unit| unit.ascii() == b'y').count();
                let first = at - run;
                let first_is_consonant = first == 0 || !self.is_consonant(first - 1);
                first_is_consonant == run.is_multiple_of(2)
            }
            _ => true,
        }
    }

    /// The paper's m: how often a vowel is followed by a consonant in the first `length` units.
    fn measure(&self, length: usize) -> usize {
        let (mut count, mut after_vowel, mut consonant) = (0, false, false);
        for at in 0..length {
            consonant = self.is_consonant_after(at, consonant);
            count += usize::from(after_vowel && consonant);
            after_vowel = !consonant;
        }
        count
    }

    fn has_vowel(&self, length: usize) -> bool {
        let mut consonant = false;
        (0..length).any(|at| {
            consonant = self.is_consonant_after(at, consonant);
            !consonant
        })
    }

    /// [`is_consonant`](Self::is_consonant) where the answer for the unit before is known.
    fn is_consonant_after(&self, at: usize, before: bool) -> bool {
        match self.word[at].ascii() {
            b'a' | b'e' | b'i' | b'o' | b'u' => false,
            b'y' => at == 0 || !before,
            _ => true,
        }
    }

    /// The paper's *d: two equal consonants at the end.
    fn ends_in_double_consonant(&self) -> bool {
        let length = self.word.len();
        length > 1 && self.word[length - 1] == self.word[length - 2] && self.is_consonant(length - 1)
    }

    /// The paper's *o: consonant, vowel, consonant other than w, x, y at the end of the first `length` units.
    fn ends_short(&self, length: usize) -> bool {
        length > 2
            && !matches!(self.word[length - 1].ascii(), b'w' | b'x' | b'y')
            && self.is_consonant(length - 1)
            && !self.is_consonant(length - 2)
            && self.is_consonant(length - 3)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

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
}
