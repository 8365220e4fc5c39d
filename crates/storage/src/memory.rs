//! Large memory: mapped files that are unmapped in the background, and huge pages.

mod huge_pages;
mod mapped_file;

pub use huge_pages::prefer_huge_pages;
pub(crate) use mapped_file::MappedFile;
