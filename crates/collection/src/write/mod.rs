//! Changes: the writer ([`writer`]), the record of which process holds the writer's lock ([`owner`]), and optimization
//! ([`optimize`]).

pub(crate) mod optimize;
pub(crate) mod owner;
pub(crate) mod writer;
