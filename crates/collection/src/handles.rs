//! Counts the handles of an open collection, and holds the token with which other threads open another handle.

use std::sync::OnceLock;

use parking_lot::Mutex;

/// The handles of a collection. A collection that was just opened has one.
#[derive(Debug)]
pub(crate) struct Handles {
    /// The token, which is generated when it is first requested.
    token: OnceLock<String>,
    /// The number of open handles.
    count: Mutex<usize>,
}

impl Default for Handles {
    fn default() -> Self {
        Self { token: OnceLock::new(), count: Mutex::new(1) }
    }
}

impl Handles {
    /// Returns the token, if it has been generated.
    pub fn token(&self) -> Option<&str> {
        self.token.get().map(String::as_str)
    }

    /// Returns the token, a random UUID. The first call generates it.
    pub fn token_or_new(&self) -> String {
        self.token.get_or_init(|| uuid::Uuid::new_v4().to_string()).clone()
    }

    /// Opens one more handle. Returns false, and opens none, if the last handle was closed.
    pub fn open(&self) -> bool {
        let mut count = self.count.lock();
        let is_open = *count > 0;
        *count += usize::from(is_open);
        is_open
    }

    /// Closes one handle. Returns true if it was the last one.
    pub fn close(&self) -> bool {
        let mut count = self.count.lock();
        let was_open = *count > 0;
        *count = count.saturating_sub(1);
        was_open && *count == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_handle_is_closed_only_once_and_no_handle_can_be_opened_afterwards() {
        let handles = Handles::default();
        assert!(handles.token().is_none());
        let token = handles.token_or_new();
        assert_eq!((handles.token(), handles.token_or_new()), (Some(token.as_str()), token.clone()));
        assert!(handles.open());
        assert_eq!([handles.close(), handles.close(), handles.close()], [false, true, false]);
        assert!(!handles.open());
    }
}
