//! A simulated disk that guarantees no more than POSIX does: only flushed changes are certain to survive a power loss.
//! Any subset of the other changes may survive too, regardless of the order in which they were made. This is true for
//! the bytes of files and for the names in folders.

use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::path::{Path, PathBuf};

use numerics::SplitMix64;

use crate::journal::Event;

/// A write may be torn at every multiple of this many bytes after its start.
const SECTOR: usize = 512;

/// The content of a file: the bytes that were flushed, and the changes made since.
#[derive(Debug, Default)]
struct File {
    durable: Vec<u8>,
    pending: Vec<Change>,
}

/// A change of the content of a file.
#[derive(Debug)]
enum Change {
    Write { offset: usize, data: Vec<u8> },
    SetLength(usize),
}

/// What a path refers to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Node {
    Folder,
    /// A file, by its index in [`Disk::files`].
    File(usize),
}

/// A change of names in one folder: a creation, a removal or a rename.
#[derive(Debug)]
struct NameChange {
    folder: PathBuf,
    /// Each path that changes, and what it refers to afterward; `None` if the path is removed.
    paths: Vec<(PathBuf, Option<Node>)>,
}

/// A disk, with the changes that a process made to it.
#[derive(Debug)]
pub struct Disk {
    /// The folder that contains all paths.
    home: PathBuf,
    files: Vec<File>,
    /// The file that each open descriptor refers to, by its index in `files`.
    descriptors: HashMap<i32, usize>,
    /// The names that the process sees.
    names: BTreeMap<PathBuf, Node>,
    /// The names that survive a power loss.
    durable_names: BTreeMap<PathBuf, Node>,
    /// The changes of names that were not flushed, in order.
    pending_names: Vec<NameChange>,
}

/// Which of the changes that were not flushed are on the disk after a power loss.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Survival {
    None,
    All,
    /// Each change, or for a write each of its sectors, with a probability of one half.
    Some,
}

impl Disk {
    /// Returns a disk on which the folder `home` is empty.
    pub fn new(home: &Path) -> Self {
        Self {
            home: home.to_path_buf(),
            files: Vec::new(),
            descriptors: HashMap::new(),
            names: BTreeMap::new(),
            durable_names: BTreeMap::new(),
            pending_names: Vec::new(),
        }
    }

    /// Applies one recorded change of a process to this disk.
    pub fn apply(&mut self, event: &Event) {
        match event {
            Event::Open { path, descriptor, is_created, is_truncated } => {
                if *is_created {
                    self.files.push(File::default());
                    let node = Node::File(self.files.len() - 1);
                    self.change_names(vec![(path.clone(), Some(node))]);
                }
                let Some(Node::File(file)) = self.names.get(path) else {
                    panic!("opened {}, which does not exist", path.display())
                };
                self.descriptors.insert(*descriptor, *file);
                if *is_truncated {
                    self.files[*file].pending.push(Change::SetLength(0));
                }
            }
            Event::Duplicate { from, to } => {
                if let Some(&file) = self.descriptors.get(from) {
                    self.descriptors.insert(*to, file);
                }
            }
            Event::Write { descriptor, offset, data } => {
                let change = Change::Write { offset: *offset as usize, data: data.0.clone() };
                self.file(*descriptor).pending.push(change);
            }
            Event::SetLength { descriptor, length } => {
                self.file(*descriptor).pending.push(Change::SetLength(*length as usize));
            }
            Event::Rename { from, to } => {
                let node = self.names[from];
                self.change_names(vec![(from.clone(), None), (to.clone(), Some(node))]);
            }
            Event::Remove { path } => self.change_names(vec![(path.clone(), None)]),
            Event::CreateFolder { path } => self.change_names(vec![(path.clone(), Some(Node::Folder))]),
            Event::Sync { descriptor } => {
                let file = self.file(*descriptor);
                for change in std::mem::take(&mut file.pending) {
                    change.apply(&mut file.durable);
                }
            }
            Event::SyncFolder { path } => {
                let (flushed, pending) = std::mem::take(&mut self.pending_names)
                    .into_iter()
                    .partition(|change| change.folder == *path);
                self.pending_names = pending;
                let flushed: Vec<NameChange> = flushed;
                flushed.iter().for_each(|change| change.apply(&mut self.durable_names));
            }
            Event::Committed { .. } | Event::Fault { .. } => {}
        }
    }

    fn file(&mut self, descriptor: i32) -> &mut File {
        &mut self.files[self.descriptors[&descriptor]]
    }

    fn change_names(&mut self, paths: Vec<(PathBuf, Option<Node>)>) {
        let folder = paths[0].0.parent().expect("a folder").to_path_buf();
        assert!(paths.iter().all(|(path, _)| path.parent() == Some(&*folder)), "a rename in one folder");
        let change = NameChange { folder, paths };
        change.apply(&mut self.names);
        self.pending_names.push(change);
    }

    /// Writes what is on the disk after a power loss to the empty folder `to`.
    pub fn lose_power(&self, to: &Path, survival: Survival, random: &mut SplitMix64) {
        let mut survives = || match survival {
            Survival::None => false,
            Survival::All => true,
            Survival::Some => random.below(2) == 0,
        };
        let mut names = self.durable_names.clone();
        for change in &self.pending_names {
            if survives() {
                change.apply(&mut names);
            }
        }
        for (path, node) in &names {
            let target = to.join(path.strip_prefix(&self.home).expect("a path below the folder"));
            // The folder that contains this path may be lost.
            if !target.parent().is_some_and(Path::is_dir) {
                continue;
            }
            match node {
                Node::Folder => fs::create_dir(&target).expect("a free name"),
                Node::File(file) => {
                    let mut content = self.files[*file].durable.clone();
                    for change in &self.files[*file].pending {
                        change.apply_in_part(&mut content, &mut survives);
                    }
                    fs::write(&target, content).expect("a free name");
                }
            }
        }
    }
}

impl NameChange {
    fn apply(&self, names: &mut BTreeMap<PathBuf, Node>) {
        for (path, node) in &self.paths {
            match node {
                Some(node) => names.insert(path.clone(), *node),
                None => names.remove(path),
            };
        }
    }
}

impl Change {
    fn apply(&self, content: &mut Vec<u8>) {
        self.apply_in_part(content, &mut || true);
    }

    /// Applies the parts of a change for which `survives` returns true. The parts of a write are its sectors.
    fn apply_in_part(&self, content: &mut Vec<u8>, survives: &mut impl FnMut() -> bool) {
        match self {
            Self::SetLength(length) => {
                if survives() {
                    content.resize(*length, 0);
                }
            }
            Self::Write { offset, data } => {
                for (number, sector) in data.chunks(SECTOR).enumerate() {
                    if survives() {
                        let start = offset + number * SECTOR;
                        content.resize(content.len().max(start + sector.len()), 0);
                        content[start..start + sector.len()].copy_from_slice(sector);
                    }
                }
            }
        }
    }
}
