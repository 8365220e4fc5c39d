//! Searches: the request ([`request`]), the lists of both retrievers and their fusion ([`retrieve`]), and the pages of
//! hits with their contents ([`page`]).

pub(crate) mod page;
pub(crate) mod request;
pub(crate) mod retrieve;
