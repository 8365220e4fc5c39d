//! The messages of an Arrow file or stream: a schema, then record batches. A message consists of metadata and a body.

use polars_arrow_format::ipc::planus::ReadAsRoot;
use polars_arrow_format::ipc::{MessageHeaderRef, MessageRef, planus};

use crate::Error;
use crate::input::Input;

/// First bytes of an Arrow file: magic bytes and padding. A stream has none.
const MAGIC: &[u8] = b"ARROW1\0\0";

/// Maximum number of bytes of the metadata of a message. The metadata of a record batch takes 16 bytes per buffer and
/// 16 bytes per column.
const MAX_METADATA_BYTES: u32 = 256 << 20;

/// A message: its metadata and the byte offset of its body, which contains the buffers.
pub(crate) struct Message {
    pub metadata: Vec<u8>,
    pub body_offset: u64,
}

/// The messages of a file or stream in order.
pub(crate) struct Messages<'a> {
    input: &'a mut Input,
    /// Byte offset of the next message.
    next: u64,
    /// Byte offset of the end of the messages.
    end: u64,
}

impl<'a> Messages<'a> {
    /// Finds where the messages begin and end. This does not read any message.
    pub fn new(input: &'a mut Input) -> Result<Self, Error> {
        let length = input.length();
        let start = input.bytes_at(0, length.min(8) as usize)?;
        if start != MAGIC {
            return Ok(Self { input, next: 0, end: length });
        }
        // A file ends with a footer, the length of the footer (4 bytes) and the magic bytes without padding (6 bytes).
        // The footer only repeats the schema and lists where the messages are, so it is not read.
        let path = input.path().to_path_buf();
        let corrupt = |got: &str| Error::format(&path, "an Arrow file with a footer", got);
        // 8 bytes at the start, and 10 after the footer.
        if length < 18 {
            return Err(corrupt(&format!("{length} bytes")));
        }
        let tail = input.bytes_at(length - 10, 10)?;
        if tail[4..] != MAGIC[..6] {
            return Err(corrupt("one without a footer"));
        }
        let footer = u32::from_le_bytes([tail[0], tail[1], tail[2], tail[3]]);
        let end = (length - 10).checked_sub(u64::from(footer)).filter(|&end| end >= 8);
        let end = end.ok_or_else(|| corrupt(&format!("a footer of {footer} bytes in a file of {length}")))?;
        Ok(Self { input, next: 8, end })
    }

    /// Reads the next message. Returns `None` at the end.
    pub fn next(&mut self) -> Result<Option<Message>, Error> {
        if self.next == self.end {
            return Ok(None);
        }
        let path = self.input.path().to_path_buf();
        let (at, end) = (self.next, self.end);
        let corrupt =
            |got: String| Error::format(&path, "whole Arrow messages", format!("{got} at byte {at}"));
        if end - at < 8 {
            return Err(corrupt(format!("{} bytes", end - at)));
        }
        // A message begins with four bytes 0xff and the length of its metadata. A length of 0 marks the end.
        let prefix = self.input.bytes_at(at, 8)?;
        let (marker, length) = prefix.split_at(4);
        let length = u32::from_le_bytes(length.try_into().expect("four bytes"));
        if marker != [0xff; 4] {
            return Err(corrupt(format!("\"{}\"", marker.escape_ascii())));
        }
        if length == 0 {
            self.next = end;
            return Ok(None);
        }
        let body_offset = at + 8 + u64::from(length);
        if length > MAX_METADATA_BYTES || body_offset > end {
            return Err(corrupt(format!("metadata of {length} bytes")));
        }
        let metadata = self.input.bytes_at(at + 8, length as usize)?;
        let body_length = MessageRef::read_as_root(&metadata).and_then(|message| message.body_length());
        let body_length = body_length.map_err(|error| corrupt(error.to_string()))?;
        let next = u64::try_from(body_length).ok().and_then(|length| body_offset.checked_add(length));
        self.next = next
            .filter(|&next| next <= end)
            .ok_or_else(|| corrupt(format!("buffers of {body_length} bytes")))?;
        Ok(Some(Message { metadata, body_offset }))
    }
}

impl Message {
    /// Returns the header, whose variant is the type of the message.
    pub fn header(&self) -> planus::Result<Option<MessageHeaderRef<'_>>> {
        MessageRef::read_as_root(&self.metadata)?.header()
    }
}
