//! Searches: the request ([`request`]), the lists of both retrievers and their fusion ([`retrieve`]), the pages of hits
//! with their contents ([`page`]), and searches that run only if they are quick ([`quick`]).

pub(crate) mod page;
mod quick;
pub(crate) mod request;
pub(crate) mod retrieve;
