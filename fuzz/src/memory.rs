//! Counts allocated memory with a global allocator that passes all calls to the system's allocator.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};

/// Number of bytes that are allocated now.
static LIVE: AtomicUsize = AtomicUsize::new(0);
/// Maximum of [`LIVE`] since [`Memory::start`].
static PEAK: AtomicUsize = AtomicUsize::new(0);

/// The system's allocator, with counters.
struct Counting;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

// SAFETY: all calls are passed to the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        record_growth(layout.size());
        // SAFETY: the caller's guarantees are passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        record_growth(layout.size());
        // SAFETY: the caller's guarantees are passed on.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // The new block is counted first, because both may exist at once.
        record_growth(size);
        LIVE.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: the caller's guarantees are passed on.
        unsafe { System.realloc(memory, layout, size) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        LIVE.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: the caller's guarantees are passed on.
        unsafe { System.dealloc(memory, layout) }
    }
}

/// Counts a new block of memory of `size` bytes.
fn record_growth(size: usize) {
    let live = LIVE.fetch_add(size, Ordering::Relaxed).saturating_add(size);
    PEAK.fetch_max(live, Ordering::Relaxed);
}

/// Measures how much memory is allocated at once. Allocations count even if their pages are never used.
pub struct Memory {
    /// Number of bytes that were allocated when measuring started.
    before: usize,
}

impl Memory {
    /// Starts measuring.
    pub fn start() -> Self {
        let before = LIVE.load(Ordering::Relaxed);
        PEAK.store(before, Ordering::Relaxed);
        Self { before }
    }

    /// Checks the maximum since the start. Memory that was allocated before does not count.
    ///
    /// # Panics
    ///
    /// If more than `max` bytes were allocated at once.
    pub fn check(&self, max: usize) {
        let got = PEAK.load(Ordering::Relaxed).saturating_sub(self.before);
        assert!(got <= max, "memory: expected at most {max} bytes at once, got {got}");
    }
}
