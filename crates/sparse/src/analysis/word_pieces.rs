//! The analyzer `wordpiece`, whose terms are the word pieces of a model. An index with this analyzer has a copy of the
//! model's `tokenizer.json` in its folder, so that it does not depend on the model's files.

use std::fs;
use std::io::ErrorKind;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, Weak};

use sha2::{Digest, Sha256};
use tokenize::Tokenizer;

use crate::Error;
use crate::analysis::stop_words::hex;

/// Number of hexadecimal digits of the hash in the file name of a copy.
const NAME_DIGITS: usize = 16;

/// A model's tokenizer and the content of its file.
pub(crate) struct WordPieces {
    tokenizer: Tokenizer,
    json: Vec<u8>,
    /// The SHA-256 of the file, in hexadecimal. It identifies the tokenizer.
    sha256: String,
}

/// The tokenizers in use. Parsing a tokenizer takes about a tenth of a second, and every commit and reload needs the
/// tokenizer of its index.
static LOADED: Mutex<Vec<Weak<WordPieces>>> = Mutex::new(Vec::new());

impl WordPieces {
    /// Reads a `tokenizer.json`, given its path or the path of its folder.
    ///
    /// # Errors
    ///
    /// [`Error::Tokenizer`] if there is no regular file, or if it is not a WordPiece tokenizer.
    pub fn open(path: &Path) -> Result<Arc<Self>, Error> {
        let path = if path.is_dir() { path.join("tokenizer.json") } else { path.to_path_buf() };
        let json = storage::check_regular(&path)
            .and_then(|()| fs::read(&path))
            .map_err(|source| tokenize::Error::Io { path: path.clone(), source })?;
        let sha256 = sha256(&json);
        Self::loaded(json, sha256, &path)
    }

    /// Opens the copy in the folder of an index.
    ///
    /// # Errors
    ///
    /// [`Error::Corrupt`] if the copy is missing or does not have the expected hash.
    pub fn open_copy(folder: &Path, expected: &str) -> Result<Arc<Self>, Error> {
        let path = copy_in(folder, expected);
        let json = fs::read(&path).map_err(|error| match error.kind() {
            ErrorKind::NotFound => {
                Error::corrupt(&path, "the tokenizer that the index was made with", "no such file")
            }
            _ => Error::io("open", &path)(error),
        })?;
        let got = sha256(&json);
        if got != expected {
            return Err(Error::corrupt(&path, format!("SHA-256 {expected}"), got));
        }
        Self::loaded(json, got, &path)
    }

    /// Writes a copy of `tokenizer.json` into the folder of an index.
    pub fn write_copy(&self, folder: &Path) -> Result<(), Error> {
        storage::replace(&copy_in(folder, &self.sha256), &self.json).map_err(|error| match error {
            storage::Error::Io { operation, path, source } => Error::Io { operation, path, source },
            error => {
                Error::Engine { operation: "write", path: folder.to_path_buf(), source: Box::new(error) }
            }
        })
    }

    pub fn sha256(&self) -> &str {
        &self.sha256
    }

    /// Returns true if the given tokenizer has the same pieces with the same ids.
    pub fn has_vocabulary_of(&self, tokenizer: &Tokenizer) -> bool {
        let size = tokenizer.vocabulary_size();
        self.tokenizer.vocabulary_size() == size
            && (0..size as u32).all(|id| self.tokenizer.piece_text(id) == tokenizer.piece_text(id))
    }

    /// Calls `visit` with each word piece of a text and its byte range.
    pub fn for_each_term(&self, text: &str, mut visit: impl FnMut(&str, Range<usize>)) {
        let pieces = self.tokenizer.pieces(text);
        let pieces = pieces.expect("a WordPiece model with an unknown token accepts every text");
        for (&id, range) in pieces.ids.iter().zip(pieces.offsets) {
            let piece = self.tokenizer.piece_text(id).expect("the tokenizer has the piece that it returned");
            visit(&piece, range.start as usize..range.end as usize);
        }
    }

    /// Returns the tokenizer with this hash if it is in use; otherwise parses `json`.
    fn loaded(json: Vec<u8>, sha256: String, path: &Path) -> Result<Arc<Self>, Error> {
        let mut loaded = LOADED.lock().unwrap_or_else(PoisonError::into_inner);
        loaded.retain(|one| one.strong_count() > 0);
        if let Some(found) = loaded.iter().filter_map(Weak::upgrade).find(|one| one.sha256 == sha256) {
            return Ok(found);
        }
        let tokenizer = Tokenizer::from_bytes(&json, path)?;
        if !tokenizer.is_word_piece() {
            let expected = "a WordPiece model with its unknown token";
            let (path, got) = (path.to_path_buf(), "another model".to_owned());
            return Err(tokenize::Error::Format { path, expected, got }.into());
        }
        let new = Arc::new(Self { tokenizer, json, sha256 });
        loaded.push(Arc::downgrade(&new));
        Ok(new)
    }
}

impl std::fmt::Debug for WordPieces {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("WordPieces").field("sha256", &self.sha256).finish_non_exhaustive()
    }
}

impl PartialEq for WordPieces {
    fn eq(&self, other: &Self) -> bool {
        self.sha256 == other.sha256
    }
}

impl Eq for WordPieces {}

/// Returns the path of the copy that an index in `folder` has of the tokenizer with this hash.
pub(crate) fn copy_in(folder: &Path, sha256: &str) -> PathBuf {
    folder.join(format!("tokenizer-{}.json", sha256.get(..NAME_DIGITS).unwrap_or(sha256)))
}

/// Removes all copies except `kept` from the folder of an index, and temporary files that a killed writer left behind.
pub(crate) fn remove_copies(folder: &Path, kept: Option<&Path>) -> Result<(), Error> {
    for entry in fs::read_dir(folder).map_err(Error::io("open", folder))? {
        let entry = entry.map_err(Error::io("open", folder))?.path();
        let name = entry.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        if is_copy(name) && kept != Some(&entry) {
            fs::remove_file(&entry).map_err(Error::io("remove", &entry))?;
        }
    }
    Ok(())
}

/// Returns true for the name of a copy, `tokenizer-<16 hexadecimal digits>.json`, or of its temporary file, which has
/// `.<anything>.tmp` appended.
fn is_copy(name: &str) -> bool {
    let Some((digits, rest)) = name.strip_prefix("tokenizer-").and_then(|rest| rest.split_once('.')) else {
        return false;
    };
    digits.len() == NAME_DIGITS
        && digits.bytes().all(|byte| byte.is_ascii_hexdigit())
        && (rest == "json" || (rest.starts_with("json.") && rest.ends_with(".tmp")))
}

fn sha256(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_of_copies_are_recognized() {
        let name = "tokenizer-0123456789abcdef.json";
        assert!(is_copy(name) && is_copy(&format!("{name}.42-0.tmp")));
        assert!(
            !["tokenizer.json", "tokenizer-mine.json", "tokenizer-0123456789abcdef.txt", ""]
                .iter()
                .any(|name| is_copy(name))
        );
        assert_eq!(copy_in(Path::new(""), &sha256(b"")), Path::new("tokenizer-e3b0c44298fc1c14.json"));
    }
}
