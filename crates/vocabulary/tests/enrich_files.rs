//! Tests that enrichments are saved and read, and that interrupted searches continue.

mod support;

use control::Control;
use support::enrichment::{find, large_head, open_head, options, separable_parts};
use vocabulary::{Adam, EnrichOptions, Error, Head, cache_file, enrich, enrich_with_equal_steps};

/// Waits until work has made this progress or is finished. A call that continues interrupted work soon reports the
/// progress that it has restored from the file, so callers wait for more progress than the last call had made when it
/// was canceled.
fn wait_for_progress(control: &Control, progress: u64, is_finished: impl Fn() -> bool) {
    while !is_finished() && control.done() < progress {
        std::hint::spin_loop();
    }
}

#[test]
fn interrupted_work_continues_and_writes_the_same_bytes_as_uninterrupted_work() {
    let folder = tempfile::tempdir().expect("a folder");
    let [uninterrupted, interrupted] = ["uninterrupted", "interrupted"].map(|name| folder.path().join(name));
    let head = large_head();
    let options = EnrichOptions { max_steps: 120, ..options() };
    let expected = find(&head, &options, Some(&uninterrupted));
    // The progress, in tokens, at which each call was canceled.
    let mut canceled_at = Vec::new();
    let result = loop {
        let control = Control::new();
        let result = std::thread::scope(|scope| {
            let work = scope.spawn(|| enrich(&head, &options, Some(&interrupted), &control));
            wait_for_progress(&control, canceled_at.last().unwrap_or(&0) + 40, || work.is_finished());
            control.cancel();
            work.join().expect("no panic")
        });
        match result {
            Ok(found) => break found,
            Err(Error::Canceled(_)) => canceled_at.push(control.done()),
            Err(error) => panic!("{error}"),
        }
        assert!(canceled_at.len() < 1000, "the work never ends");
    };
    assert!(!canceled_at.is_empty(), "interrupted at least once");
    assert_eq!(result, expected);
    assert_eq!(std::fs::read(&interrupted).expect("a file"), std::fs::read(&uninterrupted).expect("a file"));
    // A complete file is read, and no step is taken.
    let control = Control::new();
    assert_eq!(enrich(&head, &options, Some(&interrupted), &control).expect("found"), expected);
    assert_eq!((control.done(), control.total()), (700, 700));
}

#[test]
fn interrupted_equal_steps_continue_in_both_searches_and_write_the_same_bytes() {
    let folder = tempfile::tempdir().expect("a folder");
    let [uninterrupted, interrupted] = ["uninterrupted", "interrupted"].map(|name| folder.path().join(name));
    for folder in [&uninterrupted, &interrupted] {
        std::fs::create_dir(folder).expect("a folder");
    }
    let head = large_head();
    let options = EnrichOptions { max_steps: 60, ..options() };
    let expected =
        enrich_with_equal_steps(&head, &options, Some(&uninterrupted), &Control::new()).expect("enrichments");
    // The progress at which each call was canceled.
    let mut canceled_at = Vec::new();
    let result = loop {
        let control = Control::new();
        let result = std::thread::scope(|scope| {
            let work = scope.spawn(|| enrich_with_equal_steps(&head, &options, Some(&interrupted), &control));
            // The unit of progress is a token in the first search, and a step of a token in the second.
            wait_for_progress(&control, canceled_at.last().unwrap_or(&0) + 3000, || work.is_finished());
            control.cancel();
            work.join().expect("no panic")
        });
        match result {
            Ok(found) => break found,
            Err(Error::Canceled(_)) => canceled_at.push(control.done()),
            Err(error) => panic!("{error}"),
        }
        assert!(canceled_at.len() < 1000, "the work never ends");
    };
    assert!(canceled_at.len() > 1, "interrupted more than once: {canceled_at:?}");
    assert_eq!(result, expected);
    for options in [&options, &expected.options] {
        let [one, other] = [&uninterrupted, &interrupted]
            .map(|folder| std::fs::read(cache_file(folder, &head, options)).expect("a file"));
        assert_eq!(one, other);
    }
}

#[test]
fn a_file_of_another_head_or_other_options_and_a_corrupt_file_are_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("enrichments");
    let head = open_head(&separable_parts());
    find(&head, &options(), Some(&path));
    let refused = |head: &Head, options: &EnrichOptions| {
        enrich(head, options, Some(&path), &Control::new()).expect_err("refused")
    };
    let mut parts = separable_parts();
    // The bias of the last token.
    parts.values[5][49] += 0.5;
    let other = open_head(&parts);
    assert!(matches!(refused(&other, &options()), Error::OtherEnrichments { .. }));
    let adam = Adam { learning_rate: 0.001, ..Adam::default() };
    let error = refused(&head, &EnrichOptions { adam, ..options() });
    assert!(error.to_string().contains("\"learningRate\":0.001"), "{error}");
    // The number of threads does not have to match.
    find(&head, &EnrichOptions { threads: 1, ..options() }, Some(&path));
    // One flipped bit in a vector: the checksum does not match.
    let mut bytes = std::fs::read(&path).expect("a file");
    bytes[200] ^= 1;
    std::fs::write(&path, bytes).expect("written");
    assert!(matches!(refused(&head, &options()), Error::Storage(_)));
}
