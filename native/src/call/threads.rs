//! The threads of all calls.

use std::sync::LazyLock;
use std::time::Duration;

use serving::{ThreadPool, ThreadPoolOptions};

/// Threads for calls from JavaScript. Node's own four threads (libuv's) are needed for files and host names, and a call that
/// takes minutes must not keep a search waiting for one of them.
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

/// Frees a value on another thread, because that takes long; on this one if there is no other.
pub fn drop_elsewhere<T: Send + 'static>(value: T) {
    // The task, and so the value, is dropped if there is no thread.
    let _ = threads().spawn(Box::new(move || drop(value)));
}
