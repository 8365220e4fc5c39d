//! A read–write lock that lets waiting readers in even if a writer locks it again immediately, and that remembers if a
//! write panicked.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use parking_lot::{RwLock, RwLockWriteGuard};

/// A value that many threads read, and that one writer changes in many short steps.
///
/// With an unfair lock, a writer that releases the lock and immediately requests it again could get it before the
/// waiting readers every time. Here, the writer hands the lock to the waiting readers.
#[derive(Debug)]
pub struct FairRwLock<T> {
    lock: RwLock<T>,
    read_count: AtomicU64,
    is_poisoned: AtomicBool,
}

/// A write panicked. The value may be inconsistent, so all later calls fail with this error.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a bug interrupted an earlier change, so the index may be inconsistent; open or build it again")]
pub struct Poisoned;

impl<T> FairRwLock<T> {
    /// Creates a lock around `value`.
    pub const fn new(value: T) -> Self {
        Self { lock: RwLock::new(value), read_count: AtomicU64::new(0), is_poisoned: AtomicBool::new(false) }
    }

    /// Calls `work` with the value, while other readers may read it too.
    ///
    /// # Errors
    ///
    /// [`Poisoned`] if a write panicked.
    pub fn read<R>(&self, work: impl FnOnce(&T) -> R) -> Result<R, Poisoned> {
        self.read_count.fetch_add(1, Ordering::Relaxed);
        let value = self.lock.read();
        self.check()?;
        Ok(work(&value))
    }

    /// Like [`read`](Self::read), but returns `None` if it would have to wait for a writer.
    ///
    /// # Errors
    ///
    /// As [`read`](Self::read).
    pub fn try_read<R>(&self, work: impl FnOnce(&T) -> R) -> Result<Option<R>, Poisoned> {
        let Some(value) = self.lock.try_read() else { return Ok(None) };
        self.check()?;
        Ok(Some(work(&value)))
    }

    /// Calls `work` with exclusive access to the value, and then hands the lock to the readers that wait.
    ///
    /// # Errors
    ///
    /// [`Poisoned`] if an earlier write panicked.
    pub fn write<R>(&self, work: impl FnOnce(&mut T) -> R) -> Result<R, Poisoned> {
        /// Poisons the lock if it is dropped while `work` unwinds.
        struct PoisonOnPanic<'a>(&'a AtomicBool);
        impl Drop for PoisonOnPanic<'_> {
            fn drop(&mut self) {
                if std::thread::panicking() {
                    self.0.store(true, Ordering::Relaxed);
                }
            }
        }

        let mut value = self.lock.write();
        self.check()?;
        // Dropped before the lock is released, even if `work` panics.
        let poison = PoisonOnPanic(&self.is_poisoned);
        let result = work(&mut value);
        drop(poison);
        RwLockWriteGuard::unlock_fair(value);
        Ok(result)
    }

    /// Number of times that [`read`](Self::read) has been called, including calls that are waiting. A writer that
    /// compares the numbers before and after a write knows whether readers arrived in the meantime.
    pub fn read_count(&self) -> u64 {
        self.read_count.load(Ordering::Relaxed)
    }

    fn check(&self) -> Result<(), Poisoned> {
        if self.is_poisoned.load(Ordering::Relaxed) { Err(Poisoned) } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use std::sync::mpsc::channel;
    use std::thread;
    use std::time::{Duration, Instant};

    /// How long a test waits for another thread before it fails.
    const PATIENCE: Duration = Duration::from_secs(20);

    #[test]
    fn a_writer_that_locks_again_immediately_lets_waiting_readers_in() {
        const WRITE: Duration = Duration::from_millis(2);
        let lock = FairRwLock::new(0u64);
        let is_done = AtomicBool::new(false);
        thread::scope(|scope| {
            scope.spawn(|| {
                while !is_done.load(Ordering::Relaxed) {
                    let write = |writes: &mut u64| {
                        *writes += 1;
                        thread::sleep(WRITE);
                    };
                    lock.write(write).expect("no panic");
                }
            });
            let readers: Vec<_> = (0..4)
                .map(|_| {
                    scope.spawn(|| {
                        let waits = (0..50).map(|_| {
                            let before = lock.read(|&writes| writes).expect("no panic");
                            lock.read(|&writes| writes).expect("no panic") - before
                        });
                        waits.max()
                    })
                })
                .collect();
            let waits: Vec<u64> = readers
                .into_iter()
                .map(|reader| reader.join().expect("no panic").expect("50 reads"))
                .collect();
            is_done.store(true, Ordering::Relaxed);
            // A reader that waits gets the lock after the write in progress. But more writes are possible between two
            // reads, because the system may suspend the reader's thread before the second read.
            assert!(waits.iter().all(|&writes| writes < 50), "writes between two reads: {waits:?}");
        });
    }

    #[test]
    fn try_read_returns_none_if_it_would_wait_for_a_writer() {
        let lock = FairRwLock::new(1);
        assert_eq!(lock.try_read(|&value| value), Ok(Some(1)));
        let during_write = lock.write(|value| {
            *value = 2;
            thread::scope(|scope| scope.spawn(|| lock.try_read(|&value| value)).join().expect("no panic"))
        });
        assert_eq!(during_write, Ok(Ok(None)));
        assert_eq!(lock.try_read(|&value| value), Ok(Some(2)));
    }

    #[test]
    fn a_read_that_waits_is_already_counted() {
        let lock = FairRwLock::new(());
        thread::scope(|scope| {
            let waited = lock.write(|()| {
                let before = lock.read_count();
                scope.spawn(|| lock.read(|()| ()));
                let began = Instant::now();
                while lock.read_count() == before {
                    assert!(began.elapsed() < PATIENCE, "the reader was not counted");
                    thread::yield_now();
                }
                lock.read_count() - before
            });
            assert_eq!(waited, Ok(1));
        });
    }

    #[test]
    fn readers_share_the_value() {
        let lock = FairRwLock::new(());
        let (sender, receiver) = channel();
        lock.read(|()| {
            thread::scope(|scope| {
                scope.spawn(|| lock.read(|()| sender.send(()).expect("the test receives")));
                receiver.recv_timeout(PATIENCE).expect("the other reader has the lock");
            });
        })
        .expect("no panic");
    }

    #[test]
    fn no_reader_or_writer_sees_a_value_whose_write_panicked() {
        let lock = FairRwLock::new(0);
        let half_way = AssertUnwindSafe(|| {
            lock.write(|value| {
                *value = 1;
                panic!("half-way");
            })
        });
        assert!(catch_unwind(half_way).is_err());
        assert_eq!(lock.read(|&value| value), Err(Poisoned));
        assert_eq!(lock.try_read(|&value| value), Err(Poisoned));
        assert_eq!(lock.write(|&mut value| value), Err(Poisoned));
    }
}
