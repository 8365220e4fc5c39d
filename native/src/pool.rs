//! Our own threads. libuv's four belong to files and names, and a call that takes minutes must not keep a search
//! waiting: a thread is started whenever work comes and none is idle, up to a limit, and leaves after a while idle.

use std::collections::VecDeque;
use std::sync::{Condvar, LazyLock, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// What a thread does. It must not unwind.
pub type Work = Box<dyn FnOnce() + Send>;

/// More calls than this in progress wait for each other.
const THREADS: usize = 32;
const IDLE: Duration = Duration::from_secs(10);

#[derive(Default)]
struct Pool {
    state: Mutex<State>,
    wake: Condvar,
}

#[derive(Default)]
struct State {
    queue: VecDeque<Work>,
    threads: usize,
    idle: usize,
}

static POOL: LazyLock<Pool> = LazyLock::new(Pool::default);

/// Runs `work` on another thread.
pub fn run(work: Work) -> std::io::Result<()> {
    let mut state = POOL.lock();
    state.queue.push_back(work);
    if state.idle >= state.queue.len() || state.threads == THREADS {
        POOL.wake.notify_one();
        return Ok(());
    }
    state.threads += 1;
    drop(state);
    let started = std::thread::Builder::new().name("passagekit-call".to_owned()).spawn(|| POOL.serve());
    if let Err(error) = started {
        let mut state = POOL.lock();
        state.threads -= 1;
        // With no thread at all nobody would ever take the work.
        if state.threads == 0 {
            state.queue.pop_back();
            return Err(error);
        }
    }
    Ok(())
}

impl Pool {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn serve(&self) {
        let mut state = self.lock();
        loop {
            if let Some(work) = state.queue.pop_front() {
                drop(state);
                work();
                state = self.lock();
                continue;
            }
            state.idle += 1;
            let (woken, waited) = self.wake.wait_timeout(state, IDLE).unwrap_or_else(PoisonError::into_inner);
            state = woken;
            state.idle -= 1;
            if waited.timed_out() && state.queue.is_empty() {
                state.threads -= 1;
                return;
            }
        }
    }
}
