//! Chooses codes for impacts so that the codes of a class contribute nearly the same.
//!
//! A scan uses one upper bound for all codes of a *class*: 4 or 16 neighboring codes, depending on the instruction set
//! ([`kernels::impacts`]). The *width* of a class is the difference between the largest and the smallest contribution
//! of its codes. The wider the widest class, the more passages must be scored exactly. If impacts had consecutive
//! codes, a class would sometimes contain both an impact of terms that occur once in a long passage, and one of terms
//! that occur twice in a short passage. So a class ends early where the next impact would make it too wide, and its
//! other codes are *fillers*: they repeat the last impact of the class, and no posting has them.

use kernels::impacts::{MAX_CODES_PER_CLASS, MIN_CODES_PER_CLASS};

/// The width of a class of 16 codes may be this many times that of a class of four. With 4, the large classes get
/// narrower, and the small ones wider; searches of court transcripts then take a little longer
/// (`npm run bench -- qps lexical-questions`).
const WIDTHS_PER_LARGE_CLASS: f64 = 5.0;

/// Returns, for each code from 1, the index of its impact, given the contributions of the impacts in ascending order.
/// The widest class is as narrow as possible. There are at most `max_codes` codes.
///
/// # Panics
///
/// If there are more than `max_codes` impacts.
pub(super) fn choose_codes(contributions: &[f64], max_codes: usize) -> Vec<usize> {
    // With the maximum width, no class ends early.
    let range = contributions.last().unwrap_or(&0.0) - contributions.first().unwrap_or(&0.0);
    let (mut too_narrow, mut width) = (0.0, range);
    let mut codes = place(contributions, width, max_codes).expect("at most one impact per code");
    // Halves the interval until its length is a millionth of the range.
    for _ in 0..20 {
        let middle = (too_narrow + width) / 2.0;
        match place(contributions, middle, max_codes) {
            Some(placed) => (codes, width) = (placed, middle),
            None => too_narrow = middle,
        }
    }
    codes
}

/// Places impacts so that no class of four codes is wider than `width`. Returns `None` if that takes more than
/// `max_codes` codes.
fn place(contributions: &[f64], width: f64, max_codes: usize) -> Option<Vec<usize>> {
    let mut codes = Vec::with_capacity(max_codes);
    // The contributions of the first impacts of the current classes.
    let (mut small, mut large) = (0.0, 0.0);
    for (impact, &contribution) in contributions.iter().enumerate() {
        // The code 0 is in the first class.
        let mut code = codes.len() + 1;
        for (first, class, width) in [
            (large, MAX_CODES_PER_CLASS, width * WIDTHS_PER_LARGE_CLASS),
            (small, MIN_CODES_PER_CLASS, width),
        ] {
            if impact > 0 && contribution - first > width {
                code = code.next_multiple_of(class);
            }
        }
        codes.resize(code - 1, impact.saturating_sub(1));
        if impact == 0 || code.is_multiple_of(MIN_CODES_PER_CLASS) {
            small = contribution;
        }
        if impact == 0 || code.is_multiple_of(MAX_CODES_PER_CLASS) {
            large = contribution;
        }
        codes.push(impact);
        if codes.len() > max_codes {
            return None;
        }
    }
    Some(codes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const MAX_CODES: usize = 239;

    #[test]
    fn a_class_ends_where_contributions_leave_a_gap() {
        // With consecutive codes, the codes 4 to 7 would contain impacts of the first two groups, and the codes 1 to 15
        // all impacts. Here, they have the classes 1 to 3, 4 to 7 and 8 to 11; the last group has the class 16 to 19.
        let contributions = [0.10, 0.11, 0.12, 0.13, 0.20, 0.21, 0.70, 0.71];
        let codes = [0, 1, 2, 3, 3, 3, 3, 4, 5, 5, 5, 5, 5, 5, 5, 6, 7];
        assert_eq!(choose_codes(&contributions, codes.len()), codes);
        assert_eq!(choose_codes(&[], MAX_CODES), [0usize; 0]);
        assert_eq!(choose_codes(&[0.3], MAX_CODES), [0]);
    }

    #[test]
    fn with_the_maximum_number_of_impacts_there_are_no_fillers() {
        let contributions: Vec<f64> = (0..MAX_CODES).map(|impact| (impact as f64).sqrt()).collect();
        assert_eq!(choose_codes(&contributions, MAX_CODES), (0..MAX_CODES).collect::<Vec<_>>());
    }

    proptest! {
        #[test]
        fn codes_are_in_order_and_classes_are_never_wider_than_with_consecutive_codes(
            mut contributions in prop::collection::vec(0.0..1.0, 0..=MAX_CODES),
        ) {
            contributions.sort_by(f64::total_cmp);
            let codes = choose_codes(&contributions, MAX_CODES);
            prop_assert!(codes.len() <= MAX_CODES);
            prop_assert!(codes.is_sorted());
            let mut distinct = codes.clone();
            distinct.dedup();
            prop_assert!(distinct.into_iter().eq(0..contributions.len()));
            let widest = |codes: &[usize], class: usize| {
                let by_class = codes.iter().enumerate().map(|(at, &impact)| ((at + 1) / class, contributions[impact]));
                let mut widths = [(f64::INFINITY, f64::NEG_INFINITY); 64];
                for (class, contribution) in by_class {
                    let (min, max) = widths[class];
                    widths[class] = (contribution.min(min), contribution.max(max));
                }
                widths.iter().map(|(min, max)| max - min).fold(0.0, f64::max)
            };
            let consecutive: Vec<usize> = (0..contributions.len()).collect();
            let (small, large) = (widest(&codes, MIN_CODES_PER_CLASS), widest(&codes, MAX_CODES_PER_CLASS));
            // Consecutive codes would satisfy both limits with this width of a small class.
            let (other_small, other_large) =
                (widest(&consecutive, MIN_CODES_PER_CLASS), widest(&consecutive, MAX_CODES_PER_CLASS));
            let limit = other_small.max(other_large / WIDTHS_PER_LARGE_CLASS) + 1e-5;
            prop_assert!(small <= limit, "{small} {limit}");
            prop_assert!(large <= limit * WIDTHS_PER_LARGE_CLASS, "{large} {limit}");
        }
    }
}
