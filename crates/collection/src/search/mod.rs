//! Searches: the request ([`request`]), ranking with BM25, vectors or both ([`retrieve`]), one page of hits with its
//! contents ([`page`]), and searches that run only if they are quick ([`quick`]).

pub(crate) mod page;
mod quick;
pub(crate) mod request;
pub(crate) mod retrieve;
