//! Collections that change while they are searched: converts arguments and results, and calls the crate `collection`.

mod documents;
mod handle;
mod passages;
mod reads;
mod search;
