//! Calibrates the confidence of retrieval models: `judged_scores` collects their scores and outcomes, `temperature`
//! fits temperatures to them and computes calibration errors, and `choice` fuses runs by taking, for each query, the
//! hits of the most confident model.

mod choice;
mod judged_scores;
mod temperature;
