//! Threads, queues and locks for concurrent calls, and how long each call may use them: a pool of threads, a queue of
//! changes on these threads, a read–write lock, slices of changes under the lock, and predictions of latency.

mod fair_lock;
mod latency;
mod serial_queue;
mod slices;
mod thread_pool;

pub use fair_lock::{FairRwLock, Poisoned};
pub use latency::{LatencyEstimate, MAX_QUICK_TIME};
pub use serial_queue::SerialQueue;
pub use slices::WriteSlices;
pub use thread_pool::{Task, ThreadPool, ThreadPoolOptions};
