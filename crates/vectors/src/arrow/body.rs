//! The nodes and buffers of a record batch.
//!
//! The metadata of a record batch has a node for each column and nested column (its number of values and of nulls), and
//! the position of each buffer in the file. Most columns have a fixed number of buffers. A *view column* (strings or
//! bytes as 16-byte views into other buffers) also has a variable number of buffers, its *variadic buffers*. The
//! metadata states how many.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Take};
use std::path::Path;

use polars_arrow_format::ipc::planus;
use polars_arrow_format::ipc::{CompressionType, RecordBatchRef};

use crate::Error;

/// The nodes and buffers of a record batch, as its metadata states them. All buffers are inside the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Body {
    pub rows: u64,
    /// One per column and nested column.
    pub nodes: Vec<Node>,
    buffers: Vec<BufferRange>,
    /// Number of variadic buffers of each view column.
    pub view_counts: Vec<i64>,
    compression: Option<Compression>,
}

/// The number of values and the number of nulls of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Node {
    pub length: u64,
    pub null_count: u64,
}

/// Where a buffer is in the file, in bytes. It may be compressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct BufferRange {
    start: u64,
    length: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Compression {
    Lz4,
    Zstd,
}

/// Reads the decompressed content of a buffer.
pub(crate) type Buffer = Box<dyn Read>;

impl Body {
    /// Reads the metadata of a batch whose body begins at byte `body_offset`. Returns `None` if a buffer is not inside
    /// the `file_length` bytes of the file, or if an offset, a length or a number of nulls is negative.
    pub fn new(
        batch: RecordBatchRef<'_>,
        body_offset: u64,
        file_length: u64,
    ) -> planus::Result<Option<Self>> {
        let compression = match batch.compression()? {
            None => None,
            Some(compression) => Some(match compression.codec()? {
                CompressionType::Lz4Frame => Compression::Lz4,
                CompressionType::Zstd => Compression::Zstd,
            }),
        };
        let unsigned = |number: i64| u64::try_from(number).ok();
        let nodes = batch.nodes()?.into_iter().flatten();
        let nodes = nodes.map(|node| {
            Some(Node { length: unsigned(node.length())?, null_count: unsigned(node.null_count())? })
        });
        let nodes = nodes.collect();
        let buffers = batch.buffers()?.into_iter().flatten().map(|buffer| {
            let (start, length) =
                (body_offset.checked_add(unsigned(buffer.offset())?)?, unsigned(buffer.length())?);
            (start.checked_add(length)? <= file_length).then_some(BufferRange { start, length })
        });
        let buffers = buffers.collect();
        let view_counts = batch.variadic_buffer_counts()?.into_iter().flatten().collect();
        let rows = unsigned(batch.length()?);
        let (Some(rows), Some(nodes), Some(buffers)) = (rows, nodes, buffers) else {
            return Ok(None);
        };
        Ok(Some(Self { rows, nodes, buffers, view_counts, compression }))
    }

    /// Opens a buffer by its number in the record batch.
    pub fn buffer(&self, path: &Path, number: usize) -> Result<Buffer, Error> {
        let &BufferRange { start, length } = self.buffers.get(number).ok_or_else(|| {
            Error::format(path, format!("{} buffers or more", number + 1), self.buffers.len().to_string())
        })?;
        let file = open_range(path, start, length)?;
        // An empty buffer has no header, even if other buffers are compressed.
        let Some(compression) = self.compression.filter(|_| length >= 8) else {
            return Ok(Box::new(file));
        };
        // A compressed buffer begins with its uncompressed length, or with −1 if its data is not compressed after all.
        let mut file = file;
        let mut header = [0; 8];
        file.read_exact(&mut header).map_err(Error::io("read", path))?;
        Ok(match (i64::from_le_bytes(header), compression) {
            (-1, _) => Box::new(file),
            (_, Compression::Lz4) => Box::new(lz4_flex::frame::FrameDecoder::new(file)),
            (_, Compression::Zstd) => Box::new(zstd::Decoder::new(file).map_err(Error::io("read", path))?),
        })
    }

    /// Reads `count` bytes of a buffer after its first `skipped` bytes.
    pub fn bytes(&self, path: &Path, number: usize, skipped: u64, count: u64) -> Result<Vec<u8>, Error> {
        let (mut buffer, mut bytes) = (self.buffer(path, number)?, Vec::new());
        skip(path, &mut buffer, skipped)?;
        read(path, &mut buffer, count, &mut bytes)?;
        Ok(bytes)
    }
}

/// Skips the next bytes of a buffer.
pub(crate) fn skip(path: &Path, buffer: &mut Buffer, bytes: u64) -> Result<(), Error> {
    let skipped = std::io::copy(&mut buffer.take(bytes), &mut std::io::sink()).map_err(read_error(path))?;
    if skipped == bytes {
        return Ok(());
    }
    Err(Error::format(path, format!("a buffer of at least {bytes} bytes"), skipped.to_string()))
}

/// Replaces `bytes` with the next `count` bytes of a buffer. Memory is only allocated for bytes that the buffer
/// contains, because the `count` of a corrupt file may be huge.
pub(crate) fn read(path: &Path, buffer: &mut Buffer, count: u64, bytes: &mut Vec<u8>) -> Result<(), Error> {
    bytes.clear();
    buffer.take(count).read_to_end(bytes).map_err(read_error(path))?;
    if bytes.len() as u64 == count {
        return Ok(());
    }
    Err(Error::format(path, format!("{count} more bytes in a buffer"), bytes.len().to_string()))
}

/// Returns a function that converts an I/O error. If the error has no error code of the operating system, the data
/// cannot be decompressed or ends early, so the file is invalid.
fn read_error(path: &Path) -> impl Fn(std::io::Error) -> Error {
    |error| match error.raw_os_error() {
        Some(_) => Error::io("read", path)(error),
        None => Error::format(path, "valid Arrow buffers", error.to_string()),
    }
}

/// Opens a byte range of a file.
fn open_range(path: &Path, start: u64, length: u64) -> Result<Take<File>, Error> {
    let mut file = File::open(path).map_err(Error::io("open", path))?;
    file.seek(SeekFrom::Start(start)).map_err(Error::io("read", path))?;
    Ok(file.take(length))
}
