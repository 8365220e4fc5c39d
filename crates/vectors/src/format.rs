//! The formats of vector files, and their detection from the first bytes or the name of a file.

use std::fmt;
use std::path::Path;
use std::str::FromStr;

use crate::Error;

/// A format of vector files. `FromStr` and `Display` use the names in parentheses.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum VectorFormat {
    /// Detected from the content, or else from the extension of the file name: `.f32`, `.raw`, `.bin` or `.fvecs`
    /// (`auto`).
    #[default]
    Auto,
    /// A NumPy array `[rows, dim]` (`npy`).
    Npy,
    /// `f32` numbers without a header, row by row (`raw`). Unlike the other formats, the file does not contain the
    /// length of the vectors: [`OpenOptions::dim`](crate::OpenOptions::dim) is required.
    Raw,
    /// A tensor `[rows, dim]` of a safetensors file (`safetensors`).
    Safetensors,
    /// A column of lists in a Parquet file (`parquet`).
    Parquet,
    /// A column of lists in an Arrow IPC file or stream, including Feather version 2 (`arrow`).
    Arrow,
    /// Rows that consist of the length of the vector as a 32-bit integer and its `f32` numbers, as in the TEXMEX
    /// corpora (`fvecs`).
    Fvecs,
}

/// The formats and their names.
const NAMES: [(VectorFormat, &str); 7] = [
    (VectorFormat::Auto, "auto"),
    (VectorFormat::Npy, "npy"),
    (VectorFormat::Raw, "raw"),
    (VectorFormat::Safetensors, "safetensors"),
    (VectorFormat::Parquet, "parquet"),
    (VectorFormat::Arrow, "arrow"),
    (VectorFormat::Fvecs, "fvecs"),
];

/// Magic bytes at the start of files, the format, and a description of the file for error messages. Files with `None`
/// are recognized but not supported.
const MAGICS: [(&[u8], Option<VectorFormat>, &str); 9] = [
    (b"\x93NUMPY", Some(VectorFormat::Npy), "a NumPy array"),
    (b"PAR1", Some(VectorFormat::Parquet), "a Parquet file"),
    (b"ARROW1", Some(VectorFormat::Arrow), "an Arrow file"),
    (b"\xff\xff\xff\xff", Some(VectorFormat::Arrow), "an Arrow stream"),
    (b"PK\x03\x04", None, "a zip archive, as .npz files are"),
    (b"\x1f\x8b", None, "gzip data"),
    (b"\x28\xb5\x2f\xfd", None, "zstd data"),
    (b"\x89HDF\r\n", None, "an HDF5 file"),
    (b"\x80\x02", None, "a Python pickle"),
];

/// Number of bytes at the start of a file from which its format is detected.
pub(crate) const PREFIX_BYTES: usize = 16;

impl VectorFormat {
    /// Returns the format of a file: for `Auto` the detected format, otherwise `self`. `prefix` has the first
    /// [`PREFIX_BYTES`] bytes of the file, or all bytes of a shorter file. `length` is the length of the file in bytes.
    ///
    /// # Errors
    ///
    /// [`Error::Format`] if the content contradicts `self`, or, for `Auto`, if neither the content nor the name is that
    /// of a supported format.
    pub(crate) fn resolve(self, path: &Path, prefix: &[u8], length: u64) -> Result<Self, Error> {
        let (found, description) = detect(prefix, length);
        match (self, found) {
            (Self::Auto, Some(format)) => Ok(format),
            (Self::Auto, None) => {
                let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
                let named = match extension.to_ascii_lowercase().as_str() {
                    "f32" | "raw" | "bin" => Some(Self::Raw),
                    "fvecs" => Some(Self::Fvecs),
                    _ => None,
                };
                // Raw and fvecs files have no magic bytes, so they may contain anything that is not of another
                // supported format.
                named.filter(|_| !prefix.is_empty()).ok_or_else(|| {
                    let expected =
                        "a .npy, safetensors, Parquet or Arrow file, or one named .f32, .raw, .bin or .fvecs";
                    Error::format(path, expected, description)
                })
            }
            (requested, Some(format)) if requested == format => Ok(requested),
            (Self::Raw | Self::Fvecs, None) if !prefix.is_empty() => Ok(self),
            (requested, _) => Err(Error::format(path, requested.description(), description)),
        }
    }

    /// Describes a file of the format, for error messages.
    pub(crate) fn description(self) -> &'static str {
        match self {
            Self::Auto => "a file of vectors",
            Self::Npy => "a NumPy array",
            Self::Raw => "f32 numbers and nothing else",
            Self::Safetensors => "a safetensors file",
            Self::Parquet => "a Parquet file",
            Self::Arrow => "an Arrow file or stream",
            Self::Fvecs => "an fvecs file",
        }
    }
}

impl FromStr for VectorFormat {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self, Error> {
        NAMES.iter().find(|(_, known)| *known == name).map(|&(format, _)| format).ok_or_else(|| {
            let expected = format!("one of {}", NAMES.map(|(_, name)| name).join(", "));
            Error::Option { name: "format", expected, got: format!("\"{name}\"") }
        })
    }
}

impl fmt::Display for VectorFormat {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let named = NAMES.iter().find(|(format, _)| format == self).map(|(_, name)| *name);
        formatter.write_str(named.expect("every format has a name"))
    }
}

/// Returns the supported format that the first bytes determine, if there is one, and a description of the content.
fn detect(prefix: &[u8], length: u64) -> (Option<VectorFormat>, String) {
    if prefix.is_empty() {
        return (None, "an empty file".to_owned());
    }
    if let Some(&(_, format, what)) = MAGICS.iter().find(|(magic, _, _)| prefix.starts_with(magic)) {
        return (format, what.to_owned());
    }
    // A safetensors file begins with the length of a JSON object and the object.
    if let Some((&header, [b'{', ..])) = prefix.split_first_chunk::<8>()
        && u64::from_le_bytes(header) <= length.saturating_sub(8)
    {
        return (Some(VectorFormat::Safetensors), "a safetensors file".to_owned());
    }
    (None, format!("a file that begins with \"{}\"", prefix.escape_ascii()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Resolves the format of a file of 1000 bytes; returns an error as its message.
    fn resolve(format: VectorFormat, name: &str, prefix: &[u8]) -> Result<VectorFormat, String> {
        format.resolve(Path::new(name), prefix, 1000).map_err(|error| error.to_string())
    }

    #[test]
    fn the_content_decides_and_the_name_only_if_the_content_does_not() {
        use VectorFormat::{Auto, Fvecs, Npy, Parquet, Raw, Safetensors};
        assert_eq!(resolve(Auto, "x.parquet", b"\x93NUMPY\x01\x00"), Ok(Npy));
        assert_eq!(resolve(Auto, "x.bin", b"PAR1\x15\x04"), Ok(Parquet));
        assert_eq!(resolve(Auto, "x", b"\x40\0\0\0\0\0\0\0{\"a\":"), Ok(Safetensors));
        assert_eq!(resolve(Auto, "x.F32", b"\0\0\x80\x3f"), Ok(Raw));
        assert_eq!(resolve(Auto, "x.fvecs", b"\x80\0\0\0"), Ok(Fvecs));
        assert_eq!(resolve(Raw, "x", b"\0\0\x80\x3f"), Ok(Raw));
    }

    #[test]
    fn a_file_of_another_format_is_refused_with_its_description() {
        use VectorFormat::{Auto, Npy, Raw};
        assert_eq!(
            resolve(Auto, "x.npz", b"PK\x03\x04\x2d\x00"),
            Err("x.npz: expected a .npy, safetensors, Parquet or Arrow file, or one named .f32, .raw, .bin or .fvecs, \
                 got a zip archive, as .npz files are"
                .to_owned())
        );
        assert_eq!(
            resolve(Npy, "x.npy", b"id\ttext\n"),
            Err(r#"x.npy: expected a NumPy array, got a file that begins with "id\ttext\n""#.to_owned())
        );
        assert_eq!(
            resolve(Raw, "x.raw", b"\x93NUMPY\x01\x00"),
            Err("x.raw: expected f32 numbers and nothing else, got a NumPy array".to_owned())
        );
        assert_eq!(
            resolve(Raw, "x.raw", b""),
            Err("x.raw: expected f32 numbers and nothing else, got an empty file".to_owned())
        );
    }

    #[test]
    fn every_name_is_parsed_as_its_format() {
        for (format, name) in NAMES {
            assert_eq!(
                (name.parse::<VectorFormat>().expect("a format"), format.to_string()),
                (format, name.to_owned())
            );
        }
        let error = "hdf5".parse::<VectorFormat>().expect_err("not a format").to_string();
        assert_eq!(
            error,
            "format: expected one of auto, npy, raw, safetensors, parquet, arrow, fvecs, got \"hdf5\""
        );
    }
}
