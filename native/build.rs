fn main() {
    // The command that builds the addon sets this if it needs the type declarations, which are written when this crate
    // is compiled.
    println!("cargo::rerun-if-env-changed=NAPI_FORCE_BUILD_PASSAGEKIT_NATIVE");
}
