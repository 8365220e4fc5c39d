//! The macro that chooses kernels by the features of the running CPU.

/// Implements `detect`, `available`, `up_to` and `name` for a struct of kernels, which must have the field `name`.
///
/// An invocation lists one module per instruction set, grouped by architecture, the fastest first, with its
/// [`Level`](crate::Level) and the CPU features that it needs. The last module is portable and needs none. Each module
/// has a static `KERNELS`. The doc comment in the invocation becomes the doc comment of `name`.
macro_rules! detect_kernels {
    (
        $(#[$name_doc:meta])+
        $kernels:ident {
            x86_64 { $($x86_level:ident: $x86_set:ident if $($x86_feature:tt)&&+,)* }
            aarch64 { $($arm_level:ident: $arm_set:ident if $($arm_feature:tt)&&+,)* }
            $portable_set:ident
        }
    ) => {
        impl $kernels {
            /// Returns the kernels of the fastest instruction set that the running CPU supports, up to the
            /// [chosen level](crate::Level::chosen). Detection runs once.
            ///
            /// # Panics
            ///
            /// If `PASSAGEKIT_CPU` is not the name of a level that the running CPU supports.
            #[must_use]
            pub fn detect() -> &'static Self {
                static FASTEST: std::sync::OnceLock<&'static $kernels> = std::sync::OnceLock::new();
                FASTEST.get_or_init(|| match crate::Level::chosen() {
                    Ok(level) => Self::up_to(level).next().expect("every level has the scalar kernels"),
                    Err(error) => panic!("{error}"),
                })
            }

            /// Returns the kernels of all instruction sets that the running CPU supports, the fastest first. The last
            /// is `scalar`, which every CPU supports. `PASSAGEKIT_CPU` has no effect on this list.
            #[must_use]
            pub fn available() -> Vec<&'static Self> {
                let fastest = crate::Level::supported().next().expect("every CPU supports the scalar level");
                Self::up_to(fastest).collect()
            }

            /// Returns the kernels of all instruction sets that the running CPU supports, up to a level, the fastest
            /// first.
            pub fn up_to(level: crate::Level) -> impl Iterator<Item = &'static Self> {
                let sets = [
                    $(
                        #[cfg(target_arch = "x86_64")]
                        (
                            crate::Level::$x86_level,
                            $(std::is_x86_feature_detected!($x86_feature))&&+,
                            &$x86_set::KERNELS,
                        ),
                    )*
                    $(
                        #[cfg(target_arch = "aarch64")]
                        (
                            crate::Level::$arm_level,
                            $(std::arch::is_aarch64_feature_detected!($arm_feature))&&+,
                            &$arm_set::KERNELS,
                        ),
                    )*
                    (crate::Level::Scalar, true, &$portable_set::KERNELS),
                ];
                let is_usable = move |&(needed, is_supported, _): &(crate::Level, bool, _)| needed <= level && is_supported;
                sets.into_iter().filter(is_usable).map(|(_, _, kernels)| kernels)
            }

            $(#[$name_doc])+
            #[must_use]
            pub fn name(&self) -> &'static str {
                self.name
            }
        }
    };
}
