//! [`ImpactKernels`]: the public functions, which check their arguments.

use super::operands::{
    Bounds, DenseBounds, DenseTerm, FoundPassages, GROUP, MIN_CODES_PER_CLASS, RankedBitmap, ScanOptions,
    ScanProgress,
};

/// `(sums, dense, options, found, positions)`, where `found` and `positions` are the two buffers of [`FoundPassages`],
/// cut to the same length; see [`ImpactKernels::scan`].
pub(super) type ScanFn =
    unsafe fn(&mut [u16], &mut Vec<DenseTerm<'_>>, ScanOptions<'_>, &mut [u16], &mut [u16]) -> ScanProgress;

/// `(sums, dense, shift)`; see [`ImpactKernels::add`].
pub(super) type AddFn = unsafe fn(&mut [u16], &[DenseTerm<'_>], u32);

/// `(sums, k, maxima)`; see [`ImpactKernels::kth_sum_lower_bound`].
pub(super) type KthSumFn = unsafe fn(&[u16], usize, &mut [u16]) -> u16;

/// `(bitmap, passages, codes)`; see [`ImpactKernels::codes`].
pub(super) type CodesFn = unsafe fn(RankedBitmap<'_>, &[u32], &mut [u8]);

/// `(scale, saturations, bounds)`; see [`ImpactKernels::bounds`].
pub(super) type BoundsFn = unsafe fn(f32, &[f32; 256], &mut Bounds);

/// `(bounds, shift, classes)`; see [`ImpactKernels::class_bounds`]. All 256 bounds are used: the caller has replaced
/// those of code 0 and of the codes above `max_code`. The result is the maximum error.
pub(super) type ClassBoundsFn = unsafe fn(&Bounds, u32, &mut DenseBounds) -> u16;

/// Maximum number of dense terms of a scan or an addition.
pub const MAX_DENSE_TERMS: usize = 64;

/// Tables of bounds, sums of the bounds of dense terms, and look-ups of codes, with one instruction set.
///
/// A value of this type is proof that the running CPU supports that instruction set: [`ImpactKernels::detect`],
/// [`ImpactKernels::available`] and [`ImpactKernels::up_to`] are the only ways to get one, and they check.
#[derive(Debug)]
pub struct ImpactKernels {
    pub(super) name: &'static str,
    pub(super) codes_per_class: usize,
    pub(super) scan: ScanFn,
    pub(super) add: AddFn,
    pub(super) kth_sum: KthSumFn,
    pub(super) bounds: BoundsFn,
    pub(super) class_bounds: ClassBoundsFn,
    pub(super) codes: CodesFn,
}

impl ImpactKernels {
    /// Returns the number of codes in a class. Codes with the same quotient `code / codes_per_class` share a bound in a
    /// scan.
    #[must_use]
    pub fn codes_per_class(&self) -> usize {
        self.codes_per_class
    }

    /// Computes an upper bound on the contribution of each code, in quantization steps:
    /// ⌊scale · saturations\[code]⌋ + 1, and 0 for code 0.
    ///
    /// `scale` is the term's weight in quantization steps. `saturations[code]` is the share of the weight that a
    /// posting with that code contributes: r / (1 + r), where r is the normalized term frequency (the frequency divided
    /// by BM25's length norm). No product `scale * saturations[code]` may exceed 65,534.
    pub fn bounds(&self, scale: f32, saturations: &[f32; 256], bounds: &mut Bounds) {
        // SAFETY: `self` exists, so the CPU has the features that `self.bounds` needs.
        unsafe { (self.bounds)(scale, saturations, bounds) }
    }

    /// Returns the bounds of the classes of the codes 1 to `max_code`, in units of `1 << shift` steps, and the maximum
    /// number of steps by which the bound of a class exceeds that of one of these codes. The bound of a class is the
    /// largest of those of its codes, rounded up; it is 0 for a class without any of these codes.
    ///
    /// No bound of a code may exceed 255 units.
    ///
    /// # Panics
    ///
    /// If `max_code` is above 255 or the shift above 8.
    #[must_use]
    pub fn class_bounds(&self, bounds: &Bounds, max_code: usize, shift: u32) -> (DenseBounds, u16) {
        assert!(max_code < 256, "class_bounds: expected a code of at most 255, not {max_code}");
        assert!(shift <= 8, "class_bounds: expected a shift of at most 8");
        let mut classes = DenseBounds { units: [0; 256 / MIN_CODES_PER_CLASS] };
        if max_code == 0 {
            return (classes, 0);
        }
        debug_assert!(
            bounds.0[1..=max_code].iter().all(|bound| bound.div_ceil(1 << shift) <= 255),
            "class_bounds: expected bounds of at most 255 units"
        );
        // Code 0 and the codes above `max_code` get the bound of another code of their class, which changes neither the
        // minimum nor the maximum of the class. In classes that have only codes above `max_code`, they get 0.
        let mut bounds = bounds.clone();
        let (counted, others) = bounds.0.split_at_mut(max_code + 1);
        counted[0] = counted[1];
        let in_last_class = (max_code + 1).next_multiple_of(self.codes_per_class) - (max_code + 1);
        others[..in_last_class].fill(counted[max_code]);
        others[in_last_class..].fill(0);
        // SAFETY: `self` exists, so the CPU has the features that `self.class_bounds` needs.
        let max_error = unsafe { (self.class_bounds)(&bounds, shift, &mut classes) };
        (classes, max_error)
    }

    /// Writes the code of each passage to `codes`, or 0 for a passage that does not have the term.
    ///
    /// # Panics
    ///
    /// If `passages` and `codes` differ in length, or `bitmap` has no word, rank or code for a passage.
    pub fn codes(&self, bitmap: RankedBitmap<'_>, passages: &[u32], codes: &mut [u8]) {
        assert_eq!(passages.len(), codes.len(), "codes: expected room for one code per passage");
        // SAFETY: `self` exists, so the CPU has the features that `self.codes` needs.
        unsafe { (self.codes)(bitmap, passages, codes) }
    }

    /// Adds the bounds of dense terms to sums, and writes the passages whose sum is at or above the threshold to
    /// `found`, in order.
    ///
    /// Afterwards, the scanned sums are zeros, and each dense term has advanced past the scanned groups. Dense terms
    /// that were already added to all sums, including sums that were not scanned, are removed from `dense`. The scan
    /// uses the first `room` slots of `found`. If fewer than [`GROUP`] of these slots are left, it stops before the
    /// next group, or before the next one that it cannot skip. Another call with the remaining sums continues the scan;
    /// its positions count from the first of the remaining sums.
    ///
    /// All dense terms together may add at most 255 units to a passage, and no sum may exceed 65,535.
    ///
    /// # Panics
    ///
    /// If there are more than [`MAX_DENSE_TERMS`] dense terms; if there are more than 65,536 sums, or incomplete
    /// groups; if `room` is less than [`GROUP`] or more than `N`; if the threshold is 0 or the shift is above 8; if a
    /// dense term or `allowed` has fewer words than there are groups; or if codes or their padding are missing.
    pub fn scan<const N: usize>(
        &self,
        sums: &mut [u16],
        dense: &mut Vec<DenseTerm<'_>>,
        options: ScanOptions<'_>,
        found: &mut FoundPassages<N>,
        room: usize,
    ) -> ScanProgress {
        check(sums, dense, options.shift);
        let groups = sums.len() / GROUP;
        assert!(sums.len() <= 1 << 16, "scan: expected at most 65,536 sums");
        assert!(options.threshold > 0, "scan: expected a threshold of 1 or more");
        assert!((GROUP..=N).contains(&room), "scan: expected room for {GROUP} to {N} passages");
        let allowed = options.allowed.map_or(groups, <[u64]>::len);
        assert!(allowed >= groups, "scan: expected {groups} words or more in `allowed`");
        let (found, positions) = (&mut found.sums[..room], &mut found.positions[..room]);
        // SAFETY: `self` exists, so the CPU has the features that `self.scan` needs.
        unsafe { (self.scan)(sums, dense, options, found, positions) }
    }

    /// Adds the bounds of dense terms to all sums. A unit of [`DenseBounds`](super::DenseBounds) adds `1 << shift`.
    ///
    /// All dense terms together may add at most 255 units to a passage, and no sum may exceed 65,535.
    ///
    /// # Panics
    ///
    /// If there are more than [`MAX_DENSE_TERMS`] dense terms or incomplete groups; if the shift is above 8; if a dense
    /// term has fewer words than there are groups; or if codes or their padding are missing.
    pub fn add(&self, sums: &mut [u16], dense: &[DenseTerm<'_>], shift: u32) {
        check(sums, dense, shift);
        // SAFETY: `self` exists, so the CPU has the features that `self.add` needs.
        unsafe { (self.add)(sums, dense, shift) }
    }

    /// Returns a lower bound on the `k`-th largest sum, rounded down to a multiple of 64; 0 if there are fewer than `k`
    /// sums or subsets.
    ///
    /// The sums are divided into as many subsets as `maxima` has elements: sum `i` is in subset `i % maxima.len()`. The
    /// result is the `k`-th largest of the maxima of these subsets, rounded down. It is a lower bound, because the
    /// maxima of `k` subsets are the sums of `k` different passages. In random order, the largest sums are usually in
    /// different subsets if there are many more subsets than `k`, and the result is close to the `k`-th largest sum.
    /// With twice as many subsets as `k`, it is close to the (1.4 · `k`)-th largest sum.
    ///
    /// # Panics
    ///
    /// If `k` is 0, or `maxima` is empty or has more than 65,535 elements.
    pub fn kth_sum_lower_bound(&self, sums: &[u16], k: usize, maxima: &mut [u16]) -> u16 {
        assert!(k > 0, "kth_sum_lower_bound: expected k to be at least 1");
        assert!(
            (1..1 << 16).contains(&maxima.len()),
            "kth_sum_lower_bound: expected 1 to 65,535 subsets, not {}",
            maxima.len()
        );
        // SAFETY: `self` exists, so the CPU has the features that `self.kth_sum` needs.
        unsafe { (self.kth_sum)(sums, k, maxima) }
    }
}

/// Panics if a group is incomplete, if there are too many dense terms, if a term has too few words, or if the shift is
/// too large.
fn check(sums: &[u16], dense: &[DenseTerm<'_>], shift: u32) {
    let groups = sums.len() / GROUP;
    assert_eq!(sums.len() % GROUP, 0, "impacts: expected sums in groups of {GROUP}");
    assert!(dense.len() <= MAX_DENSE_TERMS, "impacts: expected at most {MAX_DENSE_TERMS} dense terms");
    assert!(shift <= 8, "impacts: expected a shift of at most 8");
    let words = dense.iter().map(|term| term.words.len()).min().unwrap_or(groups);
    assert!(words >= groups, "impacts: expected {groups} words or more of each dense term");
}
