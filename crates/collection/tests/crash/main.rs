//! A commit survives whatever ends its writer, and no reader ever sees a part of a commit.
//!
//! Each test starts child processes, which run an `#[ignore]`d test of this program. A writer follows a [`script`] that
//! determines the content of every commit, so that any process can compute what a collection must contain. The tests
//! read while the writer runs ([`readers`]), kill the writer ([`kills`]), make its system calls fail ([`faults`]), or
//! record its changes ([`journal`]) and replay them to a simulated disk that loses power ([`disk`], [`power_loss`]).
#![cfg(unix)]

mod child;
#[path = "../common/mod.rs"]
mod common;
#[cfg(target_os = "linux")]
mod disk;
#[cfg(target_os = "linux")]
mod faults;
#[cfg(target_os = "linux")]
mod journal;
mod kills;
#[cfg(target_os = "linux")]
mod power_loss;
mod readers;
mod script;
