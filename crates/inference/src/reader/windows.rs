//! Splits long texts into overlapping windows.

use std::ops::Range;

/// Splits the tokens of a text into windows of at most `room` tokens; a `room` of 0 counts as 1. `words[i]` is the
/// number of the word that token i belongs to. Returns the token range of each window, in order. Every token is in at
/// least one window. A text that fits, even an empty one, is one window.
///
/// Windows begin and end at word boundaries. Two consecutive windows share at least `overlap` tokens, or fewer if the
/// second window would otherwise have no room for the next word. Only words of more than `room` tokens are split.
pub(crate) fn windows(words: &[u32], room: usize, overlap: usize) -> Vec<Range<usize>> {
    let (token_count, room) = (words.len(), room.max(1));
    let word_starts = word_starts_of(words);
    let word_end =
        |at: usize| (at..token_count).find(|&next| words[next] != words[at]).unwrap_or(token_count);
    let mut windows = Vec::with_capacity(token_count / room + 1);
    let (mut start, mut previous_end) = (0, 0);
    loop {
        let max_end = token_count.min(start + room);
        let word_boundary = if max_end < token_count { word_starts[max_end] } else { token_count };
        // If this window has no complete new word, the next word does not fit and is split.
        let end = if word_boundary > previous_end { word_boundary } else { max_end };
        windows.push(start..end);
        if end == token_count {
            return windows;
        }
        // The next window must contain the next word, or only the word's first token if the word does not fit into a
        // window.
        let next_word_end = word_end(end);
        let min_next_end = if next_word_end - end <= room { next_word_end } else { end + 1 };
        let min_start = min_next_end.saturating_sub(room).max(start + 1);
        let overlap_start = end.saturating_sub(overlap);
        start = if word_starts[overlap_start] >= min_start {
            word_starts[overlap_start]
        } else {
            // `end` is the start of a word, unless a word is split there.
            (min_start..=end).find(|&at| word_starts[at] == at).unwrap_or(min_start.max(overlap_start))
        };
        previous_end = end;
    }
}

/// Returns, for each token, the position of the first token of its word.
fn word_starts_of(words: &[u32]) -> Vec<usize> {
    let mut word_start = 0;
    (0..words.len())
        .map(|at| {
            if at > 0 && words[at] != words[at - 1] {
                word_start = at;
            }
            word_start
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The word number of each token, for words of these lengths.
    fn words_of(lengths: &[usize]) -> Vec<u32> {
        (0..).zip(lengths).flat_map(|(word, &length)| std::iter::repeat_n(word, length)).collect()
    }

    #[test]
    fn windows_overlap_and_begin_and_end_at_word_boundaries() {
        // The words have the tokens 0 1 | 2 3 4 | 5 | 6 7 | 8 9. The first five tokens are two words.
        let words = words_of(&[2, 3, 1, 2, 2]);
        assert_eq!(windows(&words, 5, 0), [0..5, 5..10]);
        // An overlap of one token would begin at 4, inside the word 2 3 4, so the second window begins at 2. Five
        // tokens later, at 7, it would end inside the word 6 7, so it ends at 6. The third window begins one token
        // before that.
        assert_eq!(windows(&words, 5, 1), [0..5, 2..6, 5..10]);
        for (words, room) in [(&words[..], 10), (&words[..], 99), (&[], 10)] {
            let found = windows(words, room, 3);
            assert_eq!(
                (found.len(), found[0].clone()),
                (1, 0..words.len()),
                "a text that fits is one window"
            );
        }
    }

    #[test]
    fn the_overlap_is_smaller_if_a_long_word_would_otherwise_not_fit() {
        // A window of six tokens has room for the word of five tokens and one other token, not for an overlap of three.
        assert_eq!(windows(&words_of(&[1, 1, 1, 1, 1, 1, 5, 1]), 6, 3), [0..6, 5..11, 6..12]);
    }

    #[test]
    fn only_words_longer_than_a_window_are_split() {
        assert_eq!(windows(&words_of(&[2, 7, 1]), 3, 1), [0..2, 2..5, 4..7, 6..9, 9..10]);
        assert_eq!(windows(&words_of(&[9]), 4, 0), [0..4, 4..8, 8..9]);
        assert_eq!(
            windows(&words_of(&[4]), 1, 9),
            [0..1, 1..2, 2..3, 3..4],
            "each window begins at least one token later"
        );
    }

    proptest! {
        /// Compares with windows that begin every `room` − `overlap` tokens, as Hugging Face's tokenizers make them.
        /// There the overlap is called `stride`.
        #[test]
        fn windows_of_one_token_words_share_exactly_the_overlap(tokens in 1usize..80, room in 1usize..20, overlap in 0usize..19) {
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
        fn every_token_is_in_a_window_and_every_window_fits_and_has_new_tokens(
            lengths in prop::collection::vec(1usize..12, 0..40), room in 1usize..20, overlap in 0usize..25,
        ) {
            let words = words_of(&lengths);
            let found = windows(&words, room, overlap);
            prop_assert_eq!(found[0].start, 0);
            prop_assert_eq!(found[found.len() - 1].end, words.len());
            prop_assert!(found.iter().all(|window| window.len() <= room));
            for pair in found.windows(2) {
                prop_assert!(pair[0].start < pair[1].start && pair[0].end < pair[1].end, "{:?}", found);
                prop_assert!(pair[1].start <= pair[0].end, "{:?}", found);
            }
            // Every word that fits into a window is complete in some window, and no window begins or ends inside such a
            // word.
            let mut first = 0;
            for &length in &lengths {
                let word = first..first + length;
                first += length;
                if length <= room {
                    prop_assert!(found.iter().any(|window| window.start <= word.start && word.end <= window.end), "{:?} {:?}", word, found);
                    let inside = |at: usize| word.start < at && at < word.end;
                    prop_assert!(!found.iter().any(|window| inside(window.start) || inside(window.end)), "{:?} {:?}", word, found);
                }
            }
        }
    }
}
