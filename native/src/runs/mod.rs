//! Passes hits (`hits`, `known_ids`) and runs (`run`) to JavaScript, and receives runs from it (`run_builder`).

mod hits;
mod known_ids;
mod run;
mod run_builder;

pub use hits::{Hits, PassageIdBuilder, U32Buffer};
pub use known_ids::{IdsOfIndex, JavaScriptIds};
pub use run::NativeRun;
