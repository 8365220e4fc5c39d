use super::operands::{Bounds, DenseTerm, FoundPassages, GROUP, RankedBitmap, ScanOptions, ScanProgress};

/// `(sums, dense, options, found, positions)`; the last two have the same length.
pub(super) type ScanFn =
    unsafe fn(&mut [u16], &mut Vec<DenseTerm<'_>>, ScanOptions<'_>, &mut [u16], &mut [u16]) -> ScanProgress;

/// `(bitmap, passages, codes)`
pub(super) type CodesFn = unsafe fn(RankedBitmap<'_>, &[u32], &mut [u8]);

/// `(scale, contributions, bounds)`
pub(super) type BoundsFn = unsafe fn(f32, &[f32; 256], &mut Bounds);

/// Maximum number of dense terms of a scan.
pub const MAX_DENSE_TERMS: usize = 64;

/// Tables and scans of impacts with one instruction set.
///
/// A value of this type is proof that the running CPU supports that instruction set: [`ImpactKernels::detect`] and
/// [`ImpactKernels::available`] are the only ways to get one, and they check.
#[derive(Debug)]
pub struct ImpactKernels {
    pub(super) name: &'static str,
    pub(super) codes_per_class: usize,
    pub(super) scan: ScanFn,
    pub(super) bounds: BoundsFn,
    pub(super) codes: CodesFn,
}

impl ImpactKernels {
    /// How many codes share a bound in a scan: those with the same `code / codes_per_class`.
    #[must_use]
    pub fn codes_per_class(&self) -> usize {
        self.codes_per_class
    }

    /// Computes an upper bound on the contribution of each code: ⌊scale · contributions\[code]⌋ + 1, and 0 for code 0.
    ///
    /// `scale` is a term's weight in quantization steps. `contributions[code]` is the share of the weight that a posting
    /// with that code contributes, 1 − 1 / (1 + r) for a ratio r of frequency and norm. No product may exceed 65,534.
    pub fn bounds(&self, scale: f32, contributions: &[f32; 256], bounds: &mut Bounds) {
        // SAFETY: `self` exists, so the CPU has the features that `self.bounds` needs.
        unsafe { (self.bounds)(scale, contributions, bounds) }
    }

    /// Looks up the code of each passage, 0 if it does not have the term.
    ///
    /// # Panics
    ///
    /// If `passages` and `codes` differ in length, or a passage is beyond the words, ranks or codes of the bitmap.
    pub fn codes(&self, bitmap: RankedBitmap<'_>, passages: &[u32], codes: &mut [u8]) {
        assert_eq!(passages.len(), codes.len(), "codes: expected room for one of each passage");
        // SAFETY: `self` exists, so the CPU has the features that `self.codes` needs.
        unsafe { (self.codes)(bitmap, passages, codes) }
    }

    /// Adds dense terms to sums and writes the passages whose sum reaches the bound to `found`, in order.
    ///
    /// Afterwards the scanned sums are zeros, and each dense term has advanced past the scanned groups. Dense terms that
    /// were added to all sums are removed from `dense`. The scan stops before a group if fewer than [`GROUP`] places are
    /// left among the first `room` of `found`; another call with the remaining sums continues it, and positions then count
    /// from its first sum.
    ///
    /// All dense terms together may add at most 255 steps, and no sum may exceed 65,535.
    ///
    /// # Panics
    ///
    /// If there are more than [`MAX_DENSE_TERMS`] dense terms; if there are more than 65,536 sums, or incomplete groups; if
    /// there is no room for a group; if the bound is 0 or the shift above 8; if a dense term or `allowed` has fewer words
    /// than there are groups; or if codes or their padding are missing.
    pub fn scan<const N: usize>(
        &self,
        sums: &mut [u16],
        dense: &mut Vec<DenseTerm<'_>>,
        options: ScanOptions<'_>,
        found: &mut FoundPassages<N>,
        room: usize,
    ) -> ScanProgress {
        let groups = sums.len() / GROUP;
        assert_eq!(sums.len() % GROUP, 0, "scan: expected sums in groups of {GROUP}");
        assert!(sums.len() <= 1 << 16, "scan: expected at most 65,536 sums");
        assert!(dense.len() <= MAX_DENSE_TERMS, "scan: expected at most {MAX_DENSE_TERMS} dense terms");
        assert!(options.bound > 0, "scan: expected a bound of 1 or more");
        assert!((GROUP..=N).contains(&room), "scan: expected room for {GROUP} to {N}");
        assert!(options.shift <= 8, "scan: expected a shift of at most 8");
        let words = dense.iter().map(|term| term.words.len()).chain(options.allowed.map(<[u64]>::len));
        assert!(words.min().unwrap_or(groups) >= groups, "scan: expected {groups} words or more");
        let (found, positions) = (&mut found.sums[..room], &mut found.positions[..room]);
        // SAFETY: `self` exists, so the CPU has the features that `self.scan` needs.
        unsafe { (self.scan)(sums, dense, options, found, positions) }
    }
}
