//! The macro that chooses kernels by the features of the running CPU.

/// Implements `detect`, `available` and `name` for a struct of kernels, which must have the field `name`.
///
/// An invocation lists one module per instruction set, grouped by architecture, the fastest first, with the CPU
/// features that each module needs. The last module is portable and needs none. Each module has a static `KERNELS`. The
/// doc comment in the invocation becomes that of `name`.
macro_rules! detect_kernels {
    (
        $(#[$name_doc:meta])+
        $kernels:ident {
            x86_64 { $($x86_set:ident if $($x86_feature:tt)&&+,)* }
            aarch64 { $($arm_set:ident if $($arm_feature:tt)&&+,)* }
            $portable_set:ident
        }
    ) => {
        impl $kernels {
            /// Returns the kernels of the fastest instruction set that the running CPU supports. Detection runs once.
            #[must_use]
            pub fn detect() -> &'static Self {
                static FASTEST: std::sync::OnceLock<&'static $kernels> = std::sync::OnceLock::new();
                FASTEST.get_or_init(|| Self::available()[0])
            }

            /// Returns the kernels of all instruction sets that the running CPU supports, the fastest first. The last
            /// is `scalar`, which every CPU supports.
            #[must_use]
            pub fn available() -> Vec<&'static Self> {
                let sets = [
                    $(
                        #[cfg(target_arch = "x86_64")]
                        ($(std::is_x86_feature_detected!($x86_feature))&&+, &$x86_set::KERNELS),
                    )*
                    $(
                        #[cfg(target_arch = "aarch64")]
                        ($(std::arch::is_aarch64_feature_detected!($arm_feature))&&+, &$arm_set::KERNELS),
                    )*
                    (true, &$portable_set::KERNELS),
                ];
                sets.into_iter().filter_map(|(is_supported, kernels)| is_supported.then_some(kernels)).collect()
            }

            $(#[$name_doc])+
            #[must_use]
            pub fn name(&self) -> &'static str {
                self.name
            }
        }
    };
}
