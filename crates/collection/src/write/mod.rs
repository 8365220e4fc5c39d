//! Changes: the writer ([`writer`]), who holds its lock ([`owner`]), and optimization ([`optimize`]).

pub(crate) mod optimize;
pub(crate) mod owner;
pub(crate) mod writer;
