//! Records which process has a collection open for changes. The error message that another writer gets names this
//! process.

use std::fs;
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

use crate::folder::owner_of;

/// The process that holds the lock.
#[derive(Debug, Serialize, Deserialize)]
struct Owner {
    pid: u32,
    host: String,
    /// Seconds since 1970.
    since: u64,
}

/// Records this process as the owner. The lock itself is the lock of the BM25 index. Without the record, an error
/// message is only less precise, so failures are ignored.
pub(crate) fn record(folder: &Path) {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |elapsed| elapsed.as_secs());
    let owner = Owner { pid: std::process::id(), host: host(), since };
    if let Ok(text) = serde_json::to_string(&owner) {
        fs::write(owner_of(folder), text).ok();
    }
}

/// Removes the record.
pub(crate) fn remove(folder: &Path) {
    fs::remove_file(owner_of(folder)).ok();
}

/// Describes the owner, for [`Error::Locked`](crate::Error::Locked).
pub(crate) fn describe(folder: &Path) -> String {
    let owner = fs::read_to_string(owner_of(folder)).ok();
    match owner.and_then(|text| serde_json::from_str::<Owner>(&text).ok()) {
        None => "one that holds the lock".to_owned(),
        Some(Owner { pid, .. }) if pid == std::process::id() => {
            "one in this process; close that collection first, or use it".to_owned()
        }
        Some(Owner { pid, host, since }) => format!("process {pid} on {host}, since {}", utc(since)),
    }
}

/// Returns the name of this computer.
fn host() -> String {
    let name =
        fs::read_to_string("/proc/sys/kernel/hostname").ok().or_else(|| std::env::var("COMPUTERNAME").ok());
    name.or_else(|| std::env::var("HOSTNAME").ok())
        .map_or("this host".to_owned(), |name| name.trim().to_owned())
}

/// Formats seconds since 1970 as a date and time in UTC. The date is computed with Howard Hinnant's algorithm
/// `civil_from_days` (2013).
fn utc(seconds: u64) -> String {
    let (days, second) = (seconds / 86_400, seconds % 86_400);
    let shifted = days + 719_468;
    let (era, day_of_era) = (shifted / 146_097, shifted % 146_097);
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
    let year = year_of_era + era * 400 + u64::from(month <= 2);
    let (hour, minute) = (second / 3_600, second / 60 % 60);
    format!("{year:04}-{month:02}-{day:02} {hour:02}:{minute:02} UTC")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_are_formatted_as_a_date() {
        for (seconds, expected) in [
            (0, "1970-01-01 00:00 UTC"),
            (951_868_799, "2000-02-29 23:59 UTC"),
            (951_868_800, "2000-03-01 00:00 UTC"),
            (1_795_392_000, "2026-11-23 00:00 UTC"),
        ] {
            assert_eq!(utc(seconds), expected);
        }
    }

    #[test]
    fn the_description_names_this_process_or_the_recorded_one() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        assert_eq!(describe(folder.path()), "one that holds the lock");
        record(folder.path());
        assert!(describe(folder.path()).starts_with("one in this process"));
        fs::write(owner_of(folder.path()), r#"{"pid": 1, "host": "h", "since": 0}"#).expect("writable");
        assert_eq!(describe(folder.path()), "process 1 on h, since 1970-01-01 00:00 UTC");
    }
}
