//! Checks and names the types of files.

use std::fs::FileType;
use std::io::{Error, ErrorKind, Result};
use std::path::Path;

/// Fails if the path is not a regular file. Only regular files can be mapped and read repeatedly.
///
/// Call this function before opening the path: opening a FIFO waits for a writer, possibly forever.
///
/// # Errors
///
/// [`ErrorKind::IsADirectory`] for a folder, [`ErrorKind::InvalidInput`] for a FIFO, a socket or a device, and the
/// system's error for a missing file.
pub fn check_regular(path: &Path) -> Result<()> {
    let kind = std::fs::metadata(path)?.file_type();
    match kind {
        _ if kind.is_file() => Ok(()),
        _ if kind.is_dir() => Err(ErrorKind::IsADirectory.into()),
        _ => {
            let got = file_type_name(kind);
            Err(Error::new(ErrorKind::InvalidInput, format!("expected a regular file, got {got}")))
        }
    }
}

/// Returns the name of a file type for error messages, with its article.
#[must_use]
pub fn file_type_name(kind: FileType) -> &'static str {
    #[cfg(unix)]
    {
        use std::os::unix::fs::FileTypeExt;
        let names = [
            (kind.is_fifo(), "a FIFO"),
            (kind.is_char_device(), "a character device"),
            (kind.is_block_device(), "a block device"),
            (kind.is_socket(), "a socket"),
        ];
        if let Some((_, name)) = names.into_iter().find(|(is_kind, _)| *is_kind) {
            return name;
        }
    }
    match kind {
        _ if kind.is_file() => "a regular file",
        _ if kind.is_dir() => "a folder",
        _ => "a special file",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn check_regular_accepts_only_regular_files() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("file");
        assert_eq!(check_regular(&path).expect_err("missing").kind(), ErrorKind::NotFound);
        assert_eq!(check_regular(folder.path()).expect_err("a folder").kind(), ErrorKind::IsADirectory);
        std::fs::write(&path, "").expect("writable");
        check_regular(&path).expect("regular");
        #[cfg(unix)]
        {
            let error = check_regular(Path::new("/dev/null")).expect_err("a device");
            assert_eq!(error.to_string(), "expected a regular file, got a character device");
            let fifo = folder.path().join("fifo");
            assert!(std::process::Command::new("mkfifo").arg(&fifo).status().expect("mkfifo").success());
            let error = check_regular(&fifo).expect_err("a FIFO");
            assert_eq!(error.to_string(), "expected a regular file, got a FIFO");
        }
    }
}
