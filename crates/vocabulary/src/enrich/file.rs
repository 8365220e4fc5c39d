//! Enrichments in a file, complete or not.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use storage::{File, FileKind, Writer};

use super::enrichments::{Enrichments, Unfinished};
use super::options::EnrichOptions;
use crate::{Error, Head};

const KIND: FileKind = FileKind { magic: *b"PKENRICH", version: 1, name: "enrichments" };

/// Tells the enrichments of a head and options from those of others: 32 hexadecimal digits.
#[must_use]
pub fn identity(head: &Head, options: &EnrichOptions) -> String {
    digest(of(head, options).to_string().as_bytes())
}

/// The file of the cache folder `folder` that [`enrich`] keeps the enrichments of a head and options in.
#[must_use]
pub fn cache_file(folder: &Path, head: &Head, options: &EnrichOptions) -> PathBuf {
    folder.join(format!("{}.pkenrich", identity(head, options)))
}

/// The metadata that tells enrichments apart: a head and options.
pub(crate) fn of(head: &Head, options: &EnrichOptions) -> Value {
    json!({"head": head.identity(), "options": options.described()})
}

impl Head {
    /// Tells heads apart: the first 32 hexadecimal digits of the SHA-256 of everything that determines a head's distributions.
    #[must_use]
    pub fn identity(&self) -> String {
        let mut hash = Sha256::new();
        let shape = [self.dim, self.inner, self.vocabulary].map(|size| size as u64);
        hash.update(bytemuck::cast_slice(&shape));
        hash.update(format!("{:?} {:e}", self.activation, self.norm_epsilon));
        let weights = [&self.dense_weight, &self.dense_bias, &self.norm_weight, &self.norm_bias];
        for values in weights.into_iter().chain([&self.decoder, &self.bias]) {
            hash.update(bytemuck::cast_slice(values));
        }
        hexadecimal(hash)
    }
}

/// The first 32 hexadecimal digits of the SHA-256 of bytes.
pub(crate) fn digest(bytes: &[u8]) -> String {
    hexadecimal(Sha256::new_with_prefix(bytes))
}

fn hexadecimal(hash: Sha256) -> String {
    hash.finalize().iter().take(16).map(|byte| format!("{byte:02x}")).collect()
}

pub(crate) fn save(path: &Path, found: &Enrichments, rest: &Unfinished, of: &Value) -> Result<(), Error> {
    let mut writer = Writer::create(path, KIND)?;
    let floats = [
        ("vectors", &found.vectors),
        ("losses", &found.losses),
        ("bounds", &found.bounds),
        ("unfinished vectors", &rest.vectors),
        ("first moments", &rest.first),
        ("second moments", &rest.second),
    ];
    for (name, values) in floats {
        writer.section(name, bytemuck::cast_slice(values))?;
    }
    writer.section("steps", bytemuck::cast_slice(&found.steps))?;
    writer.section("unfinished tokens", bytemuck::cast_slice(&rest.tokens))?;
    writer.finish(json!({"of": of, "unfinishedSteps": rest.steps}))?;
    Ok(())
}

/// What [`save`] wrote, all of it checked.
pub(crate) fn open(path: &Path, head: &Head, of: &Value) -> Result<(Enrichments, Unfinished), Error> {
    let file = File::open(path, KIND)?;
    let got = &file.metadata()["of"];
    if got != of {
        let (expected, got) = (of.to_string(), got.to_string());
        return Err(Error::OtherEnrichments { path: path.to_path_buf(), expected, got });
    }
    file.verify()?;
    let corrupt =
        |expected: String, got: String| Error::Storage(storage::Error::corrupt(path, expected, got));
    let tokens = file.section_as::<u32>("unfinished tokens")?.to_vec();
    let (dim, count, left) = (head.dim, head.vocabulary, tokens.len());
    if !tokens.is_sorted_by(|a, b| a < b) || tokens.last().is_some_and(|&token| token as usize >= count) {
        return Err(corrupt(format!("distinct tokens below {count} in order"), format!("{left} others")));
    }
    let sized = |name: &str, expected: usize, got: usize| {
        let ok = expected == got;
        ok.then_some(()).ok_or_else(|| corrupt(format!("{expected} values of {name}"), got.to_string()))
    };
    let floats = |name: &str, expected: usize| {
        let values = file.section_as::<f32>(name)?;
        sized(name, expected, values.len())?;
        if let Some(value) = values.iter().find(|value| !value.is_finite()) {
            return Err(corrupt(format!("finite values of {name}"), value.to_string()));
        }
        Ok(values.to_vec())
    };
    let steps = file.section_as::<u32>("steps")?.to_vec();
    sized("steps", count, steps.len())?;
    let taken = file.metadata()["unfinishedSteps"].as_u64().and_then(|steps| u32::try_from(steps).ok());
    let taken = taken.ok_or_else(|| corrupt("a number of steps".to_owned(), "none".to_owned()))?;
    let found = Enrichments {
        dim,
        vectors: floats("vectors", count * dim)?,
        losses: floats("losses", count)?,
        bounds: floats("bounds", count)?,
        steps,
    };
    let rest = Unfinished {
        steps: taken,
        tokens,
        vectors: floats("unfinished vectors", left * dim)?,
        first: floats("first moments", left * dim)?,
        second: floats("second moments", left * dim)?,
    };
    Ok((found, rest))
}
