//! Replacing a file keeps its mode and the symbolic links that lead to it. Failed writers leave nothing behind, and the
//! temporary files of killed writers are removed.
#![cfg(unix)]

mod common;

use std::fs;
use std::io::Write;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::Path;

use common::{names, write_output};
use storage::{Output, never, rename_both, replace};

#[test]
fn links_stay_and_the_file_that_they_lead_to_is_replaced() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name);
    fs::create_dir(at("far")).expect("a folder");
    fs::write(at("far/file"), "old").expect("writable");
    symlink("far/near", at("link")).expect("a link");
    symlink("../chain", at("far/near")).expect("a link");
    symlink(at("far/file"), at("chain")).expect("a link");
    write_output(&at("link"), b"new").expect("written");
    assert_eq!(fs::read(at("far/file")).expect("there"), b"new");
    assert!(["link", "far/near", "chain"].iter().all(|name| at(name).is_symlink()));

    symlink("far/later", at("dangling")).expect("a link");
    replace(&at("dangling"), b"new").expect("written");
    assert_eq!(fs::read(at("far/later")).expect("created"), b"new");
    assert!(at("dangling").is_symlink());

    symlink("b", at("a")).expect("a link");
    symlink("a", at("b")).expect("a link");
    let error = write_output(&at("a"), b"new").expect_err("a loop").to_string();
    assert!(
        error.ends_with("expected a file, got a chain of more than 40 symbolic links, or a loop"),
        "{error}"
    );
    assert_eq!(names(folder.path()), ["a", "b", "chain", "dangling", "far", "link"]);
    assert_eq!(names(&at("far")), ["file", "later", "near"]);
}

#[test]
fn a_replaced_file_keeps_its_mode_and_a_new_file_has_the_default_mode() {
    let folder = tempfile::tempdir().expect("a folder");
    let [path, plain, new] = ["kept", "plain", "new"].map(|name| folder.path().join(name));
    let mode = |path: &Path| fs::metadata(path).expect("there").mode() & 0o7777;
    for wanted in [0o600, 0o640, 0o755, 0o444] {
        fs::write(&path, "old").expect("writable");
        fs::set_permissions(&path, fs::Permissions::from_mode(wanted)).expect("ours");
        let mut output = Output::create(&path, never()).expect("writable");
        let temporary = names(folder.path()).into_iter().find(|name| name.ends_with(".tmp")).expect("there");
        assert_eq!(
            mode(&folder.path().join(temporary)),
            0o600,
            "no other user can read it while it is written"
        );
        output.write_all(b"new").expect("room");
        output.finish().expect("written");
        assert_eq!((mode(&path), fs::read(&path).expect("there")), (wanted, b"new".to_vec()));
        fs::remove_file(&path).expect("ours");
    }
    fs::write(&plain, "").expect("writable");
    write_output(&new, b"new").expect("written");
    assert_eq!(mode(&new), mode(&plain));
}

#[test]
fn two_files_are_replaced_together_or_not_at_all() {
    let folder = tempfile::tempdir().expect("a folder");
    let [ids, vectors] = ["ids", "vectors"].map(|name| folder.path().join(name));
    let complete = |path: &Path| {
        let mut output = Output::create(path, never()).expect("writable");
        output.write_all(b"new").expect("room");
        output.complete().expect("room")
    };
    for old in [Some("old"), None] {
        if let Some(old) = old {
            fs::write(&ids, old).expect("writable");
        }
        let pair = (complete(&ids), complete(&vectors));
        // A file cannot be renamed over a folder.
        fs::create_dir(&vectors).expect("free");
        rename_both(pair.0, pair.1).expect_err("the second target is a folder");
        assert_eq!(fs::read_to_string(&ids).ok().as_deref(), old);
        fs::remove_dir(&vectors).expect("empty");
        assert_eq!(names(folder.path()).len(), usize::from(old.is_some()));
        rename_both(complete(&ids), complete(&vectors)).expect("written");
        assert_eq!([&ids, &vectors].map(|path| fs::read(path).expect("there")), [b"new", b"new"]);
        assert_eq!(names(folder.path()), ["ids", "vectors"]);
        [ids.as_path(), &vectors].into_iter().for_each(|path| fs::remove_file(path).expect("there"));
    }
}

#[test]
fn files_of_killed_writers_are_removed_and_those_of_running_writers_are_not() {
    let folder = tempfile::tempdir().expect("a folder");
    let target = folder.path().join("file");
    let running = Output::create(&target, never()).expect("writable");
    let [in_progress] = &names(folder.path())[..] else { panic!("expected one temporary file") };
    // The name of a temporary file is `NAME.BOOT-PROCESS-NUMBER.tmp`.
    let (boot, _) =
        in_progress.strip_prefix("file.").and_then(|rest| rest.split_once('-')).expect("a boot id");
    let foreign = if boot == "00000000" { "11111111" } else { "00000000" };
    // Stale: a file of this boot, and one of another boot that is two days old.
    let stale = [format!("file.{boot}-1-0.tmp"), format!("file.{foreign}-2-0.tmp")];
    // Kept: a new file of another boot, a name of another form, and a temporary file of another target.
    let kept = [format!("file.{foreign}-3-0.tmp"), "file.notes.tmp".to_owned(), format!("x.{boot}-1-0.tmp")];
    // No process holds a lock on these files, as if their writers had been killed.
    for name in stale.iter().chain(&kept) {
        fs::write(folder.path().join(name), "half").expect("writable");
    }
    let old = std::time::SystemTime::now() - std::time::Duration::from_secs(2 * 24 * 60 * 60);
    let file = fs::File::options().write(true).open(folder.path().join(&stale[1])).expect("there");
    file.set_modified(old).expect("ours");
    drop(file);
    write_output(&target, b"new").expect("written");
    let mut expected = kept.to_vec();
    expected.extend(["file".to_owned(), in_progress.clone()]);
    expected.sort();
    assert_eq!(names(folder.path()), expected);
    drop(running);
}
