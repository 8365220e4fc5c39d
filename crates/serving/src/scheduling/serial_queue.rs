//! A queue that runs its tasks one at a time, in order. Waiting tasks occupy no thread.

use std::collections::VecDeque;
use std::io;
use std::sync::Arc;

use parking_lot::Mutex;

use super::thread_pool::{Task, ThreadPool};

/// Runs tasks one after another, in the order in which they were pushed, on threads of a pool. However many tasks wait,
/// the queue occupies at most one thread of the pool.
#[derive(Default)]
pub struct SerialQueue {
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    waiting: VecDeque<Task>,
    /// Whether a thread of the pool is running the tasks.
    is_running: bool,
}

impl SerialQueue {
    /// Runs `task` after all tasks that were pushed before. If no thread is running tasks of the queue, takes a thread
    /// from `pool`.
    ///
    /// # Errors
    ///
    /// As [`ThreadPool::spawn`]. The task is then dropped.
    pub fn push(self: &Arc<Self>, pool: &ThreadPool, task: Task) -> io::Result<()> {
        let mut state = self.state.lock();
        if !state.is_running {
            let queue = Arc::clone(self);
            pool.spawn(Box::new(move || queue.run_tasks()))?;
            state.is_running = true;
        }
        state.waiting.push_back(task);
        Ok(())
    }

    fn run_tasks(&self) {
        loop {
            let mut state = self.state.lock();
            let Some(task) = state.waiting.pop_front() else {
                state.is_running = false;
                return;
            };
            drop(state);
            task();
        }
    }
}

impl std::fmt::Debug for SerialQueue {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let State { waiting, is_running } = &*self.state.lock();
        f.debug_struct("SerialQueue")
            .field("waiting", &waiting.len())
            .field("is_running", is_running)
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scheduling::ThreadPoolOptions;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::sync::mpsc::channel;
    use std::time::Duration;

    /// How long a test waits for another thread before it fails.
    const PATIENCE: Duration = Duration::from_secs(20);

    /// A pool whose threads do not exit during a test.
    fn pool(max_threads: usize) -> ThreadPool {
        ThreadPool::new(ThreadPoolOptions {
            thread_name: "queue-of-a-test",
            max_threads,
            idle_timeout: PATIENCE,
        })
    }

    #[test]
    fn tasks_run_one_at_a_time_in_the_order_in_which_they_were_pushed() {
        let (pool, queue) = (pool(8), Arc::<SerialQueue>::default());
        let running = Arc::new(AtomicUsize::new(0));
        let (sender, receiver) = channel();
        for task in 0..200 {
            let (running, sender) = (Arc::clone(&running), sender.clone());
            let work = move || {
                let others = running.fetch_add(1, Ordering::SeqCst);
                std::thread::yield_now();
                running.fetch_sub(1, Ordering::SeqCst);
                sender.send((task, others)).expect("the test receives");
            };
            queue.push(&pool, Box::new(work)).expect("a thread");
        }
        for task in 0..200 {
            assert_eq!(receiver.recv_timeout(PATIENCE), Ok((task, 0)));
        }
    }

    #[test]
    fn a_waiting_task_occupies_no_thread() {
        // There are two threads. The queue has three tasks and occupies only one thread.
        let (pool, queue) = (pool(2), Arc::<SerialQueue>::default());
        let (finish, finished) = channel::<()>();
        let (sender, receiver) = channel();
        queue.push(&pool, Box::new(move || finished.recv().expect("told to finish"))).expect("a thread");
        for _ in 0..2 {
            let sender = sender.clone();
            queue
                .push(&pool, Box::new(move || sender.send("queued").expect("the test receives")))
                .expect("room");
        }
        pool.spawn(Box::new(move || sender.send("other").expect("the test receives"))).expect("a thread");

        assert_eq!(receiver.recv_timeout(PATIENCE), Ok("other"));
        finish.send(()).expect("it waits");
        assert_eq!([receiver.recv_timeout(PATIENCE), receiver.recv_timeout(PATIENCE)], [Ok("queued"); 2]);
    }

    #[test]
    fn a_queue_that_ran_empty_runs_new_tasks() {
        let (pool, queue) = (pool(1), Arc::<SerialQueue>::default());
        for round in 0..50 {
            let (sender, receiver) = channel();
            queue
                .push(&pool, Box::new(move || sender.send(round).expect("the test receives")))
                .expect("a thread");
            assert_eq!(receiver.recv_timeout(PATIENCE), Ok(round));
        }
    }
}
