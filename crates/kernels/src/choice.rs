//! How a set of kernels is chosen for the running CPU.

/// Implements `detect`, `available` and `name` for kernels of one kind: a struct with the field `name`.
///
/// Each set is a module with a static `KERNELS`, listed under its architecture, the fastest first, with the features
/// that it needs; the last is what every CPU can run. The comment is that of `name`.
macro_rules! choose_kernels {
    (
        $(#[$names:meta])+
        $kind:ident {
            x86_64 { $($x86:ident if $($x86_feature:tt)&&+,)* }
            aarch64 { $($arm:ident if $($arm_feature:tt)&&+,)* }
            $any:ident
        }
    ) => {
        impl $kind {
            /// The fastest set that the running CPU has; found out once.
            #[must_use]
            pub fn detect() -> &'static Self {
                static FASTEST: std::sync::OnceLock<&'static $kind> = std::sync::OnceLock::new();
                FASTEST.get_or_init(|| Self::available()[0])
            }

            /// Every set that the running CPU has, the fastest first. The last is `scalar`, which every CPU has.
            #[must_use]
            pub fn available() -> Vec<&'static Self> {
                let sets = [
                    $(
                        #[cfg(target_arch = "x86_64")]
                        ($(std::is_x86_feature_detected!($x86_feature))&&+, &$x86::KERNELS),
                    )*
                    $(
                        #[cfg(target_arch = "aarch64")]
                        ($(std::arch::is_aarch64_feature_detected!($arm_feature))&&+, &$arm::KERNELS),
                    )*
                    (true, &$any::KERNELS),
                ];
                sets.into_iter().filter_map(|(runs, kernels)| runs.then_some(kernels)).collect()
            }

            $(#[$names])+
            #[must_use]
            pub fn name(&self) -> &'static str {
                self.name
            }
        }
    };
}
