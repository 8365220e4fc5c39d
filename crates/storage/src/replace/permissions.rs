//! Copies the mode, owner and group of a replaced file to its replacement.

use std::fs::{File, Metadata};

/// Gives `file` the mode of the file that it replaces and, if the system permits, the owner and group of that file.
/// If the owner could not be copied, the set-user-ID bit is cleared. If the group could not be copied, the set-group-ID
/// bit is cleared, and the new group gets at most the rights that all other users have. This keeps other users from
/// gaining rights.
#[cfg(unix)]
pub(super) fn copy(file: &File, replaced: &Metadata) -> std::io::Result<()> {
    use std::os::unix::fs::{MetadataExt, PermissionsExt, fchown};
    let (uid, gid) = (replaced.uid(), replaced.gid());
    let mut metadata = file.metadata()?;
    if (metadata.uid(), metadata.gid()) != (uid, gid) {
        // Only root can change the owner, but the group can be copied if this user belongs to it.
        if fchown(file, Some(uid), Some(gid)).is_err() {
            let _ = fchown(file, None, Some(gid));
        }
        metadata = file.metadata()?;
    }
    let mut mode = replaced.mode() & 0o7777;
    if metadata.uid() != uid {
        mode &= !0o4000;
    }
    if metadata.gid() != gid {
        let others = mode & 0o007;
        mode &= !0o2070 | others << 3;
        mode &= !0o2000;
    }
    // Some file systems have no modes; the mode of the temporary file is then good enough.
    let _ = file.set_permissions(std::fs::Permissions::from_mode(mode));
    Ok(())
}

#[cfg(not(unix))]
pub(super) fn copy(_: &File, _: &Metadata) -> std::io::Result<()> {
    Ok(())
}
