//! Settles the promises of calls. Many calls may end at the same time, and each result must be converted for JavaScript
//! on the JavaScript thread. Node would convert all of them in one iteration of the event loop, which takes seconds if
//! there are thousands. So results are converted in *batches*: when the last result of a batch has been converted, the
//! next batch is sent in a later iteration.
//!
//! ```text
//! calls that end → waiting results → a batch → conversion, promise, code of the caller
//!                                    ↑                                               │
//!                                    └─ next batch, in a later iteration of the loop ┘
//! ```

use std::cell::OnceCell;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use napi::bindgen_prelude::{Object, ToNapiValue};
use napi::{Env, JsDeferred, JsValue};

use super::error::CallResult;

/// Converts a result to a JavaScript value, on the JavaScript thread. The types of all results are hidden behind this
/// one, because napi's code for promises would otherwise be compiled for each of them, which adds a few hundred
/// kilobytes.
pub type Conversion = Box<dyn FnOnce(Env) -> napi::Result<Object<'static>> + Send>;

/// Returns the conversion of a value of any type. `Object` only carries the JavaScript value to the promise, which does
/// not use it as an object.
pub fn conversion_of(value: impl ToNapiValue + Send + 'static) -> Conversion {
    Box::new(move |env| {
        let value = value.into_unknown(&env)?.raw();
        Ok(Object::from_raw(env.raw(), value))
    })
}

/// A promise that has not been settled.
pub type Deferred = JsDeferred<Object<'static>, Conversion>;

/// A batch that takes longer is followed by a smaller one.
const MAX_BATCH_TIME: Duration = Duration::from_millis(1);

/// A batch that takes less is followed by a larger one.
const MIN_BATCH_TIME: Duration = Duration::from_micros(400);

/// Size of the first batch.
const FIRST_BATCH: usize = 8;

/// Maximum size of a batch.
const MAX_BATCH: usize = 256;

/// The promises of one JavaScript thread that wait to be settled.
#[derive(Clone, Default)]
pub struct Settlements(Arc<Mutex<State>>);

struct State {
    /// Results that belong to no batch yet, in the order in which their calls ended.
    waiting: VecDeque<(Deferred, CallResult<Conversion>)>,
    /// The current batch.
    batch: Batch,
    /// Maximum number of results in a batch.
    batch_size: usize,
}

/// Results that were sent to the JavaScript thread. A batch begins with the first result that is sent when no other one
/// waits for its conversion, and ends when all of its results have been converted.
#[derive(Default)]
struct Batch {
    /// Number of results sent.
    sent: usize,
    /// Number of results converted.
    converted: usize,
    /// Time of the conversions and of what the caller does with their results.
    time: Duration,
    /// When the last conversion ended.
    last_end: Option<Instant>,
}

impl Default for State {
    fn default() -> Self {
        Self { waiting: VecDeque::new(), batch: Batch::default(), batch_size: FIRST_BATCH }
    }
}

impl Settlements {
    /// Returns the settlements of the current thread, which must be a JavaScript thread.
    pub fn of_this_thread() -> Self {
        thread_local! {
            static SETTLEMENTS: OnceCell<Settlements> = const { OnceCell::new() };
        }
        SETTLEMENTS.with(|settlements| settlements.get_or_init(Self::default).clone())
    }

    /// Settles a promise soon. This function can be called on any thread.
    pub fn settle(&self, deferred: Deferred, outcome: CallResult<Conversion>) {
        {
            let mut state = self.state();
            if state.batch.sent >= state.batch_size || !state.waiting.is_empty() {
                state.waiting.push_back((deferred, outcome));
                return;
            }
            state.batch.sent += 1;
        }
        self.send(deferred, outcome);
    }

    /// Sends a result to the JavaScript thread, where it is converted.
    fn send(&self, deferred: Deferred, outcome: CallResult<Conversion>) {
        let sent = Sent { settlements: self.clone(), has_arrived: false };
        deferred.resolve(Box::new(move |env| {
            let settlements = sent.arrive();
            let start = Instant::now();
            let converted = outcome.map_err(napi::Error::from).and_then(|conversion| conversion(env));
            settlements.end_conversion(&env, start);
            converted
        }));
    }

    /// Counts a conversion that began at `start`. The last one of a batch arranges for the next batch.
    fn end_conversion(&self, env: &Env, start: Instant) {
        let mut state = self.state();
        let batch = &mut state.batch;
        // Since the last conversion, the caller has used its result. A longer time is that of the rest of the program.
        let since_last = batch.last_end.map_or(Duration::ZERO, |end| start.saturating_duration_since(end));
        if since_last < MAX_BATCH_TIME {
            batch.time += since_last;
        }
        batch.time += start.elapsed();
        batch.last_end = Some(Instant::now());
        batch.converted += 1;
        if batch.converted < batch.sent {
            return;
        }
        let time = std::mem::take(batch).time;
        if time > MAX_BATCH_TIME {
            state.batch_size = (state.batch_size / 2).max(1);
        }
        if state.waiting.is_empty() {
            return;
        }
        if time < MIN_BATCH_TIME {
            state.batch_size = (state.batch_size * 2).min(MAX_BATCH);
        }
        drop(state);
        // Node calls the conversion of a new promise in a later iteration: within an iteration, it only visits the
        // promises that existed when the iteration began. Until then, results keep waiting, because others do.
        match env.create_deferred() {
            Ok((next_batch, _)) => {
                let sent = Sent { settlements: self.clone(), has_arrived: false };
                next_batch.resolve(Box::new(move |env| {
                    sent.arrive().send_batch();
                    conversion_of(())(env)
                }));
            }
            Err(_) => self.send_batch(),
        }
    }

    /// Sends the next batch.
    fn send_batch(&self) {
        let mut state = self.state();
        let count = state.batch_size.min(state.waiting.len());
        state.batch = Batch { sent: count, ..Batch::default() };
        let results: Vec<_> = state.waiting.drain(..count).collect();
        drop(state);
        for (deferred, outcome) in results {
            self.send(deferred, outcome);
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A result, or the request for the next batch, that was sent to the JavaScript thread.
struct Sent {
    settlements: Settlements,
    has_arrived: bool,
}

impl Sent {
    /// Called on the JavaScript thread.
    fn arrive(mut self) -> Settlements {
        self.has_arrived = true;
        self.settlements.clone()
    }
}

impl Drop for Sent {
    /// Node drops what was sent when its environment ends. The thread may have other environments, as in Electron,
    /// whose promises must not wait for the dropped ones, so everything that waits is settled without batches.
    fn drop(&mut self) {
        if self.has_arrived {
            return;
        }
        let State { waiting, .. } = std::mem::take(&mut *self.settlements.state());
        for (deferred, outcome) in waiting {
            deferred.resolve(Box::new(move |env| {
                outcome.map_err(napi::Error::from).and_then(|conversion| conversion(env))
            }));
        }
    }
}
