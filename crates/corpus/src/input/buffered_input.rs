//! The decompressed bytes of a file, in a buffer from which the caller consumes.

use std::io::{BufReader, Cursor, ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use flate2::bufread::MultiGzDecoder;

use super::cancellation::SharedControl;
use super::limits::{InputOptions, document_too_long};
use super::source_file::SourceFile;
use crate::Error;

/// Initial size of the buffer, unless the file is smaller.
const BUFFER_BYTES: usize = 256 << 10;
/// Maximum number of bytes that one call of [`BufferedInput::fill`] reads. Decompressing them takes about a millisecond,
/// which is the time between two checks for cancellation.
const MAX_FILL_BYTES: usize = 1 << 20;

/// Number of bytes of a file that were read, before decompression.
#[derive(Debug, Clone, Default)]
pub(crate) struct Progress {
    pub read: Arc<AtomicU64>,
    pub total: u64,
}

/// The bytes of a file, decompressed if it is gzip, without a byte order mark.
///
/// The buffer grows as long as the caller consumes nothing, so the caller must compare the length of the data with
/// [`limit`](Self::limit) after each [`fill`](Self::fill).
pub(crate) struct BufferedInput {
    path: PathBuf,
    reader: Box<dyn Read + Send>,
    is_gzip: bool,
    buffer: Vec<u8>,
    /// The data is `buffer[start..end]`.
    start: usize,
    end: usize,
    is_at_end: bool,
    limit: usize,
    control: SharedControl,
}

impl BufferedInput {
    /// Opens a file with the default limits; also returns the progress of reading it.
    #[cfg(test)]
    pub fn open(path: &Path) -> Result<(Self, Progress), Error> {
        Self::open_within(path, &InputOptions::default())
    }

    /// Opens a file of any kind; also returns the progress of reading it.
    pub fn open_within(path: &Path, input_options: &InputOptions) -> Result<(Self, Progress), Error> {
        let read = Arc::new(AtomicU64::new(0));
        let (file, total) = SourceFile::open(path, input_options.control.clone())?;
        let input = Self::new(path, file, total, Arc::clone(&read), input_options)?;
        Ok((input, Progress { read, total }))
    }

    /// Opens a regular file and adds the number of bytes read from it to `count`.
    pub fn open_regular(
        path: &Path,
        count: Arc<AtomicU64>,
        input_options: &InputOptions,
    ) -> Result<Self, Error> {
        let (file, total) = SourceFile::open_regular(path, input_options.control.clone())?;
        Self::new(path, file, total, count, input_options)
    }

    fn new(
        path: &Path,
        mut file: SourceFile,
        length: u64,
        count: Arc<AtomicU64>,
        input_options: &InputOptions,
    ) -> Result<Self, Error> {
        let mut magic = Vec::with_capacity(2);
        file.by_ref().take(2).read_to_end(&mut magic).map_err(|source| read_error(path, false, source))?;
        let is_gzip = magic == [0x1f, 0x8b];
        let counted = CountingReader { reader: Cursor::new(magic).chain(file), count };
        // Folders may hold many small files; the length of a FIFO is unknown.
        let length = usize::try_from(length).unwrap_or(BUFFER_BYTES);
        let first = if length == 0 { BUFFER_BYTES } else { length.clamp(4 << 10, BUFFER_BYTES) };
        let reader: Box<dyn Read + Send> = if is_gzip {
            Box::new(MultiGzDecoder::new(BufReader::with_capacity(first, counted)))
        } else {
            Box::new(counted)
        };
        let mut input = Self {
            path: path.to_path_buf(),
            reader,
            is_gzip,
            buffer: vec![0; first],
            start: 0,
            end: 0,
            is_at_end: false,
            limit: input_options.max_document_bytes,
            control: input_options.control.clone(),
        };
        if input.prefix(3)?.starts_with(b"\xef\xbb\xbf") {
            input.consume(3);
        }
        Ok(input)
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Maximum number of bytes of one document.
    pub fn limit(&self) -> usize {
        self.limit
    }

    /// The bytes that were read and not yet consumed.
    pub fn data(&self) -> &[u8] {
        &self.buffer[self.start..self.end]
    }

    /// Reads more bytes after `data`, whose offsets do not change. Returns `false` at the end of the file.
    pub fn fill(&mut self) -> Result<bool, Error> {
        if self.is_at_end {
            return Ok(false);
        }
        self.control.check()?;
        if self.end == self.buffer.len() {
            self.make_room();
        }
        loop {
            let until = self.buffer.len().min(self.end + MAX_FILL_BYTES);
            match self.reader.read(&mut self.buffer[self.end..until]) {
                Ok(0) => {
                    self.is_at_end = true;
                    return Ok(false);
                }
                Ok(count) => {
                    self.end += count;
                    return Ok(true);
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(source) => {
                    self.is_at_end = true;
                    return Err(read_error(&self.path, self.is_gzip, source));
                }
            }
        }
    }

    /// The first `count` bytes, or all bytes if there are fewer.
    pub fn prefix(&mut self, count: usize) -> Result<&[u8], Error> {
        while self.end - self.start < count && self.fill()? {}
        Ok(&self.data()[..count.min(self.end - self.start)])
    }

    /// Drops the first `count` bytes of `data`.
    pub fn consume(&mut self, count: usize) {
        debug_assert!(count <= self.end - self.start);
        self.start += count;
    }

    /// All remaining bytes. They must be within the limit.
    pub fn rest(&mut self) -> Result<&[u8], Error> {
        loop {
            if self.end - self.start > self.limit {
                let (expected, got) = document_too_long(self.limit);
                return Err(Error::line(&self.path, 1, expected, got));
            }
            if !self.fill()? {
                return Ok(self.data());
            }
        }
    }

    /// Makes room after the data. The buffer doubles, up to slightly more than the limit, so that a document beyond the
    /// limit can be recognized.
    fn make_room(&mut self) {
        let length = self.end - self.start;
        self.buffer.copy_within(self.start..self.end, 0);
        (self.start, self.end) = (0, length);
        if length * 2 >= self.buffer.len() {
            let max = self.limit.saturating_add(BUFFER_BYTES).max(length + BUFFER_BYTES);
            let new_length = (self.buffer.len() * 2).min(max).max(self.buffer.len());
            self.buffer.reserve_exact(new_length - self.buffer.len());
            self.buffer.resize(new_length, 0);
        }
    }
}

/// Converts an error of reading or decompressing.
fn read_error(path: &Path, is_gzip: bool, source: std::io::Error) -> Error {
    if let Some(cancelled) = source.get_ref().and_then(|inner| inner.downcast_ref::<control::Cancelled>()) {
        return Error::Cancelled(*cancelled);
    }
    let data_errors = [ErrorKind::InvalidInput, ErrorKind::InvalidData, ErrorKind::UnexpectedEof];
    if is_gzip && data_errors.contains(&source.kind()) {
        return Error::Gzip { path: path.to_path_buf(), source };
    }
    Error::io("read", path)(source)
}

/// Counts the bytes that are read.
struct CountingReader<R> {
    reader: R,
    count: Arc<AtomicU64>,
}

impl<R: Read> Read for CountingReader<R> {
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
        let (mut input, progress) = BufferedInput::open(file.path())?;
        let all = input.rest()?.to_vec();
        assert_eq!(
            (progress.total, progress.read.load(Ordering::Relaxed)),
            (bytes.len() as u64, bytes.len() as u64)
        );
        Ok(all)
    }

    #[test]
    fn gzip_is_recognized_by_content_and_read_through_all_its_members() {
        let members = [gzip(b"\xef\xbb\xbfone "), gzip(b"two")].concat();
        assert_eq!(read(&members).expect("sound"), b"one two");
        assert_eq!(read(b"\xef\xbb\xbfplain").expect("sound"), b"plain");
        assert_eq!(read(b"\x1f").expect("sound"), b"\x1f");
    }

    #[test]
    fn a_truncated_or_corrupt_gzip_file_is_refused() {
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
