//! Settles the promises of calls. Many calls may end at the same time, and each result must be converted for JavaScript
//! on the JavaScript thread. Node would convert all of them in one iteration of the event loop, which takes seconds if
//! there are thousands. So results are converted in *batches*: when the last result of a batch has been converted, the
//! next batch is sent in a later iteration.
//!
//! ```text
//! calls that end → waiting results → a batch → conversion, promise, code of the caller
//!                                    ↑ the next one                                  │
//!                                    └────── in a later iteration of the event loop ─┘
//! ```

use std::cell::OnceCell;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};
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
    /// Number of results of the current batch that were sent to the JavaScript thread and have not been converted.
    in_batch: usize,
    /// Maximum number of results in a batch.
    batch_size: usize,
    /// When the first result of the current batch was about to be converted.
    batch_start: Option<Instant>,
}

impl Default for State {
    fn default() -> Self {
        Self { waiting: VecDeque::new(), in_batch: 0, batch_size: FIRST_BATCH, batch_start: None }
    }
}

impl Settlements {
    /// Returns those of the current thread, which must be a JavaScript thread.
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
            if state.in_batch >= state.batch_size || !state.waiting.is_empty() {
                state.waiting.push_back((deferred, outcome));
                return;
            }
            state.in_batch += 1;
        }
        self.send(deferred, outcome);
    }

    /// Sends a result to the JavaScript thread, where it is converted.
    fn send(&self, deferred: Deferred, outcome: CallResult<Conversion>) {
        let settlements = self.clone();
        deferred.resolve(Box::new(move |env| {
            settlements.state().batch_start.get_or_insert_with(Instant::now);
            let converted = outcome.map_err(napi::Error::from).and_then(|conversion| conversion(env));
            settlements.end_conversion(&env);
            converted
        }));
    }

    /// Counts a conversion. The last one of a batch arranges for the next batch.
    fn end_conversion(&self, env: &Env) {
        let mut state = self.state();
        state.in_batch -= 1;
        if state.in_batch > 0 {
            return;
        }
        let time = state.batch_start.take().map_or(Duration::ZERO, |start| start.elapsed());
        if time > MAX_BATCH_TIME {
            state.batch_size = (state.batch_size / 2).max(1);
        }
        if state.waiting.is_empty() {
            return;
        }
        if time < MIN_BATCH_TIME {
            state.batch_size = (state.batch_size * 2).min(MAX_BATCH);
        }
        // Nothing is sent while this batch is counted, so that later calls cannot overtake those that wait.
        state.in_batch = 1;
        drop(state);
        // Node calls the new promise's conversion in a later iteration: within an iteration, it only visits what was
        // waiting when the iteration began.
        match env.create_deferred() {
            Ok((next_batch, _)) => {
                let settlements = self.clone();
                next_batch.resolve(Box::new(move |env| {
                    settlements.send_batch();
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
        state.in_batch = count;
        let batch: Vec<_> = state.waiting.drain(..count).collect();
        drop(state);
        for (deferred, outcome) in batch {
            self.send(deferred, outcome);
        }
    }

    fn state(&self) -> std::sync::MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
