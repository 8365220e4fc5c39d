//! Atomic exchange of two paths (Linux).

use std::path::Path;

use crate::Error;

/// Exchanges two files or folders atomically, so that neither path is ever missing. Returns `false` if the operating
/// system or the file system does not support this.
///
/// # Errors
///
/// [`Error::Io`], which leaves both paths unchanged.
pub fn exchange(first: &Path, second: &Path) -> Result<bool, Error> {
    #[cfg(target_os = "linux")]
    {
        use rustix::fs::{CWD, RenameFlags, renameat_with};
        use rustix::io::Errno;
        match renameat_with(CWD, first, CWD, second, RenameFlags::EXCHANGE) {
            Ok(()) => Ok(true),
            // Some sandboxes reject the system call with EPERM.
            Err(Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP | Errno::PERM) => Ok(false),
            Err(error) => Err(Error::io("write", second)(error.into())),
        }
    }
    #[cfg(not(target_os = "linux"))]
    {
        let _ = (first, second);
        Ok(false)
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn folders_are_exchanged_and_a_missing_path_is_an_error() {
        let home = tempfile::tempdir().expect("a folder");
        let [a, b] = ["a", "b"].map(|name| home.path().join(name));
        for path in [&a, &b] {
            fs::create_dir(path).expect("new");
        }
        fs::write(a.join("file"), "").expect("writable");
        if exchange(&a, &b).expect("two folders") {
            assert!(b.join("file").exists() && !a.join("file").exists());
        }
        assert!(exchange(&a, &home.path().join("none")).is_err());
    }
}
