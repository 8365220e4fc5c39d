//! Mapped files, which are unmapped in the background if they are large, and huge pages.

mod huge_pages;
mod mapped_file;

pub use huge_pages::prefer_huge_pages;
pub(crate) use mapped_file::MappedFile;
