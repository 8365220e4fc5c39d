//! Runs calls on another thread ([`spawn`]) or on the JavaScript thread ([`call_sync`]), and turns their results,
//! errors and panics into what JavaScript expects.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

use napi::Env;
use napi::bindgen_prelude::{Object, ToNapiValue};
use serving::Task;

use super::error::{CallResult, Failure};
use super::settle::{Settlements, conversion_of};
use super::threads::threads;

/// Runs `work` on another thread. Returns a promise of its result. The promise is rejected if `work` fails or panics.
pub fn spawn<T, F>(env: &Env, work: F) -> napi::Result<Object<'_>>
where
    T: ToNapiValue + Send + 'static,
    F: FnOnce() -> CallResult<T> + Send + 'static,
{
    spawn_on(env, |task| threads().spawn(task), work)
}

/// Does the same as [`spawn`], but `start` decides when and on which thread the task runs.
pub fn spawn_on<'env, T, F>(
    env: &'env Env,
    start: impl FnOnce(Task) -> std::io::Result<()>,
    work: F,
) -> napi::Result<Object<'env>>
where
    T: ToNapiValue + Send + 'static,
    F: FnOnce() -> CallResult<T> + Send + 'static,
{
    let (deferred, promise) = env.create_deferred()?;
    let settlements = Settlements::of_this_thread();
    start(Box::new(move || {
        settlements.settle(deferred, catch_panic(work).map(conversion_of));
    }))
    .map_err(|error| Failure::no_threads(&error))?;
    Ok(promise)
}

/// Runs `work` on the JavaScript thread. The event loop waits for it, so the work should take microseconds; quick
/// searches take up to a quarter of a millisecond.
pub fn call_sync<T>(work: impl FnOnce() -> CallResult<T>) -> napi::Result<T> {
    Ok(catch_panic(work)?)
}

/// Turns a panic of `work` into a failure. A panic that reaches Node would end the process.
fn catch_panic<T>(work: impl FnOnce() -> CallResult<T>) -> CallResult<T> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| Err(panicked(&*panic)))
}

/// The beginning of the message with which rayon panics if it could not start its global thread pool.
const NO_RAYON_POOL: &str = "The global thread pool has not been initialized";

/// Converts the payload of a panic to a failure.
fn panicked(panic: &(dyn Any + Send)) -> Failure {
    let message = panics::description(panic);
    if message.starts_with(NO_RAYON_POOL) {
        return Failure::no_threads(
            &"the pool with one thread per CPU could not be started; this process cannot retry",
        );
    }
    Failure::internal(format!("a bug in passagekit: {message}; please report it"))
}
