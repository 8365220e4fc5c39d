//! Turns panics into errors with a message and a source location.
//!
//! The addon catches every panic and rejects a promise with it. Rust's default hook prints each panic to standard error
//! before it can be caught, so the addon [installs](install) a hook that records the panic instead. The code that catches a
//! panic then asks for its [description]. The payload of a panic does not contain the location, and the panic may be caught
//! on another thread, so records are looked up by message.
//!
//! Panics that nothing catches are printed as usual: those that end the process, and those of threads that nobody joins.

use std::any::Any;
use std::collections::VecDeque;
use std::env;
use std::panic::{self, Location, PanicHookInfo};
use std::sync::{Mutex, MutexGuard, Once, PoisonError};
use std::thread;

/// Maximum number of recorded panics. A record is removed when its description is asked for, so only records that nobody
/// asks for accumulate.
const MAX_RECORDS: usize = 32;

/// Name prefixes of the threads whose panics are caught: this package's own threads, those of its rayon pools
/// (`threads`), which pass a panic to the caller, and tantivy's, which it joins. Threads of Node and of rayon's global
/// pool have no name.
const GUARDED: [&str; 5] =
    ["passagekit-onnx", "passagekit-call", "passagekit-pool", "merge_thread_", "thrd-tantivy-index"];

/// Rust's panic messages if it must abort the process because a panic cannot unwind further.
const FATAL: [&str; 2] = ["panic in a function that cannot unwind", "panic in a destructor during cleanup"];

struct Record {
    message: String,
    location: String,
    thread: String,
}

static RECORDS: Mutex<VecDeque<Record>> = Mutex::new(VecDeque::new());

/// Installs a hook that records panics instead of printing them. They are also printed if `PASSAGEKIT_PANICS` or
/// `RUST_BACKTRACE` is set to anything but 0. The hook belongs to this copy of the standard library: other addons have
/// their own.
pub fn install() {
    static INSTALLED: Once = Once::new();
    INSTALLED.call_once(|| {
        let is_set = |name| env::var_os(name).is_some_and(|value| !value.is_empty() && value != "0");
        let prints = is_set("PASSAGEKIT_PANICS") || is_set("RUST_BACKTRACE");
        let print = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            let fatal = FATAL.contains(&info.payload_as_str().unwrap_or_default());
            if fatal && !prints {
                // This panic ends the process: print the recorded panics that led to it, before they are lost.
                for Record { message, location, thread } in records().iter() {
                    eprintln!("thread '{thread}' panicked at {location}: {message}");
                }
            }
            record(info);
            if prints || fatal || !is_guarded() {
                print(info);
            }
        }));
    });
}

/// Message and location of a caught panic: `index out of bounds: … (at crates/dense/src/scan.rs:12)`.
#[must_use]
pub fn description(payload: &(dyn Any + Send)) -> String {
    let text = payload.downcast_ref::<&str>().copied();
    let text = text.or_else(|| payload.downcast_ref::<String>().map(String::as_str));
    with_location(text.unwrap_or(NO_MESSAGE))
}

/// Adds the location to the message of a panic of which only the message is known.
#[must_use]
pub fn with_location(message: &str) -> String {
    match take(|record| record.message == message) {
        Some(Record { location, .. }) => format!("{message} (at {location})"),
        None => message.to_owned(),
    }
}

/// The description of the last panic of a thread whose name starts with `name`, for code that only notices that the thread
/// has ended.
#[must_use]
pub fn last_of(name: &str) -> Option<String> {
    let record = take(|record| record.thread.starts_with(name))?;
    Some(format!("{} (at {})", record.message, record.location))
}

const NO_MESSAGE: &str = "no message";

/// Removes and returns the newest matching record, so that no record is used twice.
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

/// File and line, without the path to the source folder on the machine that compiled the code.
fn location_of(location: &Location<'_>) -> String {
    let file = location.file().replace('\\', "/");
    let after = |part: &str| file.rfind(part).map(|at| &file[at + part.len()..]);
    let file = match after("/registry/src/") {
        // The next folder is the registry.
        Some(file) => file.split_once('/').map_or(file, |(_, file)| file),
        None => after("/library/").unwrap_or(&file),
    };
    format!("{file}:{}", location.line())
}

fn is_guarded() -> bool {
    let thread = thread::current();
    let name = thread.name().filter(|&name| name != "main");
    name.is_none_or(|name| GUARDED.iter().any(|guarded| name.starts_with(guarded)))
}

fn records() -> MutexGuard<'static, VecDeque<Record>> {
    RECORDS.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::panic::catch_unwind;

    use super::*;

    #[test]
    fn a_panic_is_described_by_message_and_location_once() {
        install();
        let line = line!() + 1;
        let payload = catch_unwind(|| panic!("a fox of {} tails", 9)).expect_err("it panics");
        let expected = format!("a fox of 9 tails (at crates/panics/src/lib.rs:{line})");
        assert_eq!(description(&*payload), expected);
        // Another panic with the same message that the hook did not see does not get the location of this one.
        assert_eq!(description(&*payload), "a fox of 9 tails");
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
    fn locations_in_the_standard_library_do_not_show_the_folders_of_a_machine() {
        install();
        let values: Vec<u8> = Vec::new();
        let payload = catch_unwind(|| values[values.len()]).expect_err("out of bounds");
        let said = description(&*payload);
        assert!(said.ends_with(&format!(" (at crates/panics/src/lib.rs:{})", line!() - 2)), "{said}");
        let payload = catch_unwind(|| "é".split_at(1).0.len()).expect_err("not a boundary");
        let said = description(&*payload);
        assert!(!said.contains("/rustc/"), "{said}");
    }
}
