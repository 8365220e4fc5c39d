//! Porter's stemmer (M. F. Porter, "An algorithm for suffix stripping", Program 14(3), 1980).
//!
//! Like the author's own C program and Lucene, it departs from the paper in three points: words of one or two letters
//! are not changed, `-bli` becomes `-ble` (the paper has only `-abli`), and `-logi` becomes `-log`. [`steps`] has the
//! steps, and [`word`] has the conditions that they check.

mod steps;
#[cfg(test)]
mod tests;
mod word;

pub(crate) use word::Unit;
use word::Word;

/// Replaces a lower-case word, given as bytes or UTF-16 code units, with its stem. Units other than `a`–`z` count as
/// consonants.
pub(crate) fn stem<U: Unit>(units: &mut Vec<U>) {
    if units.len() > 2 {
        let mut word = Word::new(units);
        word.step_1a();
        word.step_1b();
        word.step_1c();
        word.step_2();
        word.step_3();
        word.step_4();
        word.step_5();
    }
}
