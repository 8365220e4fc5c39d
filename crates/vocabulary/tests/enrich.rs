//! Tests when the search for enrichments stops for a token, and which options it refuses. The enrichment of a token is
//! a vector for which the head gives the token a probability near 1.

mod support;

use control::Control;
use support::Parts;
use support::enrichment::{find, large_head, open_head, options, separable_parts};
use support::loss::{doubles, loss};
use vocabulary::{Adam, EnrichOptions, Start, enrich};

#[test]
fn every_token_of_a_small_head_reaches_a_loss_below_the_threshold() {
    let parts = separable_parts();
    let head = open_head(&parts);
    for start in [Start::Zero, Start::Static] {
        let found = find(&head, &EnrichOptions { start, ..options() }, None);
        for token in 0..50 {
            let vector = doubles(&found.vectors[token * 8..][..8]);
            let loss = loss(&parts, &vector, token);
            assert!((loss - f64::from(found.losses[token])).abs() < 1e-4, "token {token}: {loss}");
            assert!(loss < 0.1, "token {token}: {loss} after {} steps", found.steps[token]);
        }
    }
}

#[test]
fn the_search_for_a_token_that_cannot_reach_the_threshold_stops_near_the_lower_bound_of_its_loss() {
    let mut parts = separable_parts();
    // Make the decoder's rows of tokens 3 and 4 equal (`values[4]`, 8 numbers per row), and their biases too
    // (`values[5]`). The two tokens then have equal probabilities, which are at most one half.
    let row = parts.values[4][24..32].to_vec();
    parts.values[4][32..40].copy_from_slice(&row);
    parts.values[5][4] = parts.values[5][3];
    let head = open_head(&parts);
    let found = find(&head, &options(), None);
    // The loss −ln p for the probability p = ½.
    let min_loss = std::f32::consts::LN_2;
    for token in [3, 4] {
        assert!(found.bounds[token] >= 0.1 && found.losses[token] >= min_loss - 1e-4);
        assert!(
            found.losses[token] - found.bounds[token] < 0.1 && found.bounds[token] <= found.losses[token]
        );
        assert!(found.steps[token] < options().max_steps);
    }
    assert!(found.losses[5] < 0.1);
}

#[test]
fn steps_have_a_minimum_and_a_maximum() {
    let head = open_head(&separable_parts());
    let with_maximum = find(&head, &EnrichOptions { max_steps: 3, ..options() }, None);
    assert!(with_maximum.steps.iter().all(|&steps| steps <= 3));
    assert!(with_maximum.losses.iter().any(|&loss| loss >= 0.1), "three steps are not enough for all tokens");
    let with_minimum = find(&head, &EnrichOptions { min_steps: 90, ..options() }, None);
    assert!(with_minimum.steps.iter().all(|&steps| steps >= 90));
    // Steps after the threshold is reached decrease the losses further.
    let without_minimum = find(&head, &options(), None);
    assert!(without_minimum.losses.iter().sum::<f32>() > with_minimum.losses.iter().sum::<f32>());
}

#[test]
fn the_result_does_not_depend_on_the_number_of_threads() {
    let head = large_head();
    let one = find(&head, &EnrichOptions { threads: 1, max_steps: 60, ..options() }, None);
    let three = find(&head, &EnrichOptions { threads: 3, max_steps: 60, ..options() }, None);
    assert_eq!(one, three);
}

#[test]
fn invalid_options_are_refused() {
    let head = open_head(&separable_parts());
    let refused = |options: EnrichOptions| {
        enrich(&head, &options, None, &Control::new()).expect_err("refused").to_string()
    };
    let adam = Adam { learning_rate: 0.0, ..Adam::default() };
    assert_eq!(
        refused(EnrichOptions { adam, ..options() }),
        "learning rate: expected a number above 0, got 0"
    );
    let adam = Adam { beta2: 1.0, ..Adam::default() };
    assert_eq!(
        refused(EnrichOptions { adam, ..options() }),
        "beta2: expected a number of at least 0 and below 1, got 1"
    );
    assert_eq!(
        refused(EnrichOptions { loss: f32::NAN, ..options() }),
        "loss: expected a number above 0, got NaN"
    );
    assert_eq!(
        refused(EnrichOptions { min_steps: 9, max_steps: 8, ..options() }),
        "max steps: expected at least min steps, 9, got 8"
    );
    let narrow = open_head(&Parts::new(4, 6, 9, 1));
    let options = EnrichOptions { start: Start::Static, ..options() };
    let error = enrich(&narrow, &options, None, &Control::new()).expect_err("refused");
    assert_eq!(error.to_string(), "start: expected a decoder of the vectors' dimension 4, got 6");
}
