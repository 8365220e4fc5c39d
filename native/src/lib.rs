//! The Node-API addon: converts arguments, runs the crates off the event loop, maps errors. Nothing here decides
//! about retrieval. Errors cross as `[CODE] message`; `ts/core/native/native.ts` makes `RetrievalError`s of them.

#![allow(missing_docs, reason = "documented where users see it, in ts/")]
#![cfg_attr(
    clippy,
    allow(dead_code, reason = "exports are registered where clippy does not look; the build does")
)]

/// Threads of their own free what the JavaScript thread took, and the other way round: with the C library's allocator the
/// next large request on that thread then pays, some milliseconds at a time, for joining what was freed.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Runs once, when Node loads the addon.
#[napi_derive::module_init]
fn init() {
    panics::install();
}

mod calibration;
mod control;
mod corpus;
mod dense;
mod enrichment;
mod error;
mod evaluation;
mod files;
mod fusion;
mod hits;
mod inference;
mod judging;
mod numbering;
mod opening;
mod phrases;
mod picked;
mod pool;
mod reading;
mod readings;
mod run;
mod run_builder;
mod significance;
mod sparse;
mod system;
mod task;
mod text;
mod tokenizer;
mod vocabulary;
