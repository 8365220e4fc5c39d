//! Scans and tables of impacts are those of the definition, which adds one passage at a time, with every instruction set.

use kernels::impacts::{
    Bounds, DenseBounds, DenseTerm, FoundPassages, GROUP, ImpactKernels, MIN_CODES_PER_CLASS, PADDING,
    ScanOptions, ScanProgress,
};
use proptest::prelude::*;

#[derive(Debug, Clone)]
struct Term {
    words: Vec<[u8; 8]>,
    codes: Vec<u8>,
    bounds: DenseBounds,
}

fn term(groups: usize) -> impl Strategy<Value = Term> {
    let word =
        prop_oneof![Just(0u64), Just(u64::MAX), any::<u64>(), any::<u64>().prop_map(|word| word & word >> 7)];
    let words = prop::collection::vec(word, groups);
    (
        words,
        prop::collection::vec(1u8..=255, groups * GROUP + PADDING),
        prop::collection::vec(0u8..25, 256 / MIN_CODES_PER_CLASS),
    )
        .prop_map(|(words, codes, steps)| Term {
            words: words.into_iter().map(u64::to_le_bytes).collect(),
            codes,
            bounds: DenseBounds { steps: steps.try_into().expect("a step for each class") },
        })
}

#[derive(Debug, Clone)]
struct Case {
    sums: Vec<u16>,
    terms: Vec<Term>,
    allowed: Option<Vec<u64>>,
    bound: u16,
    shift: u32,
    room: usize,
}

fn case() -> impl Strategy<Value = Case> {
    (0usize..40, 0usize..10).prop_flat_map(|(groups, terms)| {
        let sum = prop_oneof![3 => Just(0u16), 2 => 0u16..300, 1 => 0u16..5_000];
        (
            prop::collection::vec(sum, groups * GROUP),
            prop::collection::vec(term(groups), terms),
            prop::option::of(prop::collection::vec(any::<u64>(), groups)),
            prop_oneof![Just(1u16), 1u16..400, 1u16..9_000],
            0u32..=5,
            GROUP..6 * GROUP,
        )
            .prop_map(|(sums, terms, allowed, bound, shift, room)| Case {
                sums,
                terms,
                allowed,
                bound,
                shift,
                room,
            })
    })
}

fn expected(case: &Case, codes_per_class: usize) -> Vec<(usize, u16)> {
    let mut sums = case.sums.clone();
    for term in &case.terms {
        let mut codes = term.codes.iter();
        for (at, sum) in sums.iter_mut().enumerate() {
            if u64::from_le_bytes(term.words[at / GROUP]) >> (at % GROUP) & 1 == 1 {
                let code = *codes.next().expect("a code for each bit");
                *sum += u16::from(term.bounds.steps[usize::from(code) / codes_per_class]) << case.shift;
            }
        }
    }
    let allowed =
        |at: usize| case.allowed.as_ref().is_none_or(|words| words[at / GROUP] >> (at % GROUP) & 1 == 1);
    sums.into_iter().enumerate().filter(|&(at, sum)| sum >= case.bound && allowed(at)).collect()
}

proptest! {
    #[test]
    fn scans_find_the_passages_that_reach_the_bound(case in case()) {
        for kernels in ImpactKernels::available() {
            let (mut sums, mut found) = (case.sums.clone(), Vec::new());
            let dense = case.terms.iter();
            let mut dense: Vec<DenseTerm<'_>> = dense
                .map(|term| DenseTerm { words: &term.words, codes: &term.codes, bounds: &term.bounds })
                .collect();
            let mut room = Box::new(FoundPassages { sums: [0; 6 * GROUP], positions: [0; 6 * GROUP] });
            let mut from = 0;
            while from < sums.len() {
                let allowed = case.allowed.as_ref().map(|words| &words[from / GROUP..]);
                let options = ScanOptions { bound: case.bound, shift: case.shift, allowed };
                let ScanProgress { sums: scanned, found: count } = kernels.scan(&mut sums[from..], &mut dense, options, &mut room, case.room);
                prop_assert!(scanned > 0);
                found.extend((0..count).map(|at| (from + usize::from(room.positions[at]), room.sums[at])));
                from += scanned;
            }
            prop_assert!(sums.iter().all(|&sum| sum == 0), "{}", kernels.name());
            prop_assert_eq!(&found, &expected(&case, kernels.codes_per_class()), "{}", kernels.name());
        }
    }

    #[test]
    fn bounds_of_codes_are_above_the_contribution_by_at_most_one(scale in 0f32..49_152.0, contributions in prop::collection::vec(0f32..=1.0, 256)) {
        let contributions: [f32; 256] = contributions.try_into().expect("256 contributions");
        for kernels in ImpactKernels::available() {
            let mut bounds = Bounds([7; 256]);
            kernels.bounds(scale, &contributions, &mut bounds);
            prop_assert_eq!(bounds.0[0], 0);
            for (&bound, &contribution) in bounds.0.iter().zip(&contributions).skip(1) {
                let above = f64::from(bound) - f64::from(scale) * f64::from(contribution);
                // f32 rounds the product by at most 2^-24 of it.
                prop_assert!((-0.003..=1.003).contains(&above), "{} {above}", kernels.name());
            }
        }
    }
}

#[test]
#[should_panic(expected = "scan: expected 2 words or more")]
fn too_few_words_are_refused() {
    let options = ScanOptions { bound: 1, shift: 0, allowed: Some(&[0]) };
    ImpactKernels::detect().scan(
        &mut [0; 2 * GROUP],
        &mut Vec::new(),
        options,
        &mut FoundPassages { sums: [0; GROUP], positions: [0; GROUP] },
        GROUP,
    );
}
