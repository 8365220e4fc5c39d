//! With every instruction set, scans find the same passages as a simple implementation that adds one bound at a time,
//! and the codes of single passages are those of their bits. The bound of an impact code is above the contribution of
//! the code by at most one quantization step, and below it by no more than the rounding error. The bound of a class of
//! codes is the largest of theirs. The lower bound on the k-th largest sum is that of the maxima of subsets.

use kernels::impacts::{
    Bounds, DenseBounds, DenseTerm, FoundPassages, GROUP, ImpactKernels, MAX_CODES_PER_CLASS,
    MIN_CODES_PER_CLASS, PADDING, RANK_INTERVAL, RankedBitmap, ScanOptions, ScanProgress,
};
use proptest::prelude::*;

/// The data of a [`DenseTerm`].
#[derive(Debug, Clone)]
struct Term {
    words: Vec<[u8; 8]>,
    codes: Vec<u8>,
    bounds: DenseBounds,
}

/// A dense term of `groups` groups of passages.
fn term(groups: usize) -> impl Strategy<Value = Term> {
    let word =
        prop_oneof![Just(0u64), Just(u64::MAX), any::<u64>(), any::<u64>().prop_map(|word| word & word >> 7)];
    let words = prop::collection::vec(word, groups);
    (
        words,
        prop::collection::vec(1u8..=255, groups * GROUP + PADDING),
        // Up to 9 terms of at most 24 units each add up to at most 216 units. A scan allows 255.
        prop::collection::vec(0u8..25, 256 / MIN_CODES_PER_CLASS),
    )
        .prop_map(|(words, codes, units)| Term {
            words: words.into_iter().map(u64::to_le_bytes).collect(),
            codes,
            bounds: DenseBounds { units: units.try_into().expect("units for each class") },
        })
}

/// The arguments of a scan.
#[derive(Debug, Clone)]
struct Case {
    /// Sums of the bounds of the rare terms, one per passage.
    sums: Vec<u16>,
    terms: Vec<Term>,
    /// See [`ScanOptions`] for this and the next two fields.
    allowed: Option<Vec<u64>>,
    threshold: u16,
    shift: u32,
    /// Maximum number of passages that one call can report.
    room: usize,
}

/// Arguments with up to 149 groups of passages and up to 9 terms.
fn case() -> impl Strategy<Value = Case> {
    let groups = prop_oneof![3 => 0usize..40, 1 => 40usize..150];
    (groups, 0usize..10).prop_flat_map(|(groups, terms)| {
        let sum = prop_oneof![3 => Just(0u16), 2 => 0u16..300, 1 => 0u16..5_000];
        (
            prop::collection::vec(sum, groups * GROUP),
            prop::collection::vec(term(groups), terms),
            prop::option::of(prop::collection::vec(any::<u64>(), groups)),
            prop_oneof![Just(1u16), 1u16..400, 1u16..9_000],
            0u32..=5,
            GROUP..6 * GROUP,
        )
            .prop_map(|(sums, terms, allowed, threshold, shift, room)| Case {
                sums,
                terms,
                allowed,
                threshold,
                shift,
                room,
            })
    })
}

/// Returns the sums after the bounds of all terms are added.
fn sums_with_all_terms(case: &Case, codes_per_class: usize) -> Vec<u16> {
    let mut sums = case.sums.clone();
    for term in &case.terms {
        let mut codes = term.codes.iter();
        for (at, sum) in sums.iter_mut().enumerate() {
            if u64::from_le_bytes(term.words[at / GROUP]) >> (at % GROUP) & 1 == 1 {
                let code = *codes.next().expect("a code for each bit");
                *sum += u16::from(term.bounds.units[usize::from(code) / codes_per_class]) << case.shift;
            }
        }
    }
    sums
}

/// Returns the positions and the sums of the passages that a scan must find.
fn expected(case: &Case, codes_per_class: usize) -> Vec<(usize, u16)> {
    let sums = sums_with_all_terms(case, codes_per_class);
    let allowed =
        |at: usize| case.allowed.as_ref().is_none_or(|words| words[at / GROUP] >> (at % GROUP) & 1 == 1);
    sums.into_iter().enumerate().filter(|&(at, sum)| sum >= case.threshold && allowed(at)).collect()
}

proptest! {
    #[test]
    fn scans_find_the_passages_whose_sum_is_at_or_above_the_threshold(case in case()) {
        for kernels in ImpactKernels::available() {
            let (mut sums, mut found) = (case.sums.clone(), Vec::new());
            let dense = case.terms.iter();
            let mut dense: Vec<DenseTerm<'_>> = dense
                .map(|term| DenseTerm { words: &term.words, codes: &term.codes, bounds: &term.bounds })
                .collect();
            let mut buffer = Box::new(FoundPassages { sums: [0; 6 * GROUP], positions: [0; 6 * GROUP] });
            let mut from = 0;
            while from < sums.len() {
                let allowed = case.allowed.as_ref().map(|words| &words[from / GROUP..]);
                let options = ScanOptions { threshold: case.threshold, shift: case.shift, allowed };
                let progress = kernels.scan(&mut sums[from..], &mut dense, options, &mut buffer, case.room);
                let ScanProgress { sums: scanned, found: count } = progress;
                prop_assert!(scanned > 0);
                found.extend((0..count).map(|at| (from + usize::from(buffer.positions[at]), buffer.sums[at])));
                from += scanned;
            }
            prop_assert!(sums.iter().all(|&sum| sum == 0), "{}", kernels.name());
            prop_assert_eq!(&found, &expected(&case, kernels.codes_per_class()), "{}", kernels.name());
        }
    }

    #[test]
    fn dense_terms_are_added_to_all_sums(case in case()) {
        for kernels in ImpactKernels::available() {
            let mut sums = case.sums.clone();
            let terms = case.terms.iter();
            let dense: Vec<DenseTerm<'_>> = terms
                .map(|term| DenseTerm { words: &term.words, codes: &term.codes, bounds: &term.bounds })
                .collect();
            kernels.add(&mut sums, &dense, case.shift);
            prop_assert_eq!(&sums, &sums_with_all_terms(&case, kernels.codes_per_class()), "{}", kernels.name());
        }
    }

    #[test]
    fn the_kth_sum_is_that_of_the_maxima_of_subsets(
        sums in prop::collection::vec(prop_oneof![Just(0u16), 0u16..5_000, any::<u16>()], 0..2_000),
        k in 1usize..300,
        subsets in 1usize..600,
    ) {
        let mut maxima: Vec<u16> = (0..subsets)
            .map(|subset| sums.iter().skip(subset).step_by(subsets).copied().max().unwrap_or(0))
            .collect();
        maxima.sort_unstable_by(|a, b| b.cmp(a));
        let expected = maxima.get(k - 1).map_or(0, |&kth| kth / 64 * 64);
        let mut sorted = sums.clone();
        sorted.sort_unstable_by(|a, b| b.cmp(a));
        prop_assert!(expected <= sorted.get(k - 1).copied().unwrap_or(0));
        for kernels in ImpactKernels::available() {
            // The buffer may have values of an earlier call.
            let found = kernels.kth_sum_lower_bound(&sums, k, &mut vec![9_999; subsets]);
            prop_assert_eq!(found, expected, "{}", kernels.name());
        }
    }

    #[test]
    fn codes_of_passages_are_those_of_their_bits(
        bits in prop::collection::vec(any::<bool>(), 1..1_700),
        density in 1usize..5,
        picks in prop::collection::vec(any::<prop::sample::Index>(), 0..60),
    ) {
        let has_term = |passage: usize| bits[passage] && passage.is_multiple_of(density);
        let mut words = vec![0u64; bits.len().div_ceil(GROUP)];
        let (mut ranks, mut codes, mut expected) = (Vec::new(), Vec::new(), vec![0u8; bits.len()]);
        for passage in 0..bits.len() {
            if passage.is_multiple_of(RANK_INTERVAL) {
                ranks.push((codes.len() as u32).to_le_bytes());
            }
            if has_term(passage) {
                words[passage / GROUP] |= 1 << (passage % GROUP);
                expected[passage] = 1 + (codes.len() * 7 % 255) as u8;
                codes.push(expected[passage]);
            }
        }
        let words: Vec<[u8; 8]> = words.into_iter().map(u64::to_le_bytes).collect();
        let bitmap = RankedBitmap { words: &words, ranks: &ranks, codes: &codes };
        let passages: Vec<u32> = picks.iter().map(|pick| pick.index(bits.len()) as u32).collect();
        let expected: Vec<u8> = passages.iter().map(|&passage| expected[passage as usize]).collect();
        for kernels in ImpactKernels::available() {
            let mut found = vec![7; passages.len()];
            kernels.codes(bitmap, &passages, &mut found);
            prop_assert_eq!(&found, &expected, "{}", kernels.name());
        }
    }

    #[test]
    fn bounds_of_codes_are_zero_to_one_step_above_the_contribution(
        // The contribution of a code is `scale` times its saturation. Code 0 contributes nothing.
        scale in 0f32..65_534.0, saturations in prop::collection::vec(0f32..=1.0, 256),
    ) {
        let saturations: [f32; 256] = saturations.try_into().expect("256 saturations");
        for kernels in ImpactKernels::available() {
            let mut bounds = Bounds([7; 256]);
            kernels.bounds(scale, &saturations, &mut bounds);
            prop_assert_eq!(bounds.0[0], 0);
            for (&bound, &saturation) in bounds.0.iter().zip(&saturations).skip(1) {
                let above = f64::from(bound) - f64::from(scale) * f64::from(saturation);
                // The relative error of rounding the product to f32 is at most 2⁻²⁴, and 65,534 · 2⁻²⁴ is 0.004.
                prop_assert!((-0.004..=1.004).contains(&above), "{} {above}", kernels.name());
            }
        }
    }

    #[test]
    fn the_bound_of_a_class_is_the_largest_of_its_codes_rounded_up(
        (shift, bounds) in (0u32..=8)
            .prop_flat_map(|shift| (Just(shift), prop::collection::vec(0u16..=255 << shift, 256))),
        max_code in 0usize..256,
    ) {
        let bounds = Bounds(bounds.try_into().expect("256 bounds"));
        for kernels in ImpactKernels::available() {
            let mut units = [0; 256 / MIN_CODES_PER_CLASS];
            let mut max_error = 0;
            for (code, &bound) in bounds.0.iter().enumerate().take(max_code + 1).skip(1) {
                let units: &mut u8 = &mut units[code / kernels.codes_per_class()];
                *units = (*units).max(bound.div_ceil(1 << shift) as u8);
            }
            for (code, &bound) in bounds.0.iter().enumerate().take(max_code + 1).skip(1) {
                let units = units[code / kernels.codes_per_class()];
                max_error = max_error.max((u16::from(units) << shift) - bound);
            }
            let (classes, error) = kernels.class_bounds(&bounds, max_code, shift);
            prop_assert_eq!((classes.units, error), (units, max_error), "{}", kernels.name());
        }
    }
}

#[test]
fn a_missing_code_is_not_taken_for_an_absent_term() {
    let bitmap = RankedBitmap { words: &[2u64.to_le_bytes()], ranks: &[[0; 4]], codes: &[] };
    for kernels in ImpactKernels::available() {
        let code = || {
            let mut codes = [7];
            kernels.codes(bitmap, &[1], &mut codes);
        };
        assert!(std::panic::catch_unwind(code).is_err(), "{}", kernels.name());
    }
}

#[test]
fn maxima_that_do_not_fit_rule_out_no_passage() {
    // The passage has the code 1. No posting has the last code, whose bound is so high that the maxima do not fit: the
    // sum plus one of them exceeds 16 bits; two of them exceed 255 units and, with a shift of 8, 16 bits.
    let mut units = [100; 256 / MIN_CODES_PER_CLASS];
    units[255 / MIN_CODES_PER_CLASS] = 200;
    units[255 / MAX_CODES_PER_CLASS] = 200;
    let bounds = DenseBounds { units };
    let (words, codes) = ([1u64.to_le_bytes()], [1; 1 + PADDING]);
    let cases = [(1, 5), (2, 5), (2, 8)];
    let kernels = ImpactKernels::available();
    for (kernels, (terms, shift)) in kernels.into_iter().flat_map(|kernels| cases.map(|case| (kernels, case)))
    {
        let mut sums = [0; GROUP];
        sums[0] = 65_535 - terms * (100 << shift);
        let options = ScanOptions { threshold: 65_535, shift, allowed: None };
        let mut found = FoundPassages { sums: [0; GROUP], positions: [0; GROUP] };
        let term = DenseTerm { words: &words, codes: &codes, bounds: &bounds };
        let mut dense = vec![term; usize::from(terms)];
        let progress = kernels.scan(&mut sums, &mut dense, options, &mut found, GROUP);
        assert_eq!(
            (progress.found, found.sums[0]),
            (1, 65_535),
            "{}, {terms} terms, shift {shift}",
            kernels.name()
        );
    }
}

#[test]
fn invalid_arguments_are_refused() {
    let kernels = ImpactKernels::detect();
    let term = |words| DenseTerm { words, codes: &[1; PADDING], bounds: &NO_UNITS };
    let (one_word, two_words) = ([[1; 8]; 1], [[1; 8]; 2]);
    let refuses = |message: &str, call: &(dyn Fn() + std::panic::RefUnwindSafe)| {
        let panic = std::panic::catch_unwind(call).expect_err(message);
        let found =
            panic.downcast_ref::<String>().map(String::as_str).or(panic.downcast_ref::<&str>().copied());
        assert!(found.is_some_and(|found| found.contains(message)), "{message}: {found:?}");
    };
    let sums = [0; 2 * GROUP];
    refuses("2 words or more of each dense term", &|| kernels.add(&mut { sums }, &[term(&one_word)], 0));
    refuses("codes and their padding", &|| kernels.add(&mut { sums }, &[term(&two_words)], 0));
    refuses("sums in groups of 64", &|| kernels.add(&mut { sums }[1..], &[], 0));
    refuses("k to be at least 1", &|| _ = kernels.kth_sum_lower_bound(&sums, 0, &mut [0]));
    refuses("1 to 65,535 subsets, not 0", &|| _ = kernels.kth_sum_lower_bound(&sums, 1, &mut []));
}

const NO_UNITS: DenseBounds = DenseBounds { units: [0; 256 / MIN_CODES_PER_CLASS] };

#[test]
#[should_panic(expected = "scan: expected 2 words or more in `allowed`")]
fn too_few_words_are_refused() {
    // `allowed` has one word, but there are two groups.
    let options = ScanOptions { threshold: 1, shift: 0, allowed: Some(&[0]) };
    ImpactKernels::detect().scan(
        &mut [0; 2 * GROUP],
        &mut Vec::new(),
        options,
        &mut FoundPassages { sums: [0; GROUP], positions: [0; GROUP] },
        GROUP,
    );
}
