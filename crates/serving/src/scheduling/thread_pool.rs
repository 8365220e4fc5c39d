//! A pool of threads that grows when no thread is idle, and shrinks when threads stay idle.
//!
//! A call that takes minutes must not keep a short search waiting. So a new task starts a new thread whenever no thread
//! is idle, up to a limit; beyond the limit, tasks wait in a queue. A thread that gets no task for a while exits.

use std::collections::VecDeque;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::{Condvar, Mutex};

/// A unit of work. It must not panic, because the pool would lose the thread that runs it.
pub type Task = Box<dyn FnOnce() + Send>;

/// Limits of a [`ThreadPool`].
#[derive(Debug, Clone, Copy)]
pub struct ThreadPoolOptions {
    /// Name of each thread, as debuggers show it.
    pub thread_name: &'static str,
    /// Maximum number of tasks that run at the same time.
    pub max_threads: usize,
    /// A thread exits if it gets no task for this long.
    pub idle_timeout: Duration,
}

/// Threads for tasks of any length. Clones share the threads.
#[derive(Debug, Clone)]
pub struct ThreadPool {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    options: ThreadPoolOptions,
    state: Mutex<State>,
    /// Signaled once for each task that an idle thread should take.
    task_queued: Condvar,
}

#[derive(Default)]
struct State {
    queue: VecDeque<Task>,
    thread_count: usize,
    idle_count: usize,
}

impl std::fmt::Debug for State {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { queue, thread_count, idle_count } = self;
        let mut fields = f.debug_struct("State");
        fields.field("queued", &queue.len()).field("thread_count", thread_count);
        fields.field("idle_count", idle_count).finish()
    }
}

impl ThreadPool {
    /// Creates a pool without threads. The first task starts one.
    #[must_use]
    pub fn new(options: ThreadPoolOptions) -> Self {
        Self { shared: Arc::new(Shared { options, state: Mutex::default(), task_queued: Condvar::new() }) }
    }

    /// Runs `task` on another thread.
    ///
    /// # Errors
    ///
    /// If the pool has no thread, and the system cannot create one. The task is then dropped.
    pub fn spawn(&self, task: Task) -> io::Result<()> {
        let Shared { options, state, task_queued } = &*self.shared;
        let mut locked = state.lock();
        locked.queue.push_back(task);
        if locked.idle_count >= locked.queue.len() || locked.thread_count == options.max_threads {
            task_queued.notify_one();
            return Ok(());
        }
        // The lock is held while the thread is created, so that no other call relies on the thread if its creation
        // fails.
        let shared = Arc::clone(&self.shared);
        let name = options.thread_name.to_owned();
        match std::thread::Builder::new().name(name).spawn(move || shared.run_tasks()) {
            Ok(_) => locked.thread_count += 1,
            // One of the existing threads runs the task later.
            Err(_) if locked.thread_count > 0 => {}
            // The task would never run. It is still the last one in the queue, because the lock was not released.
            Err(error) => {
                locked.queue.pop_back();
                return Err(error);
            }
        }
        Ok(())
    }
}

impl Shared {
    fn run_tasks(&self) {
        let mut state = self.state.lock();
        loop {
            if let Some(task) = state.queue.pop_front() {
                drop(state);
                task();
                state = self.state.lock();
                continue;
            }
            state.idle_count += 1;
            let waited = self.task_queued.wait_for(&mut state, self.options.idle_timeout);
            state.idle_count -= 1;
            if waited.timed_out() && state.queue.is_empty() {
                state.thread_count -= 1;
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc::channel;
    use std::time::Instant;

    /// How long a test waits for another thread before it fails.
    const PATIENCE: Duration = Duration::from_secs(20);

    fn pool(max_threads: usize, idle_timeout: Duration) -> ThreadPool {
        ThreadPool::new(ThreadPoolOptions { thread_name: "pool-of-a-test", max_threads, idle_timeout })
    }

    fn thread_count(pool: &ThreadPool) -> usize {
        pool.shared.state.lock().thread_count
    }

    #[test]
    fn a_task_starts_a_new_thread_if_all_threads_are_busy() {
        let pool = pool(2, PATIENCE);
        let (finish, finished) = channel::<()>();
        let (sender, receiver) = channel();
        let long_sender = sender.clone();
        pool.spawn(Box::new(move || {
            finished.recv().expect("told to finish");
            long_sender.send("long").expect("the test receives");
        }))
        .expect("a thread");
        pool.spawn(Box::new(move || sender.send("short").expect("the test receives"))).expect("a thread");

        assert_eq!(receiver.recv_timeout(PATIENCE), Ok("short"));
        finish.send(()).expect("it waits");
        assert_eq!(receiver.recv_timeout(PATIENCE), Ok("long"));
    }

    #[test]
    fn tasks_beyond_the_limit_wait_for_a_thread_and_run_in_order() {
        let pool = pool(1, PATIENCE);
        let (finish, finished) = channel::<()>();
        let (sender, receiver) = channel();
        pool.spawn(Box::new(move || finished.recv().expect("told to finish"))).expect("a thread");
        for task in 0..3 {
            let sender = sender.clone();
            pool.spawn(Box::new(move || sender.send(task).expect("the test receives"))).expect("a queue");
        }

        assert_eq!(thread_count(&pool), 1);
        assert!(receiver.try_recv().is_err());
        finish.send(()).expect("it waits");
        let order: Vec<i32> = (0..3).map(|_| receiver.recv_timeout(PATIENCE).expect("it ran")).collect();
        assert_eq!(order, [0, 1, 2]);
        assert_eq!(thread_count(&pool), 1);
    }

    #[test]
    fn an_idle_thread_takes_the_next_task_and_exits_when_none_comes() {
        let pool = pool(8, Duration::from_millis(50));
        let began = Instant::now();
        for _ in 0..3 {
            let (sender, receiver) = channel();
            pool.spawn(Box::new(move || sender.send(()).expect("the test receives"))).expect("a thread");
            receiver.recv_timeout(PATIENCE).expect("it ran");
            while pool.shared.state.lock().idle_count == 0 && thread_count(&pool) > 0 {
                std::thread::yield_now();
            }
            assert!(thread_count(&pool) <= 1);
        }
        while thread_count(&pool) > 0 {
            assert!(began.elapsed() < PATIENCE, "the thread is still there");
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}
