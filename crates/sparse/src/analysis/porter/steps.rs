//! The steps of the stemmer, named as in Porter's paper (1980). Steps 5a and 5b of the paper are one function here.
//!
//! The *measure* of a stem is the paper's *m*: the number of times that a vowel is followed by a consonant in it.

use super::word::{Unit, Word};

impl<U: Unit> Word<'_, U> {
    /// Removes plural endings: `caresses` → `caress`, `ponies` → `poni`, `cats` → `cat`.
    #[inline]
    pub fn step_1a(&mut self) {
        if self.ends_with("sses") {
            self.remove_last(2);
        } else if self.ends_with("ies") {
            self.replace_suffix("i");
        } else if self.ends_with("s") && !self.ends_with("ss") {
            self.remove_last(1);
        }
    }

    /// Removes `-ed` and `-ing`, and repairs the end of the stem: `agreed` → `agree`, `plastered` → `plaster`,
    /// `hopping` → `hop`, `filing` → `file`.
    #[inline]
    pub fn step_1b(&mut self) {
        if self.ends_with("eed") {
            if self.measure_of_stem() > 0 {
                self.remove_last(1);
            }
        } else if (self.ends_with("ed") || self.ends_with("ing")) && self.stem_has_vowel() {
            self.remove_suffix();
            if self.ends_with("at") {
                self.replace_suffix("ate");
            } else if self.ends_with("bl") {
                self.replace_suffix("ble");
            } else if self.ends_with("iz") {
                self.replace_suffix("ize");
            } else if self.ends_in_double_consonant() {
                if !(self.ends_with("l") || self.ends_with("s") || self.ends_with("z")) {
                    self.remove_last(1);
                }
            } else if self.measure(self.len()) == 1 && self.ends_cvc(self.len()) {
                self.push(b'e');
            }
        }
    }

    /// Replaces a final `y` with `i` if the stem has a vowel: `happy` → `happi`, but `sky` → `sky`.
    #[inline]
    pub fn step_1c(&mut self) {
        if self.ends_with("y") && self.stem_has_vowel() {
            self.replace_suffix("i");
        }
    }

    /// Maps double suffixes to single ones: `relational` → `relate`.
    #[inline]
    pub fn step_2(&mut self) {
        self.apply_first_rule(match self.nth_last(2) {
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

    /// Shortens or removes `-icate`, `-ful`, `-ness` and similar suffixes: `triplicate` → `triplic`.
    #[inline]
    pub fn step_3(&mut self) {
        self.apply_first_rule(match self.nth_last(1) {
            b'e' => &[("icate", "ic"), ("ative", ""), ("alize", "al")],
            b'i' => &[("iciti", "ic")],
            b'l' => &[("ical", "ic"), ("ful", "")],
            b's' => &[("ness", "")],
            _ => return,
        });
    }

    /// Removes a single suffix if the measure of the stem is above 1: `adjustable` → `adjust`.
    #[inline]
    pub fn step_4(&mut self) {
        let suffixes: &[&str] = match self.nth_last(2) {
            b'a' => &["al"],
            b'c' => &["ance", "ence"],
            b'e' => &["er"],
            b'i' => &["ic"],
            b'l' => &["able", "ible"],
            b'n' => &["ant", "ement", "ment", "ent"],
            // `-ion` is removed only after an `s` or a `t`, which stays.
            b'o' if matches!(self.nth_last(4), b's' | b't') => &["ion", "ou"],
            b'o' => &["ou"],
            b's' => &["ism"],
            b't' => &["ate", "iti"],
            b'u' => &["ous"],
            b'v' => &["ive"],
            b'z' => &["ize"],
            _ => return,
        };
        if suffixes.iter().any(|suffix| self.ends_with(suffix)) && self.measure_of_stem() > 1 {
            self.remove_suffix();
        }
    }

    /// Removes a final `e` and reduces `-ll` to `-l`, unless the stem is too short: `probate` → `probat`,
    /// `controll` → `control`, but `rate` → `rate`, `roll` → `roll`.
    #[inline]
    pub fn step_5(&mut self) {
        if self.ends_with("e") {
            let measure = self.measure_of_stem();
            if measure > 1 || (measure == 1 && !self.stem_ends_cvc()) {
                self.remove_last(1);
            }
        }
        if self.ends_with("l") && self.ends_in_double_consonant() && self.measure(self.len()) > 1 {
            self.remove_last(1);
        }
    }

    /// Finds the first rule (suffix, replacement) whose suffix the word ends with, and applies it if the measure of the
    /// stem is above 0.
    fn apply_first_rule(&mut self, rules: &[(&str, &str)]) {
        if let Some((_, replacement)) = rules.iter().find(|(suffix, _)| self.ends_with(suffix))
            && self.measure_of_stem() > 0
        {
            self.replace_suffix(replacement);
        }
    }
}
