use std::ops::Deref;
use std::sync::LazyLock;
use std::sync::mpsc::{Sender, channel};
use std::thread;

use memmap2::Mmap;

/// Smaller ones are unmapped where they are dropped.
const LARGE: usize = 1 << 20;

/// A mapped file, unmapped on a thread of its own where it is large.
///
/// Of a file that was replaced or removed meanwhile, the last mapping takes the pages with it, a few milliseconds for every
/// ten megabytes: too long for whoever happens to drop it last, be it the collector of garbage on the JavaScript thread.
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
        let Some(map) = self.0.take().filter(|map| map.len() >= LARGE) else { return };
        if let Some(unmapper) = &*UNMAPPER {
            // Where it cannot be sent it comes back and is unmapped here.
            drop(unmapper.send(map));
        }
    }
}

/// None if there is no thread to be had.
static UNMAPPER: LazyLock<Option<Sender<Mmap>>> = LazyLock::new(|| {
    let (sender, maps) = channel();
    let unmap = move || maps.into_iter().for_each(drop::<Mmap>);
    thread::Builder::new().name("passagekit-unmap".to_owned()).spawn(unmap).ok().map(|_| sender)
});
