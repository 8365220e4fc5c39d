//! The thread pool on which calls from JavaScript run.

use std::sync::LazyLock;
use std::time::Duration;

use serving::{ThreadPool, ThreadPoolOptions};

/// Returns the thread pool for calls from JavaScript. Most addons use libuv's pool, but it has only four threads by
/// default, and Node needs these threads for files and host names. A call that takes minutes must not keep a search
/// waiting for a thread.
pub fn threads() -> &'static ThreadPool {
    static THREADS: LazyLock<ThreadPool> = LazyLock::new(|| {
        ThreadPool::new(ThreadPoolOptions {
            thread_name: "passagekit-call",
            max_threads: 32,
            idle_timeout: Duration::from_secs(10),
        })
    });
    &THREADS
}

/// Drops a value on another thread, because freeing its memory may take long. If no thread can be created, drops the
/// value on this thread.
pub fn drop_elsewhere<T: Send + 'static>(value: T) {
    // `spawn` drops the task, and the value with it, if it cannot create a thread.
    let _ = threads().spawn(Box::new(move || drop(value)));
}
