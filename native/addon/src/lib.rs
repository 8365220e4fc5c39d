//! The shared library that Node loads. All code is in `passagekit-native`, which registers its exports when the library
//! is loaded. It is a separate crate because, with fat link-time optimization, the `opt-level` of the last crate
//! applies to the whole program. `passagekit-native` is compiled for size (`opt-level = "s"`), and this crate with
//! `opt-level = 3`, so that the search code is still optimized for speed.

extern crate passagekit_native as _;
