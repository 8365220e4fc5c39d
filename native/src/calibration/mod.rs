//! Calibrates the confidence of retrieval models. `judged_scores` collects the models' scores and outcomes (whether
//! their first hits are relevant). `temperature` fits temperatures to the scores and outcomes, and computes calibration
//! errors. `choice` fuses runs by taking, for each query, the hits of the most confident model.

mod choice;
mod judged_scores;
mod temperature;
