//! Files that TypeScript writes.

use std::io::Write;
use std::path::Path;
use std::sync::Arc;

use napi::Env;
use napi::bindgen_prelude::{Object, Uint8Array};
use napi_derive::napi;
use storage::Output;

use crate::control::{Control, or_new};
use crate::error::Failure;
use crate::task::{call, spawn};

/// Replaces a file, or writes to a FIFO or a device.
#[napi(ts_return_type = "Promise<void>", catch_unwind)]
pub fn write_file<'env>(
    env: &'env Env,
    path: String,
    content: Uint8Array,
    control: Option<&Control>,
) -> napi::Result<Object<'env>> {
    let (content, control) = (content.to_vec(), or_new(control));
    spawn(env, move || {
        let path = Path::new(&path);
        let waiting = Arc::clone(&control);
        let written =
            Output::create(path, Box::new(move || waiting.is_cancelled())).and_then(|mut output| {
                output.write_all(&content).map_err(storage::Error::io("write", path))?;
                output.finish()
            });
        written.or_else(|error| {
            // Waits for the reader of a FIFO end with an error of the file when cancelled.
            control.check()?;
            Err(Failure::from(error))
        })
    })
}

/// Exchanges two folders in one step; `false` where the system cannot.
#[napi(catch_unwind)]
pub fn exchange_folders(first: String, second: String) -> napi::Result<bool> {
    call(|| Ok(storage::exchange(Path::new(&first), Path::new(&second))?))
}

/// Removes files that are being written now: the process is about to end.
#[napi(catch_unwind)]
pub fn remove_unfinished_files() {
    storage::remove_unfinished();
}
