//! Text and Markdown files, one or a folder of them.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use crate::Error;
use crate::ids::path_id;
use crate::input::{Input, Progress};
use crate::limits::Bounds;
use crate::passages::PassageSource;
use crate::record::{Passage, replace};
use crate::source_file::not_regular;

/// Endings of the files read from a folder, with or without `.gz`.
const ENDINGS: [&str; 3] = ["txt", "md", "markdown"];

/// A text file and its path relative to the folder that was opened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TextFile {
    path: PathBuf,
    relative: PathBuf,
}

/// The text files below a folder, and the sum of their lengths.
///
/// They come in the order of their paths, compared part by part. Hidden files and folders (`.git`) are left out;
/// linked files are read, linked folders are not. A FIFO, a socket or a device with the file name of a text is an
/// error: reading it could take forever.
pub(crate) fn files_in(folder: &Path, bounds: &Bounds) -> Result<(Vec<TextFile>, Progress), Error> {
    let mut files = Vec::new();
    let mut total = 0;
    // A stack of folders, the last to be read first: each puts what it holds in place, so the order is kept.
    let mut pending = vec![PathBuf::new()];
    while let Some(relative) = pending.pop() {
        bounds.watch.check()?;
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
        let mut inside = Vec::new();
        for entry in fs::read_dir(&path).map_err(Error::io("list", &path))? {
            let entry = entry.map_err(Error::io("list", &path))?;
            let name = entry.file_name();
            let hidden = name.as_encoded_bytes().starts_with(b".");
            let kind = entry.file_type().map_err(Error::io("list", &path))?;
            if !hidden && (kind.is_dir() || is_text_name(Path::new(&name))) {
                inside.push(relative.join(name));
            }
        }
        inside.sort_unstable_by(|a, b| b.cmp(a));
        pending.append(&mut inside);
    }
    Ok((files, Progress { read: Arc::new(AtomicU64::new(0)), total }))
}

fn is_text_name(name: &Path) -> bool {
    let plain =
        if has_ending(name, &["gz"]) { Path::new(name.file_stem().unwrap_or_default()) } else { name };
    has_ending(plain, &ENDINGS)
}

fn has_ending(name: &Path, endings: &[&str]) -> bool {
    let ending = name.extension().and_then(|ending| ending.to_str());
    ending.is_some_and(|ending| endings.iter().any(|known| known.eq_ignore_ascii_case(ending)))
}

/// Whole texts as documents: the id is the relative path, the title the first Markdown heading or the file's
/// name without ending.
pub(crate) struct Texts {
    from: From,
    /// The text that was read last.
    path: PathBuf,
}

enum From {
    File(Option<Input>),
    Folder { files: std::vec::IntoIter<TextFile>, count: Arc<AtomicU64>, bounds: Bounds },
}

impl Texts {
    pub fn of_file(input: Input) -> Self {
        Self { from: From::File(Some(input)), path: PathBuf::new() }
    }

    pub fn of_folder(files: Vec<TextFile>, progress: Progress, bounds: Bounds) -> Self {
        let from = From::Folder { files: files.into_iter(), count: progress.read, bounds };
        Self { from, path: PathBuf::new() }
    }
}

impl PassageSource for Texts {
    fn error(&self, expected: String, got: String) -> Error {
        Error::line(&self.path, 1, expected, got)
    }

    fn read(&mut self, passage: &mut Passage) -> Result<bool, Error> {
        let (mut input, relative) = match &mut self.from {
            From::File(input) => {
                let Some(input) = input.take() else { return Ok(false) };
                let name = PathBuf::from(input.path().file_name().unwrap_or_default());
                (input, name)
            }
            From::Folder { files, count, bounds } => {
                let Some(file) = files.next() else { return Ok(false) };
                (Input::open_regular(&file.path, Arc::clone(count), bounds)?, file.relative)
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
        let plain = if has_ending(&relative, &["gz"]) { relative.with_extension("") } else { relative };
        let is_markdown = has_ending(&plain, &ENDINGS[1..]);
        match markdown_title(text).filter(|_| is_markdown) {
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

/// The first `# ` heading that stands neither in front matter nor in a fenced block, and the text without it: what
/// follows a heading that begins the text, for the title is searched beside the text and would count twice; all of
/// the text where the heading comes later.
fn markdown_title(text: &str) -> Option<(&str, &str)> {
    let mut fence: Option<&str> = None;
    let mut front_matter = text.lines().next().is_some_and(|line| line.trim_end() == "---");
    let (mut rest, mut first) = (text, true);
    for (number, line) in text.lines().enumerate() {
        rest = &rest[line.len()..];
        rest = rest.strip_prefix("\r\n").or_else(|| rest.strip_prefix('\n')).unwrap_or(rest);
        if front_matter {
            front_matter = number == 0 || !matches!(line.trim_end(), "---" | "...");
            continue;
        }
        let start = line.trim_start();
        if let Some(open) = fence {
            if start.starts_with(open) {
                fence = None;
            }
            continue;
        }
        fence = ["```", "~~~"].into_iter().find(|mark| start.starts_with(mark));
        let indent = line.len() - start.len();
        if let Some(title) = start.strip_prefix("# ").filter(|_| indent <= 3) {
            // CommonMark: closing hashes are no part of the heading.
            let title = title.trim();
            let open = title.trim_end_matches('#');
            let title = if open.ends_with([' ', '\t']) { open.trim_end() } else { title };
            let title = if open.is_empty() { "" } else { title };
            if !title.is_empty() {
                return Some((title, if first { rest } else { text }));
            }
        }
        first &= start.is_empty();
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_title_is_the_first_heading_outside_front_matter_and_code() {
        let title = |text| markdown_title(text).map(|(title, _)| title);
        assert_eq!(title("text\n# One #\n# Two"), Some("One"));
        assert_eq!(title("---\n# comment\n---\n```sh\n# echo\n```\n## Sub\n  # C#\n"), Some("C#"));
        assert_eq!(markdown_title("#hash\n    # code\n# \n# ##\n"), None);
    }

    #[test]
    fn a_heading_that_begins_the_text_is_the_title_and_no_text() {
        assert_eq!(markdown_title("\n# One\r\n\ntext\n# Two\n"), Some(("One", "\ntext\n# Two\n")));
        assert_eq!(markdown_title("---\na: b\n---\n# One\ntext"), Some(("One", "text")));
        assert_eq!(markdown_title("text\n# One\nmore"), Some(("One", "text\n# One\nmore")));
        assert_eq!(markdown_title("# One"), Some(("One", "")));
    }

    #[test]
    fn files_come_sorted_by_their_paths_and_hidden_ones_not_at_all() {
        let folder = tempfile::tempdir().expect("a folder");
        for path in
            ["b.txt", "a/z.md", "a/b/c.MD", "a.txt", "B.txt.gz", ".git/x.md", "a/image.png", "a-b/x.md"]
        {
            let path = folder.path().join(path);
            fs::create_dir_all(path.parent().expect("a parent")).expect("writable");
            fs::write(path, "x").expect("writable");
        }
        let (files, progress) = files_in(folder.path(), &Bounds::default()).expect("readable");
        let ids: Vec<_> = files.iter().map(|file| path_id(&file.relative)).collect();
        assert_eq!(ids, ["B.txt.gz", "a/b/c.MD", "a/z.md", "a-b/x.md", "a.txt", "b.txt"]);
        assert_eq!(progress.total, 6);
    }
}
