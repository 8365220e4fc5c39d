use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Take};
use std::path::Path;

use polars_arrow_format::ipc::planus;
use polars_arrow_format::ipc::{CompressionType, RecordBatchRef};

use crate::Error;

/// A record batch's columns and buffers as its description says, checked to lie in the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Body {
    pub rows: u64,
    /// Length and nulls of each column and what is inside it.
    pub nodes: Vec<(u64, u64)>,
    /// Where each buffer is in the file, and how many bytes it takes there.
    pub buffers: Vec<(u64, u64)>,
    /// Buffers of each column of views.
    pub views: Vec<i64>,
    compression: Option<Compression>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Compression {
    Lz4,
    Zstd,
}

/// Reads one buffer from its start, decompressed.
pub(crate) type Buffer = Box<dyn Read>;

impl Body {
    /// `at` is where the buffers begin, `end` where the file does; none if something is outside.
    pub fn new(batch: RecordBatchRef<'_>, at: u64, end: u64) -> planus::Result<Option<Self>> {
        let compression = match batch.compression()? {
            None => None,
            Some(compression) => Some(match compression.codec()? {
                CompressionType::Lz4Frame => Compression::Lz4,
                CompressionType::Zstd => Compression::Zstd,
            }),
        };
        let unsigned = |number: i64| u64::try_from(number).ok();
        let nodes = batch.nodes()?.into_iter().flatten();
        let nodes =
            nodes.map(|node| Some((unsigned(node.length())?, unsigned(node.null_count())?))).collect();
        let buffers = batch.buffers()?.into_iter().flatten().map(|buffer| {
            let (start, length) = (at.checked_add(unsigned(buffer.offset())?)?, unsigned(buffer.length())?);
            (start.checked_add(length)? <= end).then_some((start, length))
        });
        let buffers = buffers.collect();
        let views = batch.variadic_buffer_counts()?.into_iter().flatten().collect();
        let rows = unsigned(batch.length()?);
        let (Some(rows), Some(nodes), Some(buffers)) = (rows, nodes, buffers) else {
            return Ok(None);
        };
        Ok(Some(Self { rows, nodes, buffers, views, compression }))
    }

    /// The buffer of that number, of which `bytes` bytes will be read at most.
    pub fn buffer(&self, path: &Path, number: usize) -> Result<Buffer, Error> {
        let &(start, length) = self.buffers.get(number).ok_or_else(|| {
            Error::format(path, format!("{} buffers or more", number + 1), self.buffers.len().to_string())
        })?;
        let file = section(path, start, length)?;
        let Some(compression) = self.compression else {
            return Ok(Box::new(file));
        };
        if length < 8 {
            return Ok(Box::new(file));
        }
        // The length before compression, or −1 for what was left as it was.
        let mut file = file;
        let mut head = [0; 8];
        file.read_exact(&mut head).map_err(Error::io("read", path))?;
        Ok(match (i64::from_le_bytes(head), compression) {
            (-1, _) => Box::new(file),
            (_, Compression::Lz4) => Box::new(lz4_flex::frame::FrameDecoder::new(file)),
            (_, Compression::Zstd) => Box::new(zstd::Decoder::new(file).map_err(Error::io("read", path))?),
        })
    }

    /// `count` bytes of a buffer after its first `skipped`.
    pub fn bytes(&self, path: &Path, number: usize, skipped: u64, count: u64) -> Result<Vec<u8>, Error> {
        let (mut buffer, mut bytes) = (self.buffer(path, number)?, Vec::new());
        skip(path, &mut buffer, skipped)?;
        read(path, &mut buffer, count, &mut bytes)?;
        Ok(bytes)
    }
}

/// Passes over the first bytes of a buffer.
pub(crate) fn skip(path: &Path, buffer: &mut Buffer, bytes: u64) -> Result<(), Error> {
    let skipped = std::io::copy(&mut buffer.take(bytes), &mut std::io::sink()).map_err(damaged(path))?;
    if skipped == bytes {
        return Ok(());
    }
    Err(Error::format(path, format!("a buffer of more than {bytes} bytes"), skipped.to_string()))
}

/// Replaces `bytes` by the `count` that follow in a buffer. Takes no more memory than there are.
pub(crate) fn read(path: &Path, buffer: &mut Buffer, count: u64, bytes: &mut Vec<u8>) -> Result<(), Error> {
    bytes.clear();
    buffer.take(count).read_to_end(bytes).map_err(damaged(path))?;
    if bytes.len() as u64 == count {
        return Ok(());
    }
    Err(Error::format(path, format!("{count} more bytes in a buffer"), bytes.len().to_string()))
}

/// Data that cannot be decompressed, or ends early, is the file's fault.
fn damaged(path: &Path) -> impl Fn(std::io::Error) -> Error {
    |error| match error.raw_os_error() {
        Some(_) => Error::io("read", path)(error),
        None => Error::format(path, "sound Arrow buffers", error.to_string()),
    }
}

fn section(path: &Path, start: u64, length: u64) -> Result<Take<File>, Error> {
    let mut file = File::open(path).map_err(Error::io("open", path))?;
    file.seek(SeekFrom::Start(start)).map_err(Error::io("read", path))?;
    Ok(file.take(length))
}
