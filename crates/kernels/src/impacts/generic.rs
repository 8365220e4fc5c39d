//! What every CPU can run, for the compiler to make the best of.

use super::dispatch::least;
use super::{DenseTerm, GROUP, ImpactKernels, PADDING, Scan, Scanned, bits, pass, report};

pub(super) static KERNELS: ImpactKernels =
    ImpactKernels { name: "scalar", class: CLASS, scan, bounds: scalar::bounds, codes: scalar::codes };

const CLASS: usize = 4;

fn scan(
    sums: &mut [u16],
    dense: &mut Vec<DenseTerm<'_>>,
    scan: Scan<'_>,
    found: &mut [u16],
    positions: &mut [u16],
) -> Scanned {
    let least = least(dense.iter(), &scan);
    let mut read = vec![0; dense.len()];
    let (mut done, mut count) = (sums.len(), 0);
    for (group, sums) in sums.as_chunks_mut::<GROUP>().0.iter_mut().enumerate() {
        if count + GROUP > found.len() {
            done = group * GROUP;
            break;
        }
        let mut best = 0;
        for &sum in sums.iter() {
            best = best.max(sum);
        }
        if best < least {
            for (term, read) in dense.iter().zip(&mut read) {
                *read += u64::from_le_bytes(term.words[group]).count_ones() as usize;
            }
            *sums = [0; GROUP];
            continue;
        }
        for (term, read) in dense.iter().zip(&mut read) {
            let word = u64::from_le_bytes(term.words[group]);
            // As the vector kernels do, lest a file be damaged for some CPUs only.
            let codes = &term.codes[*read..*read + PADDING];
            for (bit, &code) in bits(word).zip(codes) {
                let steps = u16::from(term.bounds.steps[usize::from(code) / CLASS]);
                sums[bit] = sums[bit].wrapping_add(steps << scan.shift);
            }
            *read += word.count_ones() as usize;
        }
        let mut reached = 0u64;
        for (bit, &sum) in sums.iter().enumerate() {
            reached |= u64::from(sum >= scan.bound) << bit;
        }
        reached &= scan.allowed.map_or(u64::MAX, |allowed| allowed[group]);
        count = report(reached, group, sums, (found, positions), count);
        *sums = [0; GROUP];
    }
    pass(dense.iter_mut(), done / GROUP, &read);
    Scanned { sums: done, found: count }
}

/// Defines what is compiled for several instruction sets.
macro_rules! define_tables {
    ($(#[$feature:meta])?) => {
        use crate::impacts::{Bounds, RANK_EVERY, Ranked};

        $(#[$feature])?
        pub(crate) fn bounds(units: f32, gains: &[f32; 256], bounds: &mut Bounds) {
            for (bound, &gain) in bounds.0.iter_mut().zip(gains) {
                *bound = ((units * gain) as i32 + 1) as u16;
            }
            bounds.0[0] = 0;
        }

        $(#[$feature])?
        pub(crate) fn codes(term: Ranked<'_>, passages: &[u32], codes: &mut [u8]) {
            const WORDS: usize = RANK_EVERY / 64;
            for (code, &passage) in codes.iter_mut().zip(passages) {
                let (at, block) = (passage as usize / 64, passage as usize / RANK_EVERY);
                let word = u64::from_le_bytes(term.words[at]);
                if word >> (passage % 64) & 1 == 0 {
                    *code = 0;
                    continue;
                }
                let mut rank = u32::from_le_bytes(term.ranks[block]);
                let words = &term.words[block * WORDS..];
                if let Some(words) = words.first_chunk::<WORDS>() {
                    // All words of the block, so that nothing depends on where the passage stands.
                    for (before, &word) in (0u32..).step_by(64).zip(words) {
                        let below = (passage % RANK_EVERY as u32).saturating_sub(before);
                        let mask = if below < 64 { (1 << below) - 1 } else { u64::MAX };
                        rank += (u64::from_le_bytes(word) & mask).count_ones();
                    }
                } else {
                    let before = words[..at % WORDS].iter().map(|&word| u64::from_le_bytes(word).count_ones());
                    rank += before.sum::<u32>() + (word & ((1 << (passage % 64)) - 1)).count_ones();
                }
                *code = term.codes[rank as usize];
            }
        }
    };
}

pub(super) mod scalar {
    define_tables!();
}

#[cfg(target_arch = "x86_64")]
pub(super) mod avx2 {
    define_tables!(#[target_feature(enable = "avx2,bmi1,popcnt")]);
}
