use std::fs::File;
use std::io::{BufReader, Cursor, ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use flate2::bufread::MultiGzDecoder;

use crate::Error;

/// No line, JSON value or text file may be longer than this; a sound one never is.
pub(crate) const MAX_ITEM: usize = 512 << 20;

/// The first size of the window of a file that is not small.
const BUFFER: usize = 256 << 10;

/// How much of a file, compressed if it is, was read.
#[derive(Debug, Clone, Default)]
pub(crate) struct Progress {
    pub read: Arc<AtomicU64>,
    pub total: u64,
}

/// The bytes of a file, decompressed if they are gzip, without a byte order mark, in a window that slides.
pub(crate) struct Input {
    path: PathBuf,
    reader: Box<dyn Read + Send>,
    gzip: bool,
    buffer: Vec<u8>,
    start: usize,
    end: usize,
    ended: bool,
}

impl Input {
    /// Opens a file; also tells how much of it is read as time goes by.
    pub fn open(path: &Path) -> Result<(Self, Progress), Error> {
        let read = Arc::new(AtomicU64::new(0));
        let (input, total) = Self::open_counting(path, Arc::clone(&read))?;
        Ok((input, Progress { read, total }))
    }

    /// Opens a file and adds to `count` the bytes that are read of it; also tells its length.
    pub fn open_counting(path: &Path, count: Arc<AtomicU64>) -> Result<(Self, u64), Error> {
        let mut file = File::open(path).map_err(Error::io("open", path))?;
        let metadata = file.metadata().map_err(Error::io("open", path))?;
        if metadata.is_dir() {
            return Err(Error::io("open", path)(ErrorKind::IsADirectory.into()));
        }
        let mut magic = Vec::with_capacity(2);
        file.by_ref().take(2).read_to_end(&mut magic).map_err(Error::io("read", path))?;
        let gzip = magic == [0x1f, 0x8b];
        let counted = Counted { reader: Cursor::new(magic).chain(file), count };
        // Folders may hold many small files.
        let first = usize::try_from(metadata.len()).unwrap_or(BUFFER).clamp(4 << 10, BUFFER);
        let reader: Box<dyn Read + Send> = if gzip {
            Box::new(MultiGzDecoder::new(BufReader::with_capacity(first, counted)))
        } else {
            Box::new(counted)
        };
        let mut input = Self {
            path: path.to_path_buf(),
            reader,
            gzip,
            buffer: vec![0; first],
            start: 0,
            end: 0,
            ended: false,
        };
        if input.prefix(3)?.starts_with(b"\xef\xbb\xbf") {
            input.consume(3);
        }
        Ok((input, metadata.len()))
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What was read and not consumed.
    pub fn data(&self) -> &[u8] {
        &self.buffer[self.start..self.end]
    }

    /// Reads more behind `data`, whose offsets stay as they are; `false` at the end of the file.
    pub fn fill(&mut self) -> Result<bool, Error> {
        if self.ended {
            return Ok(false);
        }
        if self.end == self.buffer.len() {
            self.make_room();
        }
        loop {
            match self.reader.read(&mut self.buffer[self.end..]) {
                Ok(0) => {
                    self.ended = true;
                    return Ok(false);
                }
                Ok(count) => {
                    self.end += count;
                    return Ok(true);
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(source) => {
                    self.ended = true;
                    return Err(self.refused(source));
                }
            }
        }
    }

    /// The first `count` bytes, or all there are.
    pub fn prefix(&mut self, count: usize) -> Result<&[u8], Error> {
        while self.end - self.start < count && self.fill()? {}
        Ok(&self.data()[..count.min(self.end - self.start)])
    }

    /// Drops the first `count` bytes of `data`.
    pub fn consume(&mut self, count: usize) {
        debug_assert!(count <= self.end - self.start);
        self.start += count;
    }

    /// All that remains, which must be a text of a size that can be held.
    pub fn rest(&mut self) -> Result<&[u8], Error> {
        while self.fill()? {
            if self.end - self.start > MAX_ITEM {
                let expected = format!("a text of at most {} MiB", MAX_ITEM >> 20);
                return Err(Error::format(&self.path, expected, "a longer one"));
            }
        }
        Ok(self.data())
    }

    fn make_room(&mut self) {
        let kept = self.end - self.start;
        self.buffer.copy_within(self.start..self.end, 0);
        (self.start, self.end) = (0, kept);
        if kept * 2 >= self.buffer.len() {
            self.buffer.resize(self.buffer.len() * 2, 0);
        }
    }

    fn refused(&self, source: std::io::Error) -> Error {
        let data = [ErrorKind::InvalidInput, ErrorKind::InvalidData, ErrorKind::UnexpectedEof];
        if self.gzip && data.contains(&source.kind()) {
            return Error::Gzip { path: self.path.clone(), source };
        }
        Error::io("read", &self.path)(source)
    }
}

struct Counted<R> {
    reader: R,
    count: Arc<AtomicU64>,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let count = self.reader.read(buffer)?;
        self.count.fetch_add(count as u64, Ordering::Relaxed);
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(bytes).expect("to memory");
        encoder.finish().expect("to memory")
    }

    fn read(bytes: &[u8]) -> Result<Vec<u8>, Error> {
        let file = tempfile::NamedTempFile::new().expect("a file");
        std::fs::write(file.path(), bytes).expect("writable");
        let (mut input, progress) = Input::open(file.path())?;
        let all = input.rest()?.to_vec();
        assert_eq!(
            (progress.total, progress.read.load(Ordering::Relaxed)),
            (bytes.len() as u64, bytes.len() as u64)
        );
        Ok(all)
    }

    #[test]
    fn gzip_is_recognised_by_content_and_read_through_all_its_members() {
        let members = [gzip(b"\xef\xbb\xbfone "), gzip(b"two")].concat();
        assert_eq!(read(&members).expect("sound"), b"one two");
        assert_eq!(read(b"\xef\xbb\xbfplain").expect("sound"), b"plain");
        assert_eq!(read(b"\x1f").expect("sound"), b"\x1f");
    }

    #[test]
    fn a_cut_or_broken_gzip_file_is_refused() {
        let whole = gzip(&b"a line that repeats\n".repeat(1000));
        for cut in 2..whole.len() {
            assert!(matches!(read(&whole[..cut]), Err(Error::Gzip { .. })), "cut at {cut}");
        }
        let mut broken = whole.clone();
        let last = broken.len() - 5;
        broken[last] ^= 1;
        assert!(matches!(read(&broken), Err(Error::Gzip { .. })));
    }
}
