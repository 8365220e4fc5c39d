//! Training of encoders. `options` parses their options, and `encoder` has the trainer.

mod encoder;
mod options;
