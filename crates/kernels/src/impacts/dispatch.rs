use super::{Bounds, DenseTerm, GROUP, Ranked, Reached, Scan, Scanned, generic};
#[cfg(target_arch = "x86_64")]
use super::{avx2, avx512};

/// `(sums, dense, scan, found, positions)`, of which the last two are of one length.
pub(super) type ScanFn =
    unsafe fn(&mut [u16], &mut Vec<DenseTerm<'_>>, Scan<'_>, &mut [u16], &mut [u16]) -> Scanned;

/// `(ranked, passages, codes)`
pub(super) type CodesFn = unsafe fn(Ranked<'_>, &[u32], &mut [u8]);

/// `(units, gains, bounds)`
pub(super) type BoundsFn = unsafe fn(f32, &[f32; 256], &mut Bounds);

/// Dense terms of a scan.
pub const MANY: usize = 64;

/// Tables and scans with one instruction set.
///
/// A value of this type is proof that the running CPU has that instruction set: [`ImpactKernels::detect`] and
/// [`ImpactKernels::available`] are the only ways to get one, and they check.
#[derive(Debug)]
pub struct ImpactKernels {
    pub(super) name: &'static str,
    pub(super) class: usize,
    pub(super) scan: ScanFn,
    pub(super) bounds: BoundsFn,
    pub(super) codes: CodesFn,
}

choose_kernels! {
    /// The instruction set: `avx512vbmi2`, `avx2` or `scalar`.
    ImpactKernels {
        x86_64 {
            avx512 if "avx2" && "bmi1" && "popcnt" && "avx512f" && "avx512bw" && "avx512vbmi" && "avx512vbmi2",
            avx2 if "avx2" && "bmi1" && "popcnt",
        }
        aarch64 {}
        generic
    }
}

impl ImpactKernels {
    /// How many codes are bounded together in a scan: codes `c` with the same `c / class`.
    #[must_use]
    pub fn class(&self) -> usize {
        self.class
    }

    /// For each code from 1 on ⌊units · gain⌋ + 1, for code 0 nothing: with gains of 1 − 1 / (1 + r), where r is
    /// the ratio of frequency and norm, and a term's weight in units, what the term adds, rounded up.
    ///
    /// Nothing may come to more than 65,534.
    pub fn bounds(&self, units: f32, gains: &[f32; 256], bounds: &mut Bounds) {
        // SAFETY: `self` exists, so the CPU has the features that `self.bounds` needs.
        unsafe { (self.bounds)(units, gains, bounds) }
    }

    /// For each passage its code, 0 if it lacks the term.
    ///
    /// # Panics
    ///
    /// If there are not as many codes as passages, or if a passage is beyond the term's words, ranks or codes.
    pub fn codes(&self, term: Ranked<'_>, passages: &[u32], codes: &mut [u8]) {
        assert_eq!(passages.len(), codes.len(), "codes: expected room for one of each passage");
        // SAFETY: `self` exists, so the CPU has the features that `self.codes` needs.
        unsafe { (self.codes)(term, passages, codes) }
    }

    /// Writes the passages whose sum, with the dense terms added, reaches the bound to `found`, in order. The sums
    /// looked at are zeros afterwards, and the dense terms point behind them; those that were added to all sums
    /// already are gone. Stops before a group of [`GROUP`] once there is no room for as many among the first `room`
    /// of `found`: the rest is for another call, in which positions count from its first sum.
    ///
    /// All dense terms together are to add at most 255 steps, and no sum is to pass 65,535.
    ///
    /// # Panics
    ///
    /// If there are more than [`MANY`] dense terms, more than 65,536 sums or not as many as whole groups, if there
    /// is no room for a group, if the bound is 0, the shift is above 8, if a dense term or `allowed` has fewer words
    /// than there are groups, or if codes or their padding are missing.
    pub fn scan<const N: usize>(
        &self,
        sums: &mut [u16],
        dense: &mut Vec<DenseTerm<'_>>,
        scan: Scan<'_>,
        found: &mut Reached<N>,
        room: usize,
    ) -> Scanned {
        let groups = sums.len() / GROUP;
        assert_eq!(sums.len() % GROUP, 0, "scan: expected sums in groups of {GROUP}");
        assert!(sums.len() <= 1 << 16, "scan: expected at most 65,536 sums");
        assert!(dense.len() <= MANY, "scan: expected at most {MANY} dense terms");
        assert!(scan.bound > 0, "scan: expected a bound of 1 or more");
        assert!((GROUP..=N).contains(&room), "scan: expected room for {GROUP} to {N}");
        assert!(scan.shift <= 8, "scan: expected a shift of at most 8");
        let words = dense.iter().map(|term| term.words.len()).chain(scan.allowed.map(<[u64]>::len));
        assert!(words.min().unwrap_or(groups) >= groups, "scan: expected {groups} words or more");
        let (found, positions) = (&mut found.sums[..room], &mut found.positions[..room]);
        // SAFETY: `self` exists, so the CPU has the features that `self.scan` needs.
        unsafe { (self.scan)(sums, dense, scan, found, positions) }
    }
}

/// The least sum that can reach the bound once the dense terms are added.
pub(super) fn least<'a>(dense: impl Iterator<Item = &'a DenseTerm<'a>>, scan: &Scan<'_>) -> u16 {
    let most =
        |term: &DenseTerm<'_>| u32::from(term.bounds.steps.iter().fold(0, |most, &steps| steps.max(most)));
    let most: u32 = dense.map(most).sum();
    scan.bound.saturating_sub(u16::try_from(most << scan.shift).unwrap_or(u16::MAX))
}
