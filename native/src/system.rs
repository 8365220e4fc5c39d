//! Reports the system that the addon runs on and the memory that it uses, adds locations to the messages of panics, and
//! panics on purpose for tests.

use napi_derive::napi;

use crate::call::{Failure, spawn};

/// What `passagekit doctor` reports about the addon.
#[napi(object)]
pub struct SystemInfo {
    pub version: String,
    /// Name of the level of SIMD instruction sets that is in use.
    pub level: String,
    /// Names of all levels that this CPU supports, the fastest first.
    pub supported_levels: Vec<String>,
    /// Whether training can compute in bfloat16.
    pub has_bf16: bool,
    /// Number of threads that this process can run in parallel.
    pub threads: u32,
}

/// Returns what `passagekit doctor` reports. Fails with `ERR_ARGUMENT` if the environment variable `PASSAGEKIT_CPU` is
/// invalid.
#[napi(catch_unwind)]
pub fn system_info() -> napi::Result<SystemInfo> {
    let level = kernels::Level::chosen().map_err(|error| Failure::argument(error.to_string()))?;
    Ok(SystemInfo {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        level: level.name().to_owned(),
        supported_levels: kernels::Level::supported().map(|level| level.name().to_owned()).collect(),
        has_bf16: kernels::matrix::Bf16Kernels::detect().is_some(),
        threads: std::thread::available_parallelism().map_or(1, |threads| threads.get() as u32),
    })
}

/// Appends the source location to the message of a panic, if the location is known. A panic outside of `call_sync` and
/// `spawn` is caught by napi's `catch_unwind`, which passes only the message to JavaScript.
#[napi(catch_unwind)]
pub fn panic_place(message: String) -> String {
    panics::with_location(&message)
}

/// Panics on another thread, for the test that no panic ends the process.
#[napi(ts_return_type = "Promise<void>", catch_unwind)]
pub fn panic_for_test(env: &napi::Env) -> napi::Result<napi::bindgen_prelude::Object<'_>> {
    spawn::<(), _>(env, || panic!("on purpose"))
}

/// Panics on the JavaScript thread, outside of `call_sync`, for the same test.
#[napi(catch_unwind)]
pub fn panic_at_once_for_test() {
    panic!("on purpose");
}
