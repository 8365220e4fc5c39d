//! The overlapping windows in which long texts are read.

use std::ops::Range;

/// Splits the tokens of a text into windows of at most `room` tokens (at least one), in their order. Every token is in a window,
/// and no tokens are skipped between two windows. A text that fits is one window; so is an empty text.
///
/// A window overlaps the previous one by `overlap` tokens, and by as many more as it takes to begin at the start of a word. It
/// ends at the end of a word. If words are so long that a window would then have no new word, the overlap is smaller. Only words
/// of more than `room` tokens are split. `words` has the number of each token's word.
pub(crate) fn windows(words: &[u32], room: usize, overlap: usize) -> Vec<Range<usize>> {
    let (tokens, room) = (words.len(), room.max(1));
    let begins = word_begins(words);
    let word_end = |at: usize| (at..tokens).find(|&next| words[next] != words[at]).unwrap_or(tokens);
    let mut windows = Vec::with_capacity(tokens / room + 1);
    let (mut start, mut reached) = (0, 0);
    loop {
        let full = tokens.min(start + room);
        let whole = if full < tokens { begins[full] } else { tokens };
        let end = if whole > reached { whole } else { full };
        windows.push(start..end);
        if end == tokens {
            return windows;
        }
        // The next window must have the next word, or, if that fits into no window, its next token.
        let next_word = word_end(end);
        let wanted = if next_word - end <= room { next_word } else { end + 1 };
        let earliest = wanted.saturating_sub(room).max(start + 1);
        let back = end.saturating_sub(overlap);
        start = if begins[back] >= earliest {
            begins[back]
        } else {
            // `end` is the start of a word, unless that word is split.
            (earliest..=end).find(|&at| begins[at] == at).unwrap_or(earliest.max(back))
        };
        reached = end;
    }
}

/// For each token, the position of the first token of its word.
fn word_begins(words: &[u32]) -> Vec<usize> {
    let mut begin = 0;
    (0..words.len())
        .map(|at| {
            if at > 0 && words[at] != words[at - 1] {
                begin = at;
            }
            begin
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn words_of(lengths: &[usize]) -> Vec<u32> {
        (0..).zip(lengths).flat_map(|(word, &length)| std::iter::repeat_n(word, length)).collect()
    }

    #[test]
    fn windows_overlap_and_begin_and_end_with_words() {
        // Words 0 1 | 2 3 4 | 5 | 6 7 | 8 9; the first five tokens are two words.
        let words = words_of(&[2, 3, 1, 2, 2]);
        assert_eq!(windows(&words, 5, 0), [0..5, 5..10]);
        // One token back from 5 is inside [2, 5); from there to 2, where [2, 6) and nothing of [6, 8) fits: [2, 6).
        // One back from 6 is 5: [5, 10).
        assert_eq!(windows(&words, 5, 1), [0..5, 2..6, 5..10]);
        for (words, room) in [(&words[..], 10), (&words[..], 99), (&[], 10)] {
            let all = windows(words, room, 3);
            assert_eq!((all.len(), all[0].clone()), (1, 0..words.len()), "what fits is one window");
        }
    }

    #[test]
    fn a_long_word_comes_in_whole_at_the_cost_of_overlap() {
        // Beside a word of five tokens only one other fits, so three tokens of overlap are not to be had.
        assert_eq!(windows(&words_of(&[1, 1, 1, 1, 1, 1, 5, 1]), 6, 3), [0..6, 5..11, 6..12]);
    }

    #[test]
    fn only_a_word_that_no_window_can_hold_is_split() {
        assert_eq!(windows(&words_of(&[2, 7, 1]), 3, 1), [0..2, 2..5, 4..7, 6..9, 9..10]);
        assert_eq!(windows(&words_of(&[9]), 4, 0), [0..4, 4..8, 8..9]);
        assert_eq!(windows(&words_of(&[4]), 1, 9), [0..1, 1..2, 2..3, 3..4], "one token further at least");
    }

    proptest! {
        /// The definition of Hugging Face's `stride`: the tokens that successive windows share.
        #[test]
        fn of_words_of_one_token_as_many_are_shared_as_is_said(tokens in 1usize..80, room in 1usize..20, overlap in 0usize..19) {
            prop_assume!(overlap < room);
            let words: Vec<u32> = (0..tokens as u32).collect();
            let (mut expected, mut start) = (Vec::new(), 0);
            while start + room < tokens {
                expected.push(start..start + room);
                start += room - overlap;
            }
            expected.push(start..tokens);
            prop_assert_eq!(windows(&words, room, overlap), expected);
        }

        #[test]
        fn every_token_is_covered_every_window_fits_and_each_brings_something_new(
            lengths in prop::collection::vec(1usize..12, 0..40), room in 1usize..20, overlap in 0usize..25,
        ) {
            let words = words_of(&lengths);
            let cut = windows(&words, room, overlap);
            prop_assert_eq!(cut[0].start, 0);
            prop_assert_eq!(cut[cut.len() - 1].end, words.len());
            prop_assert!(cut.iter().all(|window| window.len() <= room));
            for pair in cut.windows(2) {
                prop_assert!(pair[0].start < pair[1].start && pair[0].end < pair[1].end, "{:?}", cut);
                prop_assert!(pair[1].start <= pair[0].end, "{:?}", cut);
            }
            // Every word that fits into a window stands whole in one, and no window begins or ends inside such a word.
            let mut first = 0;
            for &length in &lengths {
                let word = first..first + length;
                first += length;
                if length <= room {
                    prop_assert!(cut.iter().any(|window| window.start <= word.start && word.end <= window.end), "{:?} {:?}", word, cut);
                    let inside = |at: usize| word.start < at && at < word.end;
                    prop_assert!(!cut.iter().any(|window| inside(window.start) || inside(window.end)), "{:?} {:?}", word, cut);
                }
            }
        }
    }
}
