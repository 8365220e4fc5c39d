//! Folders of models that are trained: read before training, and written after it.

use std::path::{Path, PathBuf};

use serde_json::Value;
use transformer::hugging_face::{self, Architecture, Config, FloatFormat};
use transformer::onnx;
use transformer::weights::Weights;
use transformer::{Bits, dequantize, quantize};

use crate::Error;

/// The name of the tokenizer in the folder of a model.
pub(super) const TOKENIZER_FILE: &str = "tokenizer.json";
const ONNX_FILE: &str = "model.onnx";
const CONFIG_FILE: &str = "config.json";
const SAFETENSORS_FILE: &str = "model.safetensors";
/// The files that are written.
const FILES: [&str; 4] = [SAFETENSORS_FILE, CONFIG_FILE, ONNX_FILE, TOKENIZER_FILE];
/// The folder in that of a model in which files are written until all of them are complete.
const UNFINISHED_FOLDER: &str = "unfinished";

/// How the weights in an ONNX file are stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Precision {
    /// Floats.
    Float32,
    /// Bytes, with a scale for each output of a matrix.
    Int8(Bits),
}

/// The folder of a model to start from.
#[derive(Debug)]
pub(super) struct ModelFolder {
    path: PathBuf,
    config: Config,
}

impl ModelFolder {
    /// Reads the weights in `model.safetensors`, or else those in `model.onnx` or `onnx/model.onnx`, of which bytes
    /// become floats.
    pub fn read(path: &Path) -> Result<(Self, Weights), Error> {
        if path.join(SAFETENSORS_FILE).exists() {
            let (weights, config) = (hugging_face::read(path)?, Config::read(path)?);
            return Ok((Self { path: path.to_path_buf(), config }, weights));
        }
        let files = [path.join(ONNX_FILE), path.join("onnx").join(ONNX_FILE)];
        let Some(file) = files.iter().find(|file| file.exists()) else {
            let expected = format!("{SAFETENSORS_FILE}, {ONNX_FILE} or onnx/{ONNX_FILE}");
            let message = format!("{}: expected a folder with {expected}, got none of them", path.display());
            return Err(Error::Argument { message });
        };
        let weights = dequantize(&onnx::read_encoder(file)?);
        let config = if path.join(CONFIG_FILE).exists() {
            Config::read(path)?
        } else {
            Config::new(Architecture::of(&weights))
        };
        Ok((Self { path: path.to_path_buf(), config }, weights))
    }

    /// The path of the tokenizer.
    pub fn tokenizer(&self) -> PathBuf {
        self.path.join(TOKENIZER_FILE)
    }

    /// Writes a model of this architecture to a folder: `model.safetensors` with floats, `model.onnx`, `config.json`
    /// and `tokenizer.json`. `settings` becomes the entry `passagekit` of `config.json`. If writing fails, for example
    /// because the disk is full, the model that the folder had before remains.
    pub fn write(
        &self,
        folder: &Path,
        weights: &Weights,
        settings: Value,
        precision: Precision,
    ) -> Result<(), Error> {
        let unfinished = folder.join(UNFINISHED_FOLDER);
        std::fs::create_dir_all(&unfinished).map_err(storage::Error::io("create", &unfinished))?;
        let written = self.write_files(&unfinished, weights, settings, precision);
        let moved = written.and_then(|()| {
            FILES.iter().try_for_each(|name| {
                let (from, to) = (unfinished.join(name), folder.join(name));
                Ok(std::fs::rename(from, &to).map_err(storage::Error::io("rename", &to))?)
            })
        });
        let removed = std::fs::remove_dir_all(&unfinished).map_err(storage::Error::io("remove", &unfinished));
        // The first error is the cause.
        moved.and(removed.map_err(Error::from))
    }

    fn write_files(
        &self,
        folder: &Path,
        weights: &Weights,
        settings: Value,
        precision: Precision,
    ) -> Result<(), Error> {
        let mut config = self.config.clone();
        config.set("passagekit", settings);
        hugging_face::write(folder, weights, &config, FloatFormat::F32)?;
        let file = folder.join(ONNX_FILE);
        match precision {
            Precision::Float32 => onnx::write(weights, &file)?,
            Precision::Int8(bits) => onnx::write(&quantize(weights, bits), &file)?,
        }
        let tokenizer = self.tokenizer();
        let bytes = std::fs::read(&tokenizer).map_err(storage::Error::io("read", &tokenizer))?;
        storage::replace(&folder.join(TOKENIZER_FILE), &bytes)?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_model_that_cannot_be_written_leaves_the_previous_one() {
        let temporary = tempfile::tempdir().expect("a folder");
        let (init, output) = (temporary.path().join("init"), temporary.path().join("output"));
        let tiny = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models/tiny-encoder");
        std::fs::create_dir(&init).expect("created");
        for name in [ONNX_FILE, CONFIG_FILE, TOKENIZER_FILE] {
            std::fs::copy(tiny.join(name), init.join(name)).expect("copied");
        }
        let (folder, weights) = ModelFolder::read(&init).expect("a model");
        folder.write(&output, &weights, Value::Null, Precision::Float32).expect("written");
        let read = || FILES.map(|name| std::fs::read(output.join(name)).expect("a file"));
        let before = read();

        // The tokenizer is the last file that is written.
        std::fs::remove_file(init.join(TOKENIZER_FILE)).expect("removed");
        let settings = Value::from("others");
        folder.write(&output, &weights, settings, Precision::Int8(Bits::Eight)).expect_err("no tokenizer");
        assert!(read() == before);
        let mut names: Vec<_> = std::fs::read_dir(&output)
            .expect("read")
            .map(|entry| entry.expect("an entry").file_name())
            .collect();
        names.sort();
        let mut expected = FILES.map(std::ffi::OsString::from);
        expected.sort();
        assert_eq!(names, expected);
    }
}
