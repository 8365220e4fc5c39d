//! Passes hits (`hits`) and runs (`run`) to JavaScript, and receives runs from it (`run_builder`).

mod hits;
mod run;
mod run_builder;

pub use hits::{Hits, JoinedIds, PassageIdBuilder, U32Buffer, has_room};
pub use run::NativeRun;
