//! Writes files for TypeScript.

use std::io::Write;
use std::path::Path;
use std::sync::Arc;

use napi::Env;
use napi::bindgen_prelude::{Object, Uint8Array};
use napi_derive::napi;
use storage::Output;

use crate::call::{Control, Failure, call_sync, control_or_new, spawn};

/// Writes `content` to a file, which it replaces atomically, or to a FIFO or a device.
#[napi(ts_return_type = "Promise<void>", catch_unwind)]
pub fn write_file<'env>(
    env: &'env Env,
    path: String,
    content: Uint8Array,
    control: Option<&Control>,
) -> napi::Result<Object<'env>> {
    let (content, control) = (content.to_vec(), control_or_new(control));
    spawn(env, move || {
        let path = Path::new(&path);
        let control_of_output = Arc::clone(&control);
        let written =
            Output::create(path, Box::new(move || control_of_output.is_canceled())).and_then(|mut output| {
                output.write_all(&content).map_err(storage::Error::io("write", path))?;
                output.finish()
            });
        written.or_else(|error| {
            // Writing to a FIFO waits for a reader. If the wait is canceled, it fails with an I/O error. Report the
            // cancellation instead.
            control.check()?;
            Err(Failure::from(error))
        })
    })
}

/// Exchanges two folders atomically; returns `false` if the system does not support this.
#[napi(catch_unwind)]
pub fn exchange_folders(first: String, second: String) -> napi::Result<bool> {
    call_sync(|| Ok(storage::exchange(Path::new(&first), Path::new(&second))?))
}

/// Removes all files that are still being written, because the process is about to exit.
#[napi(catch_unwind)]
pub fn remove_unfinished_files() {
    storage::remove_unfinished();
}
