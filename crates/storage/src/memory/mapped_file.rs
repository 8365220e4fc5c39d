//! Mapped files. Large ones are unmapped on a background thread.

use std::ops::Deref;
use std::sync::LazyLock;
use std::sync::mpsc::{Sender, channel};
use std::thread;

use memmap2::Mmap;

/// Minimum length of a file that is unmapped on the background thread. Smaller files are unmapped on the thread that
/// drops them.
const MIN_BACKGROUND_BYTES: usize = 1 << 20;

/// A mapped file, or anonymous memory. If it is large, it is unmapped on a background thread.
///
/// If the file was replaced or removed, unmapping frees its pages, which takes a few milliseconds per ten megabytes.
/// That is too long for the JavaScript thread, on which the garbage collector may drop the last reference.
#[derive(Debug)]
pub(crate) struct MappedFile(Option<Mmap>);

impl From<Mmap> for MappedFile {
    fn from(map: Mmap) -> Self {
        Self(Some(map))
    }
}

impl Deref for MappedFile {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        self.0.as_deref().unwrap_or_default()
    }
}

impl Drop for MappedFile {
    fn drop(&mut self) {
        let Some(map) = self.0.take().filter(|map| map.len() >= MIN_BACKGROUND_BYTES) else { return };
        if let Some(unmapper) = &*UNMAPPER {
            // If sending fails, the error contains the map, which is then unmapped here.
            drop(unmapper.send(map));
        }
    }
}

/// Sends mapped files to the background thread. `None` if the thread could not be started.
static UNMAPPER: LazyLock<Option<Sender<Mmap>>> = LazyLock::new(|| {
    let (sender, maps) = channel();
    let unmap = move || maps.into_iter().for_each(drop::<Mmap>);
    thread::Builder::new().name("passagekit-unmap".to_owned()).spawn(unmap).ok().map(|_| sender)
});
