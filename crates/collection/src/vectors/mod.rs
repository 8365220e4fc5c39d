//! The vectors of a collection: a log to which a writer appends ([`log`]), the rows in memory that searches read
//! ([`live`]), and the ords of these rows ([`row_map`]).

pub(crate) mod live;
pub(crate) mod log;
pub(crate) mod row_map;
