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
pub(crate) struct Map(Option<Mmap>);

impl From<Mmap> for Map {
    fn from(map: Mmap) -> Self {
        Self(Some(map))
    }
}

impl Deref for Map {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        self.0.as_deref().unwrap_or_default()
    }
}

impl Drop for Map {
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

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::time::{Duration, Instant};

    use crate::{File, FileKind, Writer};

    #[test]
    fn a_large_file_that_is_gone_is_unmapped_soon() {
        const KIND: FileKind = FileKind { magic: *b"PKTEST\0\0", version: 1, name: "test" };
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("large");
        let mut writer = Writer::create(&path, KIND).expect("a file");
        writer.section("bytes", &vec![7; 3 << 20]).expect("room");
        writer.finish(serde_json::json!({})).expect("written");
        let file = File::open(&path, KIND).expect("sound");
        let mapped = || std::fs::read_to_string("/proc/self/maps").expect("maps").contains("large (deleted)");
        std::fs::remove_file(&path).expect("removed");
        assert!(mapped());
        drop(file);
        let began = Instant::now();
        while mapped() {
            assert!(began.elapsed() < Duration::from_secs(30), "it is still mapped");
            std::thread::sleep(Duration::from_millis(1));
        }
    }
}
