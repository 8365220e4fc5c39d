use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

use napi::Env;
use napi::bindgen_prelude::{Object, ToNapiValue};

use crate::error::Failure;
use crate::pool::{self, Work};

pub type Outcome<T> = Result<T, Failure>;

/// A promise of what `work` returns on another thread. A panic there rejects it.
pub fn spawn<T, F>(env: &Env, work: F) -> napi::Result<Object<'_>>
where
    T: ToNapiValue + Send + 'static,
    F: FnOnce() -> Outcome<T> + Send + 'static,
{
    spawn_by(env, pool::run, work)
}

/// [`spawn`], where `start` finds the thread.
pub fn spawn_by<'env, T, F>(
    env: &'env Env,
    start: impl FnOnce(Work) -> std::io::Result<()>,
    work: F,
) -> napi::Result<Object<'env>>
where
    T: ToNapiValue + Send + 'static,
    F: FnOnce() -> Outcome<T> + Send + 'static,
{
    type Resolver<T> = Box<dyn FnOnce(Env) -> napi::Result<T> + Send>;
    let (deferred, promise) = env.create_deferred::<T, Resolver<T>>()?;
    start(Box::new(move || match guarded(work) {
        Ok(value) => deferred.resolve(Box::new(move |_| Ok(value))),
        Err(failure) => deferred.reject(failure.into()),
    }))
    .map_err(|error| Failure::no_threads(&error))?;
    Ok(promise)
}

/// The start of rayon's panic message if its global pool could not be started.
const NO_POOL: &str = "The global thread pool has not been initialized";

/// What `work` returns, here and now. For what takes microseconds.
pub fn call<T>(work: impl FnOnce() -> Outcome<T>) -> napi::Result<T> {
    Ok(guarded(work)?)
}

/// No panic may reach Node: it would end the process.
fn guarded<T>(work: impl FnOnce() -> Outcome<T>) -> Outcome<T> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| Err(panicked(&*panic)))
}

fn panicked(panic: &(dyn Any + Send)) -> Failure {
    let said = panics::description(panic);
    if said.starts_with(NO_POOL) {
        return Failure::no_threads(
            &"a pool for all CPUs could not be started; this process cannot start it again",
        );
    }
    Failure::new("ERR_INTERNAL", format!("a bug in passagekit: {said}; please report it"))
}
