//! Saves enrichments, complete or unfinished, to files and reads them. The files have the container format of the crate
//! `storage`. Their metadata identifies the head and the options, so that a file with the enrichments of another head,
//! or of other options, is refused.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use storage::{File, FileKind, Writer};

use super::enrichments::{Enrichments, Unfinished};
use super::options::EnrichOptions;
use crate::{Error, Head};

const KIND: FileKind = FileKind { magic: *b"PKENRICH", version: 1, name: "enrichments" };

/// Returns 32 hexadecimal digits that identify the enrichments of a head with these options.
#[must_use]
pub fn identity(head: &Head, options: &EnrichOptions) -> String {
    hexadecimal(Sha256::new_with_prefix(head_and_options(head, options).to_string().as_bytes()))
}

/// Returns the path, in the cache folder `folder`, of the file for the enrichments of a head with these options. Pass
/// it to [`enrich`](super::enrich).
#[must_use]
pub fn cache_file(folder: &Path, head: &Head, options: &EnrichOptions) -> PathBuf {
    folder.join(format!("{}.pkenrich", identity(head, options)))
}

/// Returns the metadata of a file. It differs between heads and between options.
pub(crate) fn head_and_options(head: &Head, options: &EnrichOptions) -> Value {
    json!({"head": head.identity(), "options": options.description()})
}

impl Head {
    /// Returns a string that identifies the head: the first 32 hexadecimal digits of a SHA-256 hash of everything that
    /// determines its distributions.
    #[must_use]
    pub fn identity(&self) -> String {
        let mut hash = Sha256::new();
        let shape = [self.dim, self.inner_dim, self.vocabulary_size].map(|size| size as u64);
        hash.update(bytemuck::cast_slice(&shape));
        hash.update(format!("{:?} {:e}", self.activation, self.norm_epsilon));
        let weights = [&self.dense_weight, &self.dense_bias, &self.norm_weight, &self.norm_bias];
        for values in weights.into_iter().chain([&self.decoder, &self.bias]) {
            hash.update(bytemuck::cast_slice(values));
        }
        hexadecimal(hash)
    }
}

/// Returns the first 32 hexadecimal digits of a hash.
fn hexadecimal(hash: Sha256) -> String {
    hash.finalize().iter().take(16).map(|byte| format!("{byte:02x}")).collect()
}

/// Writes a file. `metadata` is [`head_and_options`].
pub(crate) fn save(
    path: &Path,
    found: &Enrichments,
    unfinished: &Unfinished,
    metadata: &Value,
) -> Result<(), Error> {
    let mut writer = Writer::create(path, KIND)?;
    let floats = [
        ("vectors", &found.vectors),
        ("losses", &found.losses),
        ("bounds", &found.bounds),
        ("unfinished vectors", &unfinished.vectors),
        ("first moments", &unfinished.first_moments),
        ("second moments", &unfinished.second_moments),
    ];
    for (name, values) in floats {
        writer.section(name, bytemuck::cast_slice(values))?;
    }
    writer.section("steps", bytemuck::cast_slice(&found.steps))?;
    writer.section("unfinished tokens", bytemuck::cast_slice(&unfinished.tokens))?;
    writer.finish(json!({"of": metadata, "unfinishedSteps": unfinished.steps}))?;
    Ok(())
}

/// Reads a file that [`save`] wrote, and checks its metadata, checksums and values.
pub(crate) fn open(path: &Path, head: &Head, metadata: &Value) -> Result<(Enrichments, Unfinished), Error> {
    let file = File::open(path, KIND)?;
    let got = &file.metadata()["of"];
    if got != metadata {
        let (expected, got) = (metadata.to_string(), got.to_string());
        return Err(Error::OtherEnrichments { path: path.to_path_buf(), expected, got });
    }
    file.verify()?;
    let corrupt =
        |expected: String, got: String| Error::Storage(storage::Error::corrupt(path, expected, got));
    let tokens = file.section_as::<u32>("unfinished tokens")?.to_vec();
    let (dim, count, unfinished_count) = (head.dim, head.vocabulary_size, tokens.len());
    if !tokens.is_sorted_by(|a, b| a < b) || tokens.last().is_some_and(|&token| token as usize >= count) {
        return Err(corrupt(
            format!("distinct tokens below {count} in ascending order"),
            format!("{unfinished_count} other tokens"),
        ));
    }
    let check_count = |name: &str, expected: usize, got: usize| {
        (expected == got)
            .then_some(())
            .ok_or_else(|| corrupt(format!("{expected} values of {name}"), got.to_string()))
    };
    let floats = |name: &str, expected: usize| {
        let values = file.section_as::<f32>(name)?;
        check_count(name, expected, values.len())?;
        if let Some(value) = values.iter().find(|value| !value.is_finite()) {
            return Err(corrupt(format!("finite values of {name}"), value.to_string()));
        }
        Ok(values.to_vec())
    };
    let steps = file.section_as::<u32>("steps")?.to_vec();
    check_count("steps", count, steps.len())?;
    let steps_taken = file.metadata()["unfinishedSteps"].as_u64().and_then(|steps| u32::try_from(steps).ok());
    let steps_taken =
        steps_taken.ok_or_else(|| corrupt("a number of steps".to_owned(), "none".to_owned()))?;
    let found = Enrichments {
        dim,
        vectors: floats("vectors", count * dim)?,
        losses: floats("losses", count)?,
        bounds: floats("bounds", count)?,
        steps,
    };
    let unfinished = Unfinished {
        steps: steps_taken,
        tokens,
        vectors: floats("unfinished vectors", unfinished_count * dim)?,
        first_moments: floats("first moments", unfinished_count * dim)?,
        second_moments: floats("second moments", unfinished_count * dim)?,
    };
    Ok((found, unfinished))
}
