//! The threads of all calls.

use std::sync::LazyLock;
use std::time::Duration;

use serving::{ThreadPool, ThreadPoolOptions};

/// Returns the thread pool for calls from JavaScript. libuv's pool, which most addons use, has only four threads, which
/// Node needs for files and host names, and a call that takes minutes must not keep a search waiting for a thread.
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

/// Frees a value on another thread, because freeing it takes long. If no thread can be created, frees it on this
/// thread.
pub fn drop_elsewhere<T: Send + 'static>(value: T) {
    // `spawn` drops the task, and the value with it, if it cannot create a thread.
    let _ = threads().spawn(Box::new(move || drop(value)));
}
