//! Text and Markdown files: one file, or a folder of them.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use super::ids::path_id;
use super::markdown::split_title;
use crate::Error;
use crate::formats::source::PassageSource;
use crate::input::{BufferedInput, InputOptions, Progress, not_regular};
use crate::types::{Passage, replace};

/// Extensions of the files that are read from a folder. `.gz` may follow them.
const EXTENSIONS: [&str; 3] = ["txt", "md", "markdown"];

/// The path of a text file, and the same path relative to the folder that was opened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TextFile {
    path: PathBuf,
    relative: PathBuf,
}

/// Lists the text files in a folder and its subfolders. The total of the returned progress is the sum of the lengths of
/// these files.
///
/// The files are sorted by path, component by component. Hidden files and folders (such as `.git`) and symbolic links
/// to folders are left out; symbolic links to files are included. A FIFO, socket or device with the name of a text file
/// is an error, because reading it could take forever.
pub(crate) fn files_in(
    folder: &Path,
    input_options: &InputOptions,
) -> Result<(Vec<TextFile>, Progress), Error> {
    let mut files = Vec::new();
    let mut total = 0;
    // A stack of relative paths; the last one is visited next. A folder is replaced by its entries in descending order,
    // so that all paths are visited in ascending order.
    let mut pending = vec![PathBuf::new()];
    while let Some(relative) = pending.pop() {
        input_options.control.check()?;
        let path = folder.join(&relative);
        if !relative.as_os_str().is_empty() && !fs::symlink_metadata(&path).is_ok_and(|found| found.is_dir())
        {
            let metadata = fs::metadata(&path).map_err(Error::io("open", &path))?;
            if metadata.is_file() {
                total += metadata.len();
                files.push(TextFile { path, relative });
            } else if !metadata.is_dir() {
                return Err(not_regular(&path, metadata.file_type()));
            }
            continue;
        }
        let mut entries = Vec::new();
        for entry in fs::read_dir(&path).map_err(Error::io("list", &path))? {
            let entry = entry.map_err(Error::io("list", &path))?;
            let name = entry.file_name();
            let is_hidden = name.as_encoded_bytes().starts_with(b".");
            let kind = entry.file_type().map_err(Error::io("list", &path))?;
            if !is_hidden && (kind.is_dir() || is_text_name(Path::new(&name))) {
                entries.push(relative.join(name));
            }
        }
        entries.sort_unstable_by(|a, b| b.cmp(a));
        pending.append(&mut entries);
    }
    Ok((files, Progress { read: Arc::new(AtomicU64::new(0)), total }))
}

/// Whether a file name has the extension of a text file, with or without `.gz` after it.
fn is_text_name(name: &Path) -> bool {
    let plain =
        if has_extension(name, &["gz"]) { Path::new(name.file_stem().unwrap_or_default()) } else { name };
    has_extension(plain, &EXTENSIONS)
}

fn has_extension(name: &Path, extensions: &[&str]) -> bool {
    let extension = name.extension().and_then(|extension| extension.to_str());
    extension.is_some_and(|extension| extensions.iter().any(|known| known.eq_ignore_ascii_case(extension)))
}

/// Reads each file as one document. The id is the relative path, or the file name if a single file was opened, with
/// percent-encoding (see [`path_id`]). The title is the first `# ` heading of a Markdown file, or else the file name
/// without its extension.
pub(crate) struct Texts {
    files: Files,
    /// Path of the file that was read last.
    path: PathBuf,
}

/// The files that have not been read yet.
enum Files {
    /// A single file; `None` after it has been read.
    File(Option<BufferedInput>),
    /// The files of a folder.
    Folder {
        files: std::vec::IntoIter<TextFile>,
        /// Number of bytes that have been read from all files so far, before decompression.
        bytes_read: Arc<AtomicU64>,
        input_options: InputOptions,
    },
}

impl Texts {
    pub fn from_file(input: BufferedInput) -> Self {
        Self { files: Files::File(Some(input)), path: PathBuf::new() }
    }

    pub fn from_folder(files: Vec<TextFile>, progress: Progress, input_options: InputOptions) -> Self {
        let files = Files::Folder { files: files.into_iter(), bytes_read: progress.read, input_options };
        Self { files, path: PathBuf::new() }
    }
}

impl PassageSource for Texts {
    fn error(&self, expected: String, got: String) -> Error {
        Error::line(&self.path, 1, expected, got)
    }

    fn read(&mut self, passage: &mut Passage) -> Result<bool, Error> {
        let (mut input, relative) = match &mut self.files {
            Files::File(input) => {
                let Some(input) = input.take() else { return Ok(false) };
                let name = PathBuf::from(input.path().file_name().unwrap_or_default());
                (input, name)
            }
            Files::Folder { files, bytes_read, input_options } => {
                let Some(file) = files.next() else { return Ok(false) };
                let input = BufferedInput::open_regular(&file.path, Arc::clone(bytes_read), input_options)?;
                (input, file.relative)
            }
        };
        let path = input.path().to_path_buf();
        self.path.clone_from(&path);
        let bytes = input.rest()?;
        let text = str::from_utf8(bytes).map_err(|error| {
            let at = error.valid_up_to();
            let line = 1 + memchr::memchr_iter(b'\n', &bytes[..at]).count() as u64;
            Error::line(&path, line, "UTF-8 text", format!("the byte 0x{:02x}", bytes[at]))
        })?;
        passage.id = path_id(&relative);
        let plain = if has_extension(&relative, &["gz"]) { relative.with_extension("") } else { relative };
        let is_markdown = has_extension(&plain, &EXTENSIONS[1..]);
        match split_title(text).filter(|_| is_markdown) {
            Some((title, body)) => {
                passage.set_title(title);
                replace(&mut passage.text, body);
            }
            None => {
                passage.set_title(&plain.file_stem().unwrap_or_default().to_string_lossy());
                replace(&mut passage.text, text);
            }
        }
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_files_are_sorted_by_path_and_hidden_and_other_files_are_left_out() {
        let folder = tempfile::tempdir().expect("a folder");
        for path in
            ["b.txt", "a/z.md", "a/b/c.MD", "a.txt", "B.txt.gz", ".git/x.md", "a/image.png", "a-b/x.md"]
        {
            let path = folder.path().join(path);
            fs::create_dir_all(path.parent().expect("a parent")).expect("writable");
            fs::write(path, "x").expect("writable");
        }
        let (files, progress) = files_in(folder.path(), &InputOptions::default()).expect("readable");
        let ids: Vec<_> = files.iter().map(|file| path_id(&file.relative)).collect();
        assert_eq!(ids, ["B.txt.gz", "a/b/c.MD", "a/z.md", "a-b/x.md", "a.txt", "b.txt"]);
        assert_eq!(progress.total, 6, "six files of one byte");
    }
}
