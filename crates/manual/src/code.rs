//! Blocks of code. Only comments and texts get a color, which is enough for short samples.

use crate::escape::escaped;

/// The mark before a comment that ends with the line.
fn line_comment(language: &str) -> Option<&'static str> {
    match language {
        "js" | "mjs" | "ts" | "tsx" | "vue" | "svelte" | "go" | "rs" | "php" => Some("//"),
        "sh" | "py" | "toml" => Some("# "),
        _ => None,
    }
}

/// The code as HTML.
fn highlighted(language: &str, code: &str) -> String {
    let quotes: &[char] = match language {
        "js" | "mjs" | "ts" | "tsx" | "vue" | "svelte" | "go" => &['"', '`'],
        "json" | "html" | "py" | "rs" | "toml" => &['"'],
        "php" => &['"', '\''],
        _ => &[],
    };
    let comment = line_comment(language);
    let mut html = String::new();
    let mut rest = code;
    let mut is_line_start = true;
    while let Some(first) = rest.chars().next() {
        let is_comment =
            comment.is_some_and(|mark| rest.starts_with(mark)) && (is_line_start || html.ends_with(' '));
        let length = if is_comment {
            rest.find('\n').unwrap_or(rest.len())
        } else if quotes.contains(&first) {
            text_length(rest, first)
        } else {
            0
        };
        if length == 0 {
            html.push_str(&escaped(&rest[..first.len_utf8()]));
            rest = &rest[first.len_utf8()..];
        } else {
            let class = if is_comment { "comment" } else { "text" };
            html.push_str(&format!(
                "<span class=\"{class}\">{}</span>",
                escaped(&rest[..length])
            ));
            rest = &rest[length..];
        }
        is_line_start = first == '\n' || (is_line_start && first.is_whitespace());
    }
    html
}

/// The length of the text in quotes at the beginning, or 0 if it does not end; only backticks go over lines.
fn text_length(code: &str, quote: char) -> usize {
    let mut is_escaped = false;
    for (place, letter) in code.char_indices().skip(1) {
        match letter {
            '\n' if quote != '`' => return 0,
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            _ if letter == quote => return place + quote.len_utf8(),
            _ => {}
        }
    }
    0
}

fn language_name(language: &str) -> &'static str {
    match language {
        "sh" | "shell" | "console" => "Shell",
        "json" => "JSON",
        "html" => "HTML",
        "js" => "JavaScript",
        "ts" | "tsx" => "TypeScript",
        "toml" => "TOML",
        "vue" => "Vue",
        "svelte" => "Svelte",
        _ => "Text",
    }
}

/// The block as HTML: its caption, and its code.
pub(crate) fn code_block(info: &str, block: &str) -> String {
    let language = info.split_whitespace().next().unwrap_or("text");
    let word = |name: &str| info.split_whitespace().find_map(|word| word.strip_prefix(name));
    let file = word("file=").map(escaped);
    let terminal = word("terminal=").map(escaped);
    let caption = match (&file, &terminal) {
        (Some(file), _) => file.clone(),
        (None, Some(terminal)) => format!("Terminal {terminal}"),
        (None, None) => language_name(language).to_owned(),
    };
    let file = file
        .map(|file| format!(" data-file=\"{file}\""))
        .unwrap_or_default();
    let terminal = terminal
        .map(|number| format!(" data-terminal=\"{number}\""))
        .unwrap_or_default();
    format!(
        "<figure class=\"code\"{file}{terminal}><figcaption>{caption}</figcaption><pre tabindex=\"0\"><code data-language=\"{}\">{}</code></pre></figure>\n",
        escaped(language),
        highlighted(language, block)
    )
}

#[cfg(test)]
mod tests;
