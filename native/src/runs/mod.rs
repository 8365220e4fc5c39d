//! Hits and runs on their way to and from JavaScript.

mod hits;
mod run;
mod run_builder;

pub use hits::{Hits, JoinedIds, PassageIdBuilder, U32Buffer, has_room};
pub use run::NativeRun;
