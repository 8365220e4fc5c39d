//! Levels of instruction sets, and the environment variable `PASSAGEKIT_CPU`, which forces one.

use std::sync::OnceLock;

/// The environment variable that forces a level.
const VARIABLE: &str = "PASSAGEKIT_CPU";

/// A level of instruction sets. Levels are ordered from the slowest to the fastest. At each level, every struct of
/// kernels, such as [`Kernels`](crate::Kernels), uses the fastest instruction set that belongs to that level or a lower
/// one and that the CPU supports. A CPU need not support all lower levels: many CPUs with AVX-512 lack AVX-VNNI.
///
/// The environment variable `PASSAGEKIT_CPU` forces a level by its [name](Self::name), for all structs of kernels in
/// the process. It is read once, when kernels are first needed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// Portable code for every CPU.
    Scalar,
    /// AArch64: NEON.
    Neon,
    /// AArch64: NEON and its dot-product instructions.
    Dotprod,
    /// AArch64: NEON and its dot-product and matrix instructions for bytes.
    I8mm,
    /// x86-64: AVX2 and FMA.
    Avx2,
    /// x86-64: AVX2, FMA and the dot-product instructions of AVX-VNNI.
    AvxVnni,
    /// x86-64: AVX2, FMA and AVX-512F, with whichever other AVX-512 extensions the CPU supports.
    Avx512,
}

/// The environment variable `PASSAGEKIT_CPU` has an invalid value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LevelError {
    value: String,
}

impl std::fmt::Display for LevelError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let supported: Vec<_> = Level::supported().map(Level::name).collect();
        let supported = supported.join(", ");
        let expected = format!("expected a level that this CPU supports, one of {supported}");
        write!(f, "the environment variable {VARIABLE}: {expected}; got {}", self.value)
    }
}

impl std::error::Error for LevelError {}

impl Level {
    const ALL: [Self; 7] =
        [Self::Avx512, Self::AvxVnni, Self::Avx2, Self::I8mm, Self::Dotprod, Self::Neon, Self::Scalar];

    /// Returns the name: `avx512`, `avxvnni`, `avx2`, `i8mm`, `dotprod`, `neon` or `scalar`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Avx512 => "avx512",
            Self::AvxVnni => "avxvnni",
            Self::Avx2 => "avx2",
            Self::I8mm => "i8mm",
            Self::Dotprod => "dotprod",
            Self::Neon => "neon",
            Self::Scalar => "scalar",
        }
    }

    /// Returns the levels that the running CPU supports, the fastest first. The last is `Scalar`.
    pub fn supported() -> impl Iterator<Item = Self> {
        Self::ALL.into_iter().filter(|level| level.is_supported())
    }

    /// Returns the level that `PASSAGEKIT_CPU` forces. If the variable is unset or empty, returns the fastest level
    /// that the running CPU supports.
    ///
    /// # Errors
    ///
    /// If the variable has a value that is not the name of a level that the running CPU supports.
    pub fn chosen() -> Result<Self, LevelError> {
        static CHOSEN: OnceLock<Result<Level, LevelError>> = OnceLock::new();
        CHOSEN.get_or_init(|| Self::choose(&std::env::var_os(VARIABLE).unwrap_or_default())).clone()
    }

    fn choose(value: &std::ffi::OsStr) -> Result<Self, LevelError> {
        let mut supported = Self::supported();
        let level =
            if value.is_empty() { supported.next() } else { supported.find(|level| value == level.name()) };
        level.ok_or_else(|| LevelError { value: value.to_string_lossy().into_owned() })
    }

    #[cfg(target_arch = "x86_64")]
    fn is_supported(self) -> bool {
        let has_avx2 = std::is_x86_feature_detected!("avx2") && std::is_x86_feature_detected!("fma");
        match self {
            Self::Avx512 => has_avx2 && std::is_x86_feature_detected!("avx512f"),
            Self::AvxVnni => has_avx2 && std::is_x86_feature_detected!("avxvnni"),
            Self::Avx2 => has_avx2,
            Self::Scalar => true,
            Self::I8mm | Self::Dotprod | Self::Neon => false,
        }
    }

    #[cfg(target_arch = "aarch64")]
    fn is_supported(self) -> bool {
        match self {
            Self::I8mm => {
                std::arch::is_aarch64_feature_detected!("dotprod")
                    && std::arch::is_aarch64_feature_detected!("i8mm")
            }
            Self::Dotprod => std::arch::is_aarch64_feature_detected!("dotprod"),
            Self::Neon => std::arch::is_aarch64_feature_detected!("neon"),
            Self::Scalar => true,
            Self::Avx512 | Self::AvxVnni | Self::Avx2 => false,
        }
    }

    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    fn is_supported(self) -> bool {
        self == Self::Scalar
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_supported_level_can_be_chosen_by_its_name() {
        for level in Level::supported() {
            assert_eq!(Level::choose(level.name().as_ref()), Ok(level));
        }
        assert_eq!(Level::choose("".as_ref()).ok(), Level::supported().next());
    }

    #[test]
    fn unsupported_levels_and_unknown_names_are_refused() {
        let unsupported = Level::ALL.into_iter().filter(|level| !level.is_supported()).map(Level::name);
        for value in unsupported.chain(["AVX2", "sse2"]) {
            let error = Level::choose(value.as_ref()).expect_err("not supported").to_string();
            assert!(error.contains("expected a level that this CPU supports, one of "), "{error}");
            assert!(error.ends_with(&format!("scalar; got {value}")), "{error}");
        }
    }
}
