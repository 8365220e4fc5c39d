//! Changes: the writer ([`writer`]), the record of the process that holds its lock ([`owner`]), and optimization
//! ([`optimize`]).

pub(crate) mod optimize;
pub(crate) mod owner;
pub(crate) mod writer;
