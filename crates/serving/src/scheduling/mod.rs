//! Threads, queues and locks, and how long to use them for.

mod fair_lock;
mod latency;
mod serial_queue;
mod slices;
mod thread_pool;

pub use fair_lock::{FairRwLock, Poisoned};
pub use latency::LatencyEstimate;
pub use serial_queue::SerialQueue;
pub use slices::WriteSlices;
pub use thread_pool::{Task, ThreadPool, ThreadPoolOptions};
