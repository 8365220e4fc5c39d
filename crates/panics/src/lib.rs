//! Turns panics into errors.
//!
//! The addon catches every panic and rejects a promise with it. Rust's default hook prints each panic to standard error
//! before it can be caught, so the addon [installs](install) a hook that records the panic instead. The code that
//! catches a panic asks for its [description]: the message and the source location. A payload does not contain the
//! location, and a panic may be caught on another thread, so records are looked up by message.
//!
//! A panic that nothing catches is printed as before: one that ends the process, or one in a thread that nobody joins.

use std::any::Any;
use std::collections::VecDeque;
use std::env;
use std::panic::{self, Location, PanicHookInfo};
use std::sync::{Mutex, MutexGuard, Once, PoisonError};
use std::thread;

/// Maximum number of recorded panics. Most records are taken at once; only those that nobody asks for accumulate.
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
    place: String,
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
                for Record { message, place, thread } in records().iter() {
                    eprintln!("thread '{thread}' panicked at {place}: {message}");
                }
            }
            remember(info);
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
    with_place(text.unwrap_or(NO_MESSAGE))
}

/// Adds the location to the message of a panic of which only the message is known.
#[must_use]
pub fn with_place(message: &str) -> String {
    match take(|record| record.message == message) {
        Some(Record { place, .. }) => format!("{message} (at {place})"),
        None => message.to_owned(),
    }
}

/// The last panic of a thread whose name starts with `thread`, for code that only notices that the thread has ended.
#[must_use]
pub fn last_of(thread: &str) -> Option<String> {
    let record = take(|record| record.thread.starts_with(thread))?;
    Some(format!("{} (at {})", record.message, record.place))
}

const NO_MESSAGE: &str = "no message";

/// Removes and returns the newest matching record, so that no record is used twice.
fn take(fits: impl Fn(&Record) -> bool) -> Option<Record> {
    let mut records = records();
    let at = records.iter().rposition(fits)?;
    records.remove(at)
}

fn remember(info: &PanicHookInfo<'_>) {
    let message = info.payload_as_str().unwrap_or(NO_MESSAGE).to_owned();
    let place = info.location().map_or_else(|| "an unknown place".to_owned(), place_of);
    let thread = thread::current().name().unwrap_or("unnamed").to_owned();
    let mut records = records();
    if records.len() == MAX_RECORDS {
        records.pop_front();
    }
    records.push_back(Record { message, place, thread });
}

/// File and line, without the folders of the machine that compiled the code.
fn place_of(location: &Location<'_>) -> String {
    let file = location.file().replace('\\', "/");
    let from = |mark: &str| file.rfind(mark).map(|at| &file[at + mark.len()..]);
    let file = match from("/registry/src/") {
        // Skips the name of the registry.
        Some(file) => file.split_once('/').map_or(file, |(_, file)| file),
        None => from("/library/").unwrap_or(&file),
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
    fn a_panic_is_described_by_message_and_place_once() {
        install();
        let line = line!() + 1;
        let payload = catch_unwind(|| panic!("a fox of {} tails", 9)).expect_err("it panics");
        let expected = format!("a fox of 9 tails (at crates/panics/src/lib.rs:{line})");
        assert_eq!(description(&*payload), expected);
        // Another panic with the same message that the hook did not see does not get the location of this one.
        assert_eq!(description(&*payload), "a fox of 9 tails");
    }

    #[test]
    fn the_place_is_found_when_another_thread_catches_the_panic() {
        install();
        let worker = thread::Builder::new().name("passagekit-pool-of-a-test".to_owned());
        let ended = worker.spawn(|| panic!("on another thread")).expect("a thread").join();
        let payload = ended.expect_err("it panicked");
        assert!(description(&*payload).starts_with("on another thread (at crates/panics/src/lib.rs:"));
    }

    #[test]
    fn a_thread_that_ended_is_asked_for_by_its_name() {
        install();
        let worker = thread::Builder::new().name("thrd-tantivy-index7".to_owned());
        worker.spawn(|| panic!("no disk")).expect("a thread").join().expect_err("it panicked");
        assert!(last_of("thrd-tantivy-index").expect("a record").starts_with("no disk (at "));
        assert_eq!(last_of("thrd-tantivy-index"), None);
    }

    #[test]
    fn panics_of_the_standard_library_and_of_other_crates_are_placed_without_a_machines_folders() {
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
