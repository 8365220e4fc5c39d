//! Tests enrichments for which the search takes the same number of steps for all tokens, and the vectors that
//! `TokenVectors` chooses.

mod support;

use control::Control;
use support::Parts;
use support::enrichment::{find, large_head, open_head, options};
use vocabulary::{EnrichOptions, TokenVectors, cache_file, enrich_with_equal_steps, identity};

#[test]
fn with_equal_steps_all_tokens_take_as_many_steps_as_the_slowest_one() {
    let head = large_head();
    for max_steps in [120, 5] {
        let options = EnrichOptions { max_steps, ..options() };
        let separate = find(&head, &options, None);
        let slowest = *separate.steps.iter().max().expect("tokens");
        assert!(separate.steps.iter().any(|&steps| steps < slowest), "some tokens stop earlier");
        let control = Control::new();
        let equal = enrich_with_equal_steps(&head, &options, None, &control).expect("enrichments");
        assert_eq!((equal.options.min_steps, equal.options.max_steps), (slowest, slowest));
        assert!(equal.enrichments.steps.iter().all(|&steps| steps == slowest));
        assert_eq!(equal.enrichments, find(&head, &equal.options, None));
        // Progress counts the 700 tokens of the first search, then the steps of each token in the second.
        let total = 700 + 700 * u64::from(slowest);
        assert_eq!((control.done(), control.total()), (total, total));
        // A slowest token takes the same number of steps in both searches, so both find the same vector.
        let token = separate.steps.iter().position(|&steps| steps == slowest).expect("a slowest token");
        assert_eq!(equal.enrichments.vectors[token * 12..][..12], separate.vectors[token * 12..][..12]);
    }
}

#[test]
fn a_fixed_number_of_steps_needs_no_first_search_and_uses_the_file_of_enrich() {
    let folder = tempfile::tempdir().expect("a folder");
    let head = large_head();
    let options = EnrichOptions { min_steps: 7, max_steps: 7, ..options() };
    let file = cache_file(folder.path(), &head, &options);
    let expected = find(&head, &options, Some(&file));
    let control = Control::new();
    let equal = enrich_with_equal_steps(&head, &options, Some(folder.path()), &control).expect("enrichments");
    assert_eq!(equal.enrichments, expected);
    // 7 steps for each of 700 tokens.
    assert_eq!((control.done(), control.total()), (4900, 4900));
    assert_eq!(std::fs::read_dir(folder.path()).expect("a folder").count(), 1);
}

#[test]
fn token_vectors_are_enrichments_with_separate_or_equal_steps_or_rows_of_the_decoder() {
    let (head, control) = (large_head(), Control::new());
    let vectors = TokenVectors::find(&head, options(), false, None, &control).expect("found");
    assert_eq!(
        (&vectors.vectors, &vectors.identity),
        (&find(&head, &options(), None), &identity(&head, &options()))
    );

    let equal = enrich_with_equal_steps(&head, &options(), None, &control).expect("found");
    let vectors = TokenVectors::find(&head, options(), true, None, &control).expect("found");
    assert_eq!((vectors.vectors, vectors.identity), (equal.enrichments, identity(&head, &equal.options)));

    let square = open_head(&Parts::new(4, 4, 9, 1));
    let vectors = TokenVectors::decoder_rows(&square).expect("a decoder of dimension 4");
    assert_eq!((vectors.vectors.dim, &vectors.vectors.vectors[..]), (4, square.decoder()));
    assert_eq!(vectors.identity, format!("static-{}", square.identity()));
    let refused =
        TokenVectors::decoder_rows(&open_head(&Parts::new(4, 5, 9, 1))).expect_err("other dimensions");
    assert_eq!(refused.to_string(), "tokens: expected a decoder of the vectors' dimension 4, got 5");
}
