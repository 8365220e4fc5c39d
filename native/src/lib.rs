//! The Node-API addon. It converts arguments, calls the crates, and converts results and errors. All decisions about
//! retrieval are made in the crates and in TypeScript.
//!
//! An export copies what it needs from JavaScript before it returns, because JavaScript may change its arrays at any
//! time. `call/` then does the work on another thread and returns a promise; only quick work is done on the JavaScript
//! thread. Records are passed as columns: numbers in one typed array per field, strings in one list per field. Errors
//! are passed as `[CODE] message`, from which `ts/core/native/native.ts` makes a `RetrievalError`.

#![allow(missing_docs, reason = "documented where users see it, in ts/")]
#![cfg_attr(
    clippy,
    allow(dead_code, reason = "exports are registered where clippy does not look; the build does")
)]

/// Our own threads free memory that the JavaScript thread allocated, and vice versa. With the C library's allocator,
/// the next large allocation after that would take milliseconds.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Runs once, when Node loads the addon.
#[napi_derive::module_init]
fn init() {
    panics::install();
}

mod calibration;
mod call;
mod collection;
mod corpus;
mod dense;
mod evaluation;
mod files;
mod fusion;
mod mining;
mod models;
mod readings;
mod runs;
mod sparse;
mod system;
mod text;
mod training;
mod vocabulary;
