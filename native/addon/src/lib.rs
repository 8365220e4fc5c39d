//! The shared library that Node loads. All code is in `passagekit-native`, which registers its exports when the library is
//! loaded. It is a crate of its own because link-time optimization compiles the whole program at the level of the crate
//! that is linked: for the search code to be optimized for speed, that level must be 3, and `passagekit-native` is compiled
//! for size.

extern crate passagekit_native as _;
