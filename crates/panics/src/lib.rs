//! Turns panics into errors with a message and a source location.
//!
//! When a call of the addon panics, the addon catches the panic and rejects the promise of that call. Rust's default
//! panic hook prints each panic to stderr before it can be caught, so the addon [installs](install) a hook that records
//! the panic instead. The code that catches a panic then asks for its [description]. A panic's payload does not contain
//! its location, and a panic may be caught on another thread, so recorded panics are looked up by message.
//!
//! Panics that no code catches are printed as usual: panics that end the process, and panics of threads that are not
//! joined.

use std::any::Any;
use std::collections::VecDeque;
use std::env;
use std::panic::{self, Location, PanicHookInfo};
use std::sync::{Mutex, MutexGuard, Once, PoisonError};
use std::thread;

/// Maximum number of recorded panics. A record is removed when its description is requested, so only records whose
/// description is never requested accumulate.
const MAX_RECORDS: usize = 32;

/// Name prefixes of the threads whose panics are caught: this package's own threads, the threads of its rayon pools
/// (crate `threads`), which pass a panic to the caller, and tantivy's threads, which tantivy joins. Panics on threads
/// without a name, such as Node's and those of rayon's global pool, are caught too.
const CAUGHT_THREADS: [&str; 5] =
    ["passagekit-model", "passagekit-call", "passagekit-pool", "merge_thread_", "thrd-tantivy-index"];

/// The messages with which Rust aborts the process because a panic cannot unwind further.
const FATAL_MESSAGES: [&str; 2] =
    ["panic in a function that cannot unwind", "panic in a destructor during cleanup"];

/// A recorded panic.
struct Record {
    message: String,
    location: String,
    thread: String,
}

static RECORDS: Mutex<VecDeque<Record>> = Mutex::new(VecDeque::new());

/// Installs a hook that records panics instead of printing them. If the environment variable `PASSAGEKIT_PANICS` or
/// `RUST_BACKTRACE` is set and is neither empty nor 0, panics are printed as well. Other addons are not affected: each
/// links its own copy of Rust's standard library, which has its own hook.
pub fn install() {
    static INSTALLED: Once = Once::new();
    INSTALLED.call_once(|| {
        let is_set = |name| env::var_os(name).is_some_and(|value| !value.is_empty() && value != "0");
        let prints_all = is_set("PASSAGEKIT_PANICS") || is_set("RUST_BACKTRACE");
        let print = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            let is_fatal = FATAL_MESSAGES.contains(&info.payload_as_str().unwrap_or_default());
            if is_fatal && !prints_all {
                // This panic ends the process: print the recorded panics that led to it before they are lost.
                for Record { message, location, thread } in records().iter() {
                    eprintln!("thread '{thread}' panicked at {location}: {message}");
                }
            }
            record(info);
            if prints_all || is_fatal || !is_caught_on_this_thread() {
                print(info);
            }
        }));
    });
}

/// Returns the message and the location of a caught panic:
/// `index out of bounds: … (at crates/dense/src/exact/scan.rs:12)`.
#[must_use]
pub fn description(payload: &(dyn Any + Send)) -> String {
    let text = payload.downcast_ref::<&str>().copied();
    let text = text.or_else(|| payload.downcast_ref::<String>().map(String::as_str));
    with_location(text.unwrap_or(NO_MESSAGE))
}

/// Adds the location to the message of a panic, for code that knows only the message.
#[must_use]
pub fn with_location(message: &str) -> String {
    match take(|record| record.message == message) {
        Some(Record { location, .. }) => format!("{message} (at {location})"),
        None => message.to_owned(),
    }
}

/// Returns the message and the location of the last recorded panic of a thread whose name starts with `prefix`, and
/// removes the record. This is for code that has no payload and only notices that the thread has ended. Returns `None`
/// if no such panic is recorded.
#[must_use]
pub fn last_of(prefix: &str) -> Option<String> {
    let record = take(|record| record.thread.starts_with(prefix))?;
    Some(format!("{} (at {})", record.message, record.location))
}

const NO_MESSAGE: &str = "no message";

/// Removes the newest matching record and returns it. No record is used twice.
fn take(is_match: impl Fn(&Record) -> bool) -> Option<Record> {
    let mut records = records();
    let at = records.iter().rposition(is_match)?;
    records.remove(at)
}

fn record(info: &PanicHookInfo<'_>) {
    let message = info.payload_as_str().unwrap_or(NO_MESSAGE).to_owned();
    let location = info.location().map_or_else(|| "an unknown location".to_owned(), location_of);
    let thread = thread::current().name().unwrap_or("unnamed").to_owned();
    let mut records = records();
    if records.len() == MAX_RECORDS {
        records.pop_front();
    }
    records.push_back(Record { message, location, thread });
}

/// Formats a location as file and line. Files of dependencies and of the standard library lose the path to their source
/// folder, which differs between the machines that compile the addon.
fn location_of(location: &Location<'_>) -> String {
    let file = location.file().replace('\\', "/");
    let after = |folder: &str| file.rfind(folder).map(|at| &file[at + folder.len()..]);
    let file = match after("/registry/src/") {
        // Cargo's cache has one folder per registry; the crate's folder comes next.
        Some(file) => file.split_once('/').map_or(file, |(_, file)| file),
        None => after("/library/").unwrap_or(&file),
    };
    format!("{file}:{}", location.line())
}

/// Returns whether panics on the current thread are caught: its name has a prefix of [`CAUGHT_THREADS`], it has no
/// name, or it is the main thread.
fn is_caught_on_this_thread() -> bool {
    let thread = thread::current();
    let name = thread.name().filter(|&name| name != "main");
    name.is_none_or(|name| CAUGHT_THREADS.iter().any(|prefix| name.starts_with(prefix)))
}

fn records() -> MutexGuard<'static, VecDeque<Record>> {
    RECORDS.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::panic::catch_unwind;

    use super::*;

    #[test]
    fn only_the_first_description_of_a_panic_has_its_location() {
        install();
        let line = line!() + 1;
        let payload = catch_unwind(|| panic!("expected {} rows", 9)).expect_err("it panics");
        let expected = format!("expected 9 rows (at crates/panics/src/lib.rs:{line})");
        assert_eq!(description(&*payload), expected);
        // The record was removed, so asking again returns only the message.
        assert_eq!(description(&*payload), "expected 9 rows");
    }

    #[test]
    fn the_location_is_found_when_another_thread_catches_the_panic() {
        install();
        let worker = thread::Builder::new().name("passagekit-pool-of-a-test".to_owned());
        let ended = worker.spawn(|| panic!("on another thread")).expect("a thread").join();
        let payload = ended.expect_err("it panicked");
        assert!(description(&*payload).starts_with("on another thread (at crates/panics/src/lib.rs:"));
    }

    #[test]
    fn the_last_panic_of_an_ended_thread_is_found_by_its_name() {
        install();
        let worker = thread::Builder::new().name("thrd-tantivy-index7".to_owned());
        worker.spawn(|| panic!("no disk")).expect("a thread").join().expect_err("it panicked");
        assert!(last_of("thrd-tantivy-index").expect("a record").starts_with("no disk (at "));
        assert_eq!(last_of("thrd-tantivy-index"), None);
    }

    #[test]
    fn locations_in_the_standard_library_do_not_show_the_folders_of_the_compiling_machine() {
        install();
        let values: Vec<u8> = Vec::new();
        let payload = catch_unwind(|| values[values.len()]).expect_err("out of bounds");
        let text = description(&*payload);
        assert!(text.ends_with(&format!(" (at crates/panics/src/lib.rs:{})", line!() - 2)), "{text}");
        let payload = catch_unwind(|| "é".split_at(1).0.len()).expect_err("not a boundary");
        let text = description(&*payload);
        assert!(!text.contains("/rustc/"), "{text}");
    }
}
