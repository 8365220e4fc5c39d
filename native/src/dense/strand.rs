use std::collections::VecDeque;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::pool::{self, Work};

/// Work done one after another, in the order of its coming, on one thread of the pool: what waits holds none.
#[derive(Default)]
pub struct Strand {
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    queue: VecDeque<Work>,
    running: bool,
}

impl Strand {
    pub fn run(self: &Arc<Self>, work: Work) -> io::Result<()> {
        let mut state = self.lock();
        if !state.running {
            let strand = Arc::clone(self);
            pool::run(Box::new(move || strand.serve()))?;
            state.running = true;
        }
        state.queue.push_back(work);
        Ok(())
    }

    fn serve(&self) {
        loop {
            let mut state = self.lock();
            let Some(work) = state.queue.pop_front() else {
                state.running = false;
                return;
            };
            drop(state);
            work();
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
