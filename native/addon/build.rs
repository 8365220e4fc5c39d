//! Sets the linker arguments of a Node-API addon.

fn main() {
    napi_build::setup();
}
