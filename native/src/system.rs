use napi_derive::napi;

use crate::error::Failure;

/// What `passagekit doctor` tells of the addon.
#[napi(object)]
pub struct SystemInfo {
    pub version: String,
    /// The SIMD kernels in use, and all that this CPU has.
    pub kernels: String,
    pub available_kernels: Vec<String>,
    pub threads: u32,
}

#[napi(catch_unwind)]
pub fn system_info() -> SystemInfo {
    SystemInfo {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        kernels: kernels::Kernels::detect().name().to_owned(),
        available_kernels: kernels::Kernels::available()
            .iter()
            .map(|kernels| kernels.name().to_owned())
            .collect(),
        threads: std::thread::available_parallelism().map_or(1, |threads| threads.get() as u32),
    }
}

/// Memory statistics of the addon's allocator as JSON: see mimalloc's `mi_stats_get_json`.
#[napi(catch_unwind)]
pub fn allocator_statistics() -> napi::Result<String> {
    let statistics = mimalloc::MiMalloc::stats_json();
    let statistics = statistics.map_err(|reason| Failure::new("ERR_INTERNAL", reason))?;
    Ok(statistics.to_string_lossy().into_owned())
}

/// A panic's message with its source location, for panics that an export caught itself.
#[napi(catch_unwind)]
pub fn panic_place(message: String) -> String {
    panics::with_place(&message)
}

/// Panics, for the test that no panic ends the process.
#[napi(ts_return_type = "Promise<void>", catch_unwind)]
pub fn panic_for_test(env: &napi::Env) -> napi::Result<napi::bindgen_prelude::Object<'_>> {
    crate::task::spawn::<(), _>(env, || panic!("on purpose"))
}

/// The same before anything is spawned.
#[napi(catch_unwind)]
pub fn panic_at_once_for_test() {
    panic!("on purpose");
}
