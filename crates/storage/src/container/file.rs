//! Opens container files.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use memmap2::{Mmap, MmapMut};

use super::header::{ALIGNMENT, FileKind, Header, Section, Table};
use crate::Error;
use crate::memory::MappedFile;
use crate::path::check_regular;

/// Sections of at most this many bytes are always checked when a file is opened, which takes milliseconds.
const MAX_BYTES_CHECKED_ON_OPEN: u64 = 16 << 20;

/// Options of [`File::open_with`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct OpenOptions {
    /// Reads the whole file into memory, with huge pages if available, instead of mapping it. The content then stays
    /// valid if another program truncates the file, but opening takes as long as reading the whole file.
    pub in_memory: bool,
    /// Compares every section with its checksum, not only those up to 16 MiB.
    pub verify: bool,
}

/// An open container file. Its header, its table and the bounds of its sections have been checked.
#[derive(Debug)]
pub struct File {
    path: PathBuf,
    /// The mapped file, or memory with a copy of the file.
    map: MappedFile,
    in_memory: bool,
    table: Table,
}

impl File {
    /// Maps a file of this kind and checks its header, its table, the bounds of its sections, and the checksums of
    /// sections up to 16 MiB. [`verify`](Self::verify) checks the others.
    ///
    /// If another program truncates a mapped file, reading the missing part ends the process (SIGBUS). Files that this
    /// crate replaces are safe: the old content stays available as long as a process has it open.
    ///
    /// # Errors
    ///
    /// [`Error::Io`], also if the path is not a regular file; [`Error::Corrupt`] if the file is damaged or of a
    /// different kind; [`Error::Version`] if the file's version differs from that of `kind`.
    pub fn open(path: &Path, kind: FileKind) -> Result<Self, Error> {
        Self::open_with(path, kind, OpenOptions::default())
    }

    /// Opens a file of this kind, in memory or mapped, and checks it.
    ///
    /// # Errors
    ///
    /// Those of [`open`](Self::open).
    pub fn open_with(path: &Path, kind: FileKind, options: OpenOptions) -> Result<Self, Error> {
        check_regular(path).map_err(Error::io("open", path))?;
        let file = fs::File::open(path).map_err(Error::io("open", path))?;
        let map = if options.in_memory {
            read_to_memory(file).map_err(Error::io("open", path))?
        } else {
            #[expect(unsafe_code, reason = "the one call that maps a file")]
            // SAFETY: this crate never changes files in place; it only replaces them by a rename. The mapped bytes
            // therefore do not change unless another program changes them. The documentation of `open` names this risk.
            let map = unsafe { Mmap::map(&file) }.map_err(Error::io("open", path))?;
            map
        };
        let map = MappedFile::from(map);
        let header = Header::read(&map, kind, path)?;
        let table = &map[header.table_offset as usize..];
        if crc32fast::hash(table) != header.table_crc {
            return Err(Error::corrupt(path, "a table that matches its checksum", "a different checksum"));
        }
        let table: Table = serde_json::from_slice(table)
            .map_err(|error| Error::corrupt(path, "a table of sections", error.to_string()))?;
        let opened = Self { path: path.to_path_buf(), map, in_memory: options.in_memory, table };
        let mut previous_end = 0;
        for section in &opened.table.sections {
            let Section { name, offset, length, .. } = section;
            let end = offset.checked_add(*length).filter(|&end| end <= header.table_offset);
            // Overlapping sections are rejected, because checking many sections that share the same bytes could take
            // very long.
            let inside = end.filter(|_| offset.is_multiple_of(ALIGNMENT) && *offset >= previous_end);
            previous_end = inside.ok_or_else(|| {
                let expected = format!("section {name} inside the file, after the previous one");
                Error::corrupt(path, expected, format!("offset {offset} and length {length}"))
            })?;
        }
        let is_checked = |section: &&Section| options.verify || section.length <= MAX_BYTES_CHECKED_ON_OPEN;
        opened.table.sections.iter().filter(is_checked).try_for_each(|section| opened.check(section))?;
        Ok(opened)
    }

    /// Returns the metadata that was passed to [`Writer::finish`](crate::Writer::finish).
    #[must_use]
    pub fn metadata(&self) -> &serde_json::Value {
        &self.table.metadata
    }

    /// Returns the path of the file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the length of the file in bytes.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.map.len() as u64
    }

    /// Returns the number of bytes that were read into memory: the length of the file, or 0 if the file is mapped.
    #[must_use]
    pub fn memory_bytes(&self) -> usize {
        if self.in_memory { self.map.len() } else { 0 }
    }

    /// Returns the bytes of a section.
    ///
    /// # Errors
    ///
    /// [`Error::Corrupt`] if there is no such section.
    pub fn section(&self, name: &str) -> Result<&[u8], Error> {
        let section = self.table.sections.iter().find(|section| section.name == name);
        section.map(|section| self.bytes_of(section)).ok_or_else(|| {
            let found: Vec<_> = self.table.sections.iter().map(|section| section.name.as_str()).collect();
            Error::corrupt(&self.path, format!("a section \"{name}\""), format!("{found:?}"))
        })
    }

    /// Returns a section as a slice of numbers.
    ///
    /// # Errors
    ///
    /// [`Error::Corrupt`] if there is no such section, or its length is not a multiple of the size of `T`.
    pub fn section_as<T: bytemuck::AnyBitPattern>(&self, name: &str) -> Result<&[T], Error> {
        let bytes = self.section(name)?;
        bytemuck::try_cast_slice(bytes).map_err(|_| {
            let expected = format!("section \"{name}\" of whole {}-byte numbers", size_of::<T>());
            Error::corrupt(&self.path, expected, format!("{} bytes", bytes.len()))
        })
    }

    /// Reads every section and compares it with its checksum.
    ///
    /// # Errors
    ///
    /// [`Error::Corrupt`] for the first section that does not match.
    pub fn verify(&self) -> Result<(), Error> {
        self.table.sections.iter().try_for_each(|section| self.check(section))
    }

    fn bytes_of(&self, section: &Section) -> &[u8] {
        &self.map[section.offset as usize..][..section.length as usize]
    }

    /// Compares a section with its checksum.
    fn check(&self, section: &Section) -> Result<(), Error> {
        let (expected, got) = (section.crc, crc32fast::hash(self.bytes_of(section)));
        if expected == got {
            return Ok(());
        }
        let expected = format!("checksum {expected:08x} of section \"{}\"", section.name);
        Err(Error::corrupt(&self.path, expected, format!("{got:08x}")))
    }
}

/// Reads a file into anonymous memory, which is page-aligned like a mapped file.
fn read_to_memory(mut file: fs::File) -> std::io::Result<Mmap> {
    let length = file.metadata()?.len();
    let length = usize::try_from(length).map_err(|_| std::io::ErrorKind::OutOfMemory)?;
    let mut memory = MmapMut::map_anon(length)?;
    #[cfg(target_os = "linux")]
    // Huge pages only make access faster, so an error is ignored.
    let _ = memory.advise(memmap2::Advice::HugePage);
    file.read_exact(&mut memory)?;
    memory.make_read_only()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Writer;
    use proptest::prelude::*;

    const KIND: FileKind = FileKind { magic: *b"PKTEST\0\0", version: 3, name: "test" };

    /// Writes a file with two sections, and returns its path.
    fn write_test_file(folder: &Path) -> PathBuf {
        let path = folder.join("file");
        let mut writer = Writer::create(&path, KIND).expect("writable");
        writer.section("a", &[1, 2, 3]).expect("writable");
        writer.begin("b").expect("writable");
        writer.append(bytemuck::cast_slice(&[7u32, 8])).expect("writable");
        writer.append(bytemuck::cast_slice(&[9u32])).expect("writable");
        writer.finish(serde_json::json!({"dim": 2})).expect("writable");
        path
    }

    #[test]
    fn sections_are_read_as_they_were_written() -> Result<(), Error> {
        let folder = tempfile::tempdir().expect("a folder");
        let file = File::open(&write_test_file(folder.path()), KIND)?;
        assert_eq!(file.section("a")?, [1, 2, 3]);
        assert_eq!(file.section_as::<u32>("b")?, [7, 8, 9]);
        assert_eq!(file.metadata()["dim"], 2);
        assert_eq!(
            std::fs::read_dir(folder.path()).expect("a folder").count(),
            1,
            "no temporary file is left"
        );
        Ok(())
    }

    #[test]
    fn a_file_in_memory_has_the_same_content_and_survives_truncation() -> Result<(), Error> {
        let folder = tempfile::tempdir().expect("a folder");
        let path = write_test_file(folder.path());
        let mapped = File::open(&path, KIND)?;
        let loaded = File::open_with(&path, KIND, OpenOptions { in_memory: true, verify: true })?;
        for name in ["a", "b"] {
            assert_eq!(loaded.section(name)?, mapped.section(name)?);
            assert!(loaded.section(name)?.as_ptr().addr().is_multiple_of(ALIGNMENT as usize));
        }
        assert_eq!(loaded.bytes(), mapped.bytes());
        assert!(mapped.memory_bytes() == 0 && loaded.memory_bytes() as u64 >= loaded.bytes());
        drop(mapped);
        fs::write(&path, "").expect("writable");
        assert_eq!(loaded.section_as::<u32>("b")?, [7, 8, 9]);
        loaded.verify()
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_large_file_is_unmapped_soon_after_it_is_dropped() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("large");
        let mut writer = Writer::create(&path, KIND).expect("a file");
        writer.section("bytes", &vec![7; 3 << 20]).expect("room");
        writer.finish(serde_json::json!({})).expect("writable");
        let file = File::open(&path, KIND).expect("valid");
        let mapped = || std::fs::read_to_string("/proc/self/maps").expect("maps").contains("large (deleted)");
        std::fs::remove_file(&path).expect("removed");
        assert!(mapped());
        drop(file);
        let began = std::time::Instant::now();
        while mapped() {
            assert!(began.elapsed() < std::time::Duration::from_secs(30), "it is still mapped");
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
    }

    #[test]
    fn large_sections_are_checked_on_open_only_if_requested() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("large");
        let mut writer = Writer::create(&path, KIND).expect("writable");
        writer.section("large", &vec![7; MAX_BYTES_CHECKED_ON_OPEN as usize + 1]).expect("writable");
        writer.finish(serde_json::json!({})).expect("writable");
        let mut bytes = fs::read(&path).expect("readable");
        bytes[1 << 20] ^= 1;
        fs::write(&path, bytes).expect("writable");
        for in_memory in [false, true] {
            let open = |verify| File::open_with(&path, KIND, OpenOptions { in_memory, verify });
            assert!(open(false).expect("small sections are valid").verify().is_err());
            assert!(matches!(open(true), Err(Error::Corrupt { .. })));
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_fifo_is_refused_without_waiting_for_a_writer() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("fifo");
        let made = std::process::Command::new("mkfifo").arg(&path).status().expect("mkfifo");
        assert!(made.success());
        let error = File::open(&path, KIND).expect_err("a FIFO").to_string();
        assert!(error.ends_with("expected a regular file, got a FIFO"), "{error}");
        assert!(matches!(File::open(Path::new("/dev/null"), KIND), Err(Error::Io { .. })));
    }

    #[test]
    fn a_writer_that_is_dropped_leaves_the_old_file() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = write_test_file(folder.path());
        let mut writer = Writer::create(&path, KIND).expect("writable");
        writer.section("a", &[4]).expect("writable");
        drop(writer);
        assert_eq!(File::open(&path, KIND).expect("valid").section("a").expect("there"), [1, 2, 3]);
        assert_eq!(std::fs::read_dir(folder.path()).expect("a folder").count(), 1);
    }

    #[test]
    fn a_wrong_version_a_folder_and_a_wrong_format_give_different_errors() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = write_test_file(folder.path());
        let newer = FileKind { version: 4, ..KIND };
        assert!(matches!(File::open(&path, newer), Err(Error::Version { expected: 4, got: 3, .. })));
        assert!(matches!(File::open(folder.path(), KIND), Err(Error::Io { .. })));
        std::fs::write(&path, "id\ttext\ttitle\n".repeat(20)).expect("writable");
        let error = File::open(&path, KIND).expect_err("another format").to_string();
        assert!(error.contains("begins with \"id\\ttext\\t\""), "{error}");
    }

    /// Replaces text in the table of a file, and updates the table's length and the checksums of the table and the
    /// header.
    fn edit_table(path: &Path, from: &str, to: &str) {
        let mut bytes = std::fs::read(path).expect("readable");
        let offset = u64::from_le_bytes(bytes[16..24].try_into().expect("eight bytes")) as usize;
        let table = String::from_utf8(bytes.split_off(offset)).expect("JSON");
        assert!(table.contains(from), "{table}");
        let table = table.replacen(from, to, 1);
        bytes[12..16].copy_from_slice(&crc32fast::hash(table.as_bytes()).to_le_bytes());
        bytes[24..32].copy_from_slice(&(table.len() as u64).to_le_bytes());
        let crc = crc32fast::hash(&bytes[..32]);
        bytes[32..36].copy_from_slice(&crc.to_le_bytes());
        bytes.extend(table.bytes());
        std::fs::write(path, bytes).expect("writable");
    }

    #[test]
    fn sections_that_overlap_are_misaligned_or_exceed_the_file_are_rejected() {
        let folder = tempfile::tempdir().expect("a folder");
        // Section a has 3 bytes at 64, section b has 12 bytes at 128, and the table is at 140.
        for (from, to) in [
            ("\"length\":3", "\"length\":65"),
            ("\"offset\":128", "\"offset\":64"),
            ("\"offset\":128", "\"offset\":129"),
            ("\"length\":12", "\"length\":13"),
            ("\"length\":12", "\"length\":18446744073709551615"),
        ] {
            let path = write_test_file(folder.path());
            edit_table(&path, from, to);
            let error = File::open(&path, KIND).expect_err(to).to_string();
            assert!(error.contains("inside the file, after the previous one, got offset"), "{error}");
        }
    }

    proptest! {
        #[test]
        fn flipped_bits_outside_the_padding_and_truncations_are_detected(
            at in 0usize..400,
            bit in 0u8..8,
            cut in any::<bool>(),
        ) {
            let folder = tempfile::tempdir().expect("a folder");
            let path = write_test_file(folder.path());
            let mut bytes = std::fs::read(&path).expect("readable");
            let at = at % bytes.len();
            if cut { bytes.truncate(at) } else { bytes[at] ^= 1 << bit }
            std::fs::write(&path, &bytes).expect("writable");
            match File::open(&path, KIND) {
                Err(Error::Corrupt { .. } | Error::Version { .. }) => {}
                // An empty file cannot be mapped.
                Err(error) => prop_assert!(cut && at == 0, "{error}"),
                // Only the padding between sections has no checksum.
                Ok(file) => prop_assert!(file.section("a").is_ok() && bytes[67..128].contains(&(1 << bit))),
            }
        }
    }
}
