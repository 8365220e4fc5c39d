//! Titles of Markdown files.

/// Finds the title of a Markdown text: the first nonempty `# ` heading outside of front matter (the metadata between
/// `---` lines at the start) and fenced code blocks. Returns the title and the text, or `None` if there is no such
/// heading.
///
/// If only front matter and blank lines come before the heading, the returned text is the part after the heading.
/// Titles are indexed together with texts, so the words of the heading would otherwise count twice. If other text comes
/// before the heading, the whole text is returned.
pub(super) fn split_title(text: &str) -> Option<(&str, &str)> {
    let mut fence: Option<&str> = None;
    let mut in_front_matter = text.lines().next().is_some_and(|line| line.trim_end() == "---");
    // The text after the current line, and whether only front matter and blank lines came before this line.
    let (mut rest, mut is_at_start) = (text, true);
    for (number, line) in text.lines().enumerate() {
        rest = &rest[line.len()..];
        rest = rest.strip_prefix("\r\n").or_else(|| rest.strip_prefix('\n')).unwrap_or(rest);
        if in_front_matter {
            in_front_matter = number == 0 || !matches!(line.trim_end(), "---" | "...");
            continue;
        }
        let unindented = line.trim_start();
        if let Some(mark) = fence {
            if unindented.starts_with(mark) {
                fence = None;
            }
            continue;
        }
        fence = ["```", "~~~"].into_iter().find(|mark| unindented.starts_with(mark));
        // CommonMark: an indentation of four spaces makes a line code.
        let indent = line.len() - unindented.len();
        if let Some(title) = unindented.strip_prefix("# ").filter(|_| indent <= 3) {
            // CommonMark: `#` characters at the end are not part of the heading if a space comes before them.
            let title = title.trim();
            let without_hashes = title.trim_end_matches('#');
            let title = if without_hashes.ends_with([' ', '\t']) { without_hashes.trim_end() } else { title };
            let title = if without_hashes.is_empty() { "" } else { title };
            if !title.is_empty() {
                return Some((title, if is_at_start { rest } else { text }));
            }
        }
        is_at_start &= unindented.is_empty();
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_title_is_the_first_top_level_heading_outside_of_front_matter_and_code() {
        let title = |text| split_title(text).map(|(title, _)| title);
        assert_eq!(title("text\n# One #\n# Two"), Some("One"));
        assert_eq!(title("---\n# comment\n---\n```sh\n# echo\n```\n## Sub\n  # C#\n"), Some("C#"));
        assert_eq!(split_title("#hash\n    # code\n# \n# ##\n"), None);
    }

    #[test]
    fn a_heading_at_the_start_is_the_title_and_not_part_of_the_text() {
        assert_eq!(split_title("\n# One\r\n\ntext\n# Two\n"), Some(("One", "\ntext\n# Two\n")));
        assert_eq!(split_title("---\na: b\n---\n# One\ntext"), Some(("One", "text")));
        assert_eq!(split_title("text\n# One\nmore"), Some(("One", "text\n# One\nmore")));
        assert_eq!(split_title("# One"), Some(("One", "")));
    }
}
