//! The configuration of a model: [`Config`].

use std::fs::File;
use std::io::Read;
use std::path::Path;

use serde_json::{Map, Value};

use super::entries::Entries;
use super::sizes::Sizes;
use super::{Architecture, CONFIG_FILE, Error};

/// Maximum number of bytes of a configuration, which usually has less than 2 KB.
const MAX_CONFIG_BYTES: u64 = 1 << 24;

/// The entries of a model's `config.json`.
///
/// [`write`](super::write()) sets the entries that follow from the weights: sizes, the architecture, `layer_norm_eps`,
/// and `pad_token_id` of RoBERTa. All others, such as dropout probabilities and `initializer_range`, stay as they are.
#[derive(Debug, Clone, PartialEq)]
pub struct Config {
    architecture: Architecture,
    values: Map<String, Value>,
}

impl Config {
    /// A configuration without entries other than the architecture.
    #[must_use]
    pub fn new(architecture: Architecture) -> Self {
        let model_type = Value::from(architecture.model_type());
        Self { architecture, values: Map::from_iter([("model_type".to_owned(), model_type)]) }
    }

    /// Reads the `config.json` of a folder.
    ///
    /// # Errors
    ///
    /// [`Error::Storage`] if the file cannot be read; [`Error::Malformed`] if it is not a JSON object, or lacks sizes;
    /// [`Error::Unsupported`] if it is that of a model that this crate cannot run.
    pub fn read(folder: &Path) -> Result<Self, Error> {
        let path = folder.join(CONFIG_FILE);
        let io = |source| storage::Error::io("open", &path)(source);
        storage::check_regular(&path).map_err(io)?;
        let mut bytes = Vec::new();
        let file = File::open(&path).map_err(io)?;
        file.take(MAX_CONFIG_BYTES + 1).read_to_end(&mut bytes).map_err(io)?;
        if bytes.len() as u64 > MAX_CONFIG_BYTES {
            let expected = format!("at most {MAX_CONFIG_BYTES} bytes");
            return Err(Error::malformed(&path, expected, "more"));
        }
        let values: Map<String, Value> = serde_json::from_slice(&bytes)
            .map_err(|error| Error::malformed(&path, "a JSON object", error.to_string()))?;
        let model_type = values.get("model_type");
        let is_named = |architecture: &Architecture| {
            model_type.and_then(Value::as_str) == Some(architecture.model_type())
        };
        let Some(architecture) = Architecture::ALL.into_iter().find(is_named) else {
            let expected = Architecture::ALL.map(Architecture::model_type).join(", ");
            return Err(Entries { values: &values, path: &path }.unsupported("model_type", expected));
        };
        let config = Self { architecture, values };
        config.sizes(&path)?;
        Ok(config)
    }

    /// The sizes. `path` is the file of the configuration, for error messages.
    pub(super) fn sizes(&self, path: &Path) -> Result<Sizes, Error> {
        Sizes::of_entries(self.architecture, Entries { values: &self.values, path })
    }

    /// Sets the entries that follow from the architecture and the sizes.
    pub(super) fn set_sizes(&mut self, sizes: &Sizes) {
        sizes.set_entries(self.architecture, &mut self.values);
    }

    /// The architecture.
    #[must_use]
    pub fn architecture(&self) -> Architecture {
        self.architecture
    }

    /// The value of an entry.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&Value> {
        self.values.get(key)
    }

    /// Sets an entry. An entry that follows from the weights or the architecture is replaced when the model is written.
    pub fn set(&mut self, key: impl Into<String>, value: impl Into<Value>) {
        self.values.insert(key.into(), value.into());
    }

    /// Removes an entry.
    pub fn remove(&mut self, key: &str) {
        self.values.remove(key);
    }

    /// The entries as the text of a file.
    pub(super) fn to_json(&self) -> String {
        let mut text = format!("{:#}", Value::Object(self.values.clone()));
        text.push('\n');
        text
    }
}
