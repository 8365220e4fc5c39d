//! [`BufferedInput`]: the decompressed bytes of a file, in a buffer from whose start the caller consumes bytes.

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
/// Maximum number of bytes that one call of [`BufferedInput::fill`] reads. Each call checks for cancellation once;
/// decompressing this number of bytes takes about a millisecond.
const MAX_FILL_BYTES: usize = 1 << 20;

/// Progress of reading a file or the files of a folder, in bytes before decompression.
#[derive(Debug, Clone, Default)]
pub(crate) struct Progress {
    /// Number of bytes that have been read so far.
    pub read: Arc<AtomicU64>,
    /// Total number of bytes to read, or 0 if it is unknown.
    pub total: u64,
}

/// The bytes of a file, decompressed if the file is gzip, and without a byte order mark at the start.
///
/// The caller looks at [`data`](Self::data), appends more bytes to the data with [`fill`](Self::fill), and removes the
/// processed bytes with [`consume`](Self::consume). The buffer grows as long as the caller consumes nothing, so the
/// caller must compare the length of the data with [`limit`](Self::limit) after each `fill`.
pub(crate) struct BufferedInput {
    path: PathBuf,
    reader: Box<dyn Read + Send>,
    is_gzip: bool,
    buffer: Vec<u8>,
    /// The bytes that have been read but not consumed are `buffer[start..end]`.
    start: usize,
    end: usize,
    is_at_end: bool,
    /// Maximum number of bytes of one document.
    limit: usize,
    control: SharedControl,
}

impl BufferedInput {
    /// Opens a file with the default limit. Also returns the progress of reading it.
    #[cfg(test)]
    pub fn open(path: &Path) -> Result<(Self, Progress), Error> {
        Self::open_with(path, &InputOptions::default())
    }

    /// Opens a regular file, FIFO or device. Also returns the progress of reading it.
    pub fn open_with(path: &Path, input_options: &InputOptions) -> Result<(Self, Progress), Error> {
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
        // A small file gets a small buffer, because folders may contain many small files. A length of 0 means unknown.
        let length = usize::try_from(length).unwrap_or(BUFFER_BYTES);
        let initial_bytes = if length == 0 { BUFFER_BYTES } else { length.clamp(4 << 10, BUFFER_BYTES) };
        let reader: Box<dyn Read + Send> = if is_gzip {
            Box::new(MultiGzDecoder::new(BufReader::with_capacity(initial_bytes, counted)))
        } else {
            Box::new(counted)
        };
        let mut input = Self {
            path: path.to_path_buf(),
            reader,
            is_gzip,
            buffer: vec![0; initial_bytes],
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

    /// The bytes that have been read but not consumed.
    pub fn data(&self) -> &[u8] {
        &self.buffer[self.start..self.end]
    }

    /// Reads more bytes and appends them to [`data`](Self::data). Returns `false` at the end of the file.
    pub fn fill(&mut self) -> Result<bool, Error> {
        if self.is_at_end {
            return Ok(false);
        }
        self.control.check()?;
        if self.end == self.buffer.len() {
            self.make_room();
        }
        loop {
            let max_end = self.buffer.len().min(self.end + MAX_FILL_BYTES);
            match self.reader.read(&mut self.buffer[self.end..max_end]) {
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

    /// Returns the first `count` bytes of the data, or all remaining bytes if there are fewer. Consumes nothing.
    pub fn prefix(&mut self, count: usize) -> Result<&[u8], Error> {
        while self.end - self.start < count && self.fill()? {}
        Ok(&self.data()[..count.min(self.end - self.start)])
    }

    /// Removes the first `count` bytes of the data.
    pub fn consume(&mut self, count: usize) {
        debug_assert!(count <= self.end - self.start);
        self.start += count;
    }

    /// Returns all remaining bytes. Fails with [`Error::Line`] if they exceed the limit.
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

    /// Makes room after the data. If at least half of the buffer is in use, doubles the buffer, but to at most slightly
    /// more than the limit, so that the caller can see that a document exceeds the limit.
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

/// Converts an error of reading or decompressing to [`Error`].
fn read_error(path: &Path, is_gzip: bool, source: std::io::Error) -> Error {
    if let Some(canceled) = source.get_ref().and_then(|inner| inner.downcast_ref::<control::Canceled>()) {
        return Error::Canceled(*canceled);
    }
    let invalid_data = [ErrorKind::InvalidInput, ErrorKind::InvalidData, ErrorKind::UnexpectedEof];
    if is_gzip && invalid_data.contains(&source.kind()) {
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

    /// Compresses bytes to one gzip member.
    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(bytes).expect("memory is writable");
        encoder.finish().expect("memory is writable")
    }

    /// Reads a temporary file with these bytes, and checks that the progress counts all of them.
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
    fn gzip_is_detected_by_content_and_all_members_are_read() {
        let members = [gzip(b"\xef\xbb\xbfone "), gzip(b"two")].concat();
        assert_eq!(read(&members).expect("valid"), b"one two");
        assert_eq!(read(b"\xef\xbb\xbfplain").expect("valid"), b"plain");
        assert_eq!(read(b"\x1f").expect("valid"), b"\x1f");
    }

    #[test]
    fn a_truncated_or_corrupt_gzip_file_is_refused() {
        let compressed = gzip(&b"a line that repeats\n".repeat(1000));
        for cut in 2..compressed.len() {
            assert!(matches!(read(&compressed[..cut]), Err(Error::Gzip { .. })), "cut at {cut}");
        }
        let mut broken = compressed.clone();
        let last = broken.len() - 5;
        broken[last] ^= 1;
        assert!(matches!(read(&broken), Err(Error::Gzip { .. })));
    }
}
