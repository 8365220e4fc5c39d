//! Word pieces as terms, and the copy of the model's tokenizer in the folder of an index.

use std::fs;
use std::io::ErrorKind;
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
    /// The hash of the file, in hexadecimal, which identifies the tokenizer.
    sha256: String,
}

/// The tokenizers in use. Parsing one takes a tenth of a second, and every commit and reload needs it.
static LOADED: Mutex<Vec<Weak<WordPieces>>> = Mutex::new(Vec::new());

impl WordPieces {
    /// Reads a `tokenizer.json`, given its path or that of its folder.
    ///
    /// # Errors
    ///
    /// [`Error::Tokenizer`] if there is none, or one of another kind than WordPiece.
    pub fn open(path: &Path) -> Result<Arc<Self>, Error> {
        let path = if path.is_dir() { path.join("tokenizer.json") } else { path.to_path_buf() };
        let json = fs::read(&path).map_err(|source| tokenize::Error::Io { path: path.clone(), source })?;
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

    /// Writes a copy into the folder of an index.
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

    /// Calls `visit` with each word piece of a text.
    pub fn for_each_term(&self, text: &str, visit: impl FnMut(&str)) {
        let pieces = self.tokenizer.piece_texts(text);
        let pieces = pieces.expect("a WordPiece model with an unknown token accepts every text");
        pieces.iter().map(String::as_str).for_each(visit);
    }

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

/// The path of the copy of the tokenizer with this hash that an index in `folder` has.
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

/// Whether this is the name of a copy, `tokenizer-<16 hexadecimal digits>.json`, or of its temporary file, which has
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
