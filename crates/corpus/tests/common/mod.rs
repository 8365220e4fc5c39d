//! Finds the shared data: test data that cannot be published, in the folder `PASSAGEKIT_SHARED` or in `shared` next to
//! the repository.

use std::path::{Path, PathBuf};

/// The folder of shared data, or `None` if this machine does not have it.
pub fn shared() -> Option<PathBuf> {
    let default = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared");
    let folder = std::env::var_os("PASSAGEKIT_SHARED").map_or(default, PathBuf::from);
    if folder.join("data/MANIFEST.json").is_file() {
        return Some(folder);
    }
    eprintln!("skipped: shared data is absent");
    None
}
