//! Titles of Markdown files.

/// Finds the title: the first `# ` heading outside of front matter and fenced code blocks. Returns it with the text.
///
/// If the heading begins the text, only the text after it is returned: titles are indexed together with texts, so that the
/// heading would count twice. If the heading comes later, the whole text is returned.
pub(super) fn split_title(text: &str) -> Option<(&str, &str)> {
    let mut fence: Option<&str> = None;
    let mut in_front_matter = text.lines().next().is_some_and(|line| line.trim_end() == "---");
    let (mut rest, mut is_first) = (text, true);
    for (number, line) in text.lines().enumerate() {
        rest = &rest[line.len()..];
        rest = rest.strip_prefix("\r\n").or_else(|| rest.strip_prefix('\n')).unwrap_or(rest);
        if in_front_matter {
            in_front_matter = number == 0 || !matches!(line.trim_end(), "---" | "...");
            continue;
        }
        let start = line.trim_start();
        if let Some(open) = fence {
            if start.starts_with(open) {
                fence = None;
            }
            continue;
        }
        fence = ["```", "~~~"].into_iter().find(|mark| start.starts_with(mark));
        let indent = line.len() - start.len();
        if let Some(title) = start.strip_prefix("# ").filter(|_| indent <= 3) {
            // CommonMark: closing hashes are not part of the heading.
            let title = title.trim();
            let open = title.trim_end_matches('#');
            let title = if open.ends_with([' ', '\t']) { open.trim_end() } else { title };
            let title = if open.is_empty() { "" } else { title };
            if !title.is_empty() {
                return Some((title, if is_first { rest } else { text }));
            }
        }
        is_first &= start.is_empty();
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_title_is_the_first_heading_outside_front_matter_and_code() {
        let title = |text| split_title(text).map(|(title, _)| title);
        assert_eq!(title("text\n# One #\n# Two"), Some("One"));
        assert_eq!(title("---\n# comment\n---\n```sh\n# echo\n```\n## Sub\n  # C#\n"), Some("C#"));
        assert_eq!(split_title("#hash\n    # code\n# \n# ##\n"), None);
    }

    #[test]
    fn a_heading_that_begins_the_text_is_the_title_and_not_text() {
        assert_eq!(split_title("\n# One\r\n\ntext\n# Two\n"), Some(("One", "\ntext\n# Two\n")));
        assert_eq!(split_title("---\na: b\n---\n# One\ntext"), Some(("One", "text")));
        assert_eq!(split_title("text\n# One\nmore"), Some(("One", "text\n# One\nmore")));
        assert_eq!(split_title("# One"), Some(("One", "")));
    }
}
