use polars_arrow_format::ipc::planus::ReadAsRoot;
use polars_arrow_format::ipc::{MessageHeaderRef, MessageRef, planus};

use crate::Error;
use crate::input::Input;

/// Bytes before the messages of a file: magic and padding. A stream has none.
const MAGIC: &[u8] = b"ARROW1\0\0";

/// The most bytes of a message's description: one of a record batch takes 16 for each buffer and column.
const LONGEST_DESCRIPTION: u32 = 256 << 20;

/// A message: its description, and where its buffers begin.
pub(crate) struct Message {
    pub description: Vec<u8>,
    pub body: u64,
}

/// The messages of a file or stream in order.
pub(crate) struct Messages<'a> {
    input: &'a mut Input,
    next: u64,
    end: u64,
}

impl<'a> Messages<'a> {
    pub fn new(input: &'a mut Input) -> Result<Self, Error> {
        let length = input.length();
        let start = input.bytes_at(0, length.min(8) as usize)?;
        if start != MAGIC {
            return Ok(Self { input, next: 0, end: length });
        }
        // A file ends with a footer, its length and the magic again; the footer repeats what the messages say.
        let path = input.path().to_path_buf();
        let damaged = |got: &str| Error::format(&path, "an Arrow file with a footer", got);
        if length < 18 {
            return Err(damaged(&format!("{length} bytes")));
        }
        let tail = input.bytes_at(length - 10, 10)?;
        if tail[4..] != MAGIC[..6] {
            return Err(damaged("one that ends without"));
        }
        let footer = u32::from_le_bytes([tail[0], tail[1], tail[2], tail[3]]);
        let end = (length - 10).checked_sub(u64::from(footer)).filter(|&end| end >= 8);
        let end = end.ok_or_else(|| damaged(&format!("a footer of {footer} bytes in a file of {length}")))?;
        Ok(Self { input, next: 8, end })
    }

    /// The next message; none at the end.
    pub fn next(&mut self) -> Result<Option<Message>, Error> {
        if self.next == self.end {
            return Ok(None);
        }
        let path = self.input.path().to_path_buf();
        let (at, end) = (self.next, self.end);
        let damaged =
            |got: String| Error::format(&path, "whole Arrow messages", format!("{got} at byte {at}"));
        if end - at < 8 {
            return Err(damaged(format!("{} bytes", end - at)));
        }
        let head = self.input.bytes_at(at, 8)?;
        let (marker, length) = head.split_at(4);
        let length = u32::from_le_bytes(length.try_into().expect("four bytes"));
        if marker != [0xff; 4] {
            return Err(damaged(format!("\"{}\"", marker.escape_ascii())));
        }
        if length == 0 {
            self.next = end;
            return Ok(None);
        }
        let body = at + 8 + u64::from(length);
        if length > LONGEST_DESCRIPTION || body > end {
            return Err(damaged(format!("a description of {length} bytes")));
        }
        let description = self.input.bytes_at(at + 8, length as usize)?;
        let message = MessageRef::read_as_root(&description).and_then(|message| message.body_length());
        let length = message.map_err(|error| damaged(error.to_string()))?;
        let next = u64::try_from(length).ok().and_then(|length| body.checked_add(length));
        self.next =
            next.filter(|&next| next <= end).ok_or_else(|| damaged(format!("buffers of {length} bytes")))?;
        Ok(Some(Message { description, body }))
    }
}

impl Message {
    /// What the message is.
    pub fn header(&self) -> planus::Result<Option<MessageHeaderRef<'_>>> {
        MessageRef::read_as_root(&self.description)?.header()
    }
}
