//! The vectors of a collection: the log to which a writer appends ([`log`]), the vector index that searches read
//! ([`live`]), and the ords of the index's rows ([`row_map`]).

pub(crate) mod live;
pub(crate) mod log;
pub(crate) mod row_map;
