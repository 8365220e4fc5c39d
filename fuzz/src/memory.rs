use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};

/// Bytes on the heap now, and the most since [`Memory::start`].
static LIVE: AtomicUsize = AtomicUsize::new(0);
static MOST: AtomicUsize = AtomicUsize::new(0);

/// The system's allocator, which counts.
struct Counting;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

// SAFETY: the system's allocator does the work.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        grown(layout.size());
        // SAFETY: the caller's promises.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        grown(layout.size());
        // SAFETY: the caller's promises.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        grown(size);
        LIVE.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: the caller's promises.
        unsafe { System.realloc(memory, layout, size) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        LIVE.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: the caller's promises.
        unsafe { System.dealloc(memory, layout) }
    }
}

fn grown(size: usize) {
    let live = LIVE.fetch_add(size, Ordering::Relaxed).saturating_add(size);
    MOST.fetch_max(live, Ordering::Relaxed);
}

/// Watches what is allocated. What is asked for counts, though the system may give it only when it is written.
pub struct Memory {
    before: usize,
}

impl Memory {
    pub fn start() -> Self {
        let before = LIVE.load(Ordering::Relaxed);
        MOST.store(before, Ordering::Relaxed);
        Self { before }
    }

    /// # Panics
    ///
    /// If more than `most` bytes were held at once.
    pub fn check(&self, most: usize) {
        let got = MOST.load(Ordering::Relaxed).saturating_sub(self.before);
        assert!(got <= most, "memory: expected at most {most} bytes at once, got {got}");
    }
}
