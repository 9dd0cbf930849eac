//! Tells code from comments and strings, in Rust and TypeScript, well enough for the rules of the house.

/// A language whose comments and strings are known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Language {
    Rust,
    TypeScript,
}

/// What stays; everything else becomes spaces, so that lines and columns stay what they were.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Keep {
    /// Code and the quotes of strings.
    Code,
    CodeAndStrings,
}

/// The text with comments, and if asked what strings say, turned into spaces.
pub(super) fn blank(text: &str, language: Language, keep: Keep) -> String {
    let mut scanner = Scanner {
        text: text.chars().collect(),
        at: 0,
        out: String::with_capacity(text.len()),
        language,
        keep,
        template_braces: Vec::new(),
    };
    while let Some(character) = scanner.peek(0) {
        scanner.step(character);
    }
    scanner.out
}

struct Scanner {
    text: Vec<char>,
    at: usize,
    out: String,
    language: Language,
    keep: Keep,
    /// For each `${` of a template string that is open: how many braces are open within it.
    template_braces: Vec<usize>,
}

impl Scanner {
    fn peek(&self, ahead: usize) -> Option<char> {
        self.text.get(self.at + ahead).copied()
    }

    fn starts_with(&self, word: &str) -> bool {
        word.chars()
            .enumerate()
            .all(|(ahead, character)| self.peek(ahead) == Some(character))
    }

    /// Passes over the next `count` characters as they are.
    fn copy(&mut self, count: usize) {
        let end = (self.at + count).min(self.text.len());
        self.out.extend(&self.text[self.at..end]);
        self.at = end;
    }

    /// Passes over the next `count` characters, leaving spaces (and the ends of lines).
    fn clear(&mut self, count: usize) {
        let end = (self.at + count).min(self.text.len());
        let spaces = self.text[self.at..end]
            .iter()
            .map(|c| if *c == '\n' { '\n' } else { ' ' });
        self.out.extend(spaces);
        self.at = end;
    }

    /// Passes over what a string says.
    fn quoted(&mut self, count: usize) {
        if self.keep == Keep::Code {
            self.clear(count);
        } else {
            self.copy(count);
        }
    }

    fn step(&mut self, character: char) {
        if self.starts_with("//") {
            let length = self.text[self.at..].iter().take_while(|c| **c != '\n').count();
            self.clear(length);
        } else if self.starts_with("/*") {
            self.block_comment();
        } else if self.language == Language::Rust {
            self.rust(character);
        } else {
            self.typescript(character);
        }
    }

    fn block_comment(&mut self) {
        let mut depth = 0_usize;
        while self.at < self.text.len() {
            if self.starts_with("*/") {
                depth -= 1;
                self.clear(2);
                if depth == 0 {
                    return;
                }
            } else if self.starts_with("/*") && (depth == 0 || self.language == Language::Rust) {
                depth += 1;
                self.clear(2);
            } else {
                self.clear(1);
            }
        }
    }

    fn rust(&mut self, character: char) {
        match character {
            'r' if !self.continues_a_word() || self.last() == Some('b') => self.raw_string(),
            '"' => self.string('"', false),
            '\'' if self.peek(1) == Some('\\') => {
                self.copy(1);
                // The escaped character may itself be a quote.
                self.quoted(2);
                let rest = self.text[self.at..].iter().take_while(|c| **c != '\'').count();
                self.quoted(rest);
                self.copy(1);
            }
            '\'' if self.peek(2) == Some('\'') => {
                self.copy(1);
                self.quoted(1);
                self.copy(1);
            }
            _ => self.copy(1),
        }
    }

    /// At an `r` that may begin `r"…"` or `r#"…"#`.
    fn raw_string(&mut self) {
        let hashes = self.text[self.at + 1..].iter().take_while(|c| **c == '#').count();
        if self.peek(1 + hashes) != Some('"') {
            self.copy(1);
            return;
        }
        self.copy(2 + hashes);
        let end = format!("\"{}", "#".repeat(hashes));
        while self.at < self.text.len() && !self.starts_with(&end) {
            self.quoted(1);
        }
        self.copy(end.len());
    }

    fn typescript(&mut self, character: char) {
        match character {
            '"' | '\'' => self.string(character, true),
            '`' => {
                self.copy(1);
                self.template();
            }
            '{' => {
                if let Some(open) = self.template_braces.last_mut() {
                    *open += 1;
                }
                self.copy(1);
            }
            '}' if self.template_braces.last() == Some(&0) => {
                self.template_braces.pop();
                self.copy(1);
                self.template();
            }
            '}' => {
                if let Some(open) = self.template_braces.last_mut() {
                    *open -= 1;
                }
                self.copy(1);
            }
            '/' => match self.regex_length() {
                Some(length) => {
                    self.copy(1);
                    self.quoted(length - 2);
                    self.copy(1);
                }
                None => self.copy(1),
            },
            _ => self.copy(1),
        }
    }

    /// At the opening quote. A TypeScript string ends with its line at the latest: an apostrophe in the text of a
    /// page must not swallow the rest of the file.
    fn string(&mut self, quote: char, ends_with_line: bool) {
        self.copy(1);
        while let Some(character) = self.peek(0) {
            match character {
                '\\' => self.quoted(2),
                '\n' if ends_with_line => return,
                _ if character == quote => return self.copy(1),
                _ => self.quoted(1),
            }
        }
    }

    /// Within a template string, up to its end or to the next `${`.
    fn template(&mut self) {
        while let Some(character) = self.peek(0) {
            match character {
                '\\' => self.quoted(2),
                '`' => return self.copy(1),
                '$' if self.peek(1) == Some('{') => {
                    self.copy(2);
                    self.template_braces.push(0);
                    return;
                }
                _ => self.quoted(1),
            }
        }
    }

    /// The length of the regular expression that begins here, slashes included; `None` at a division or a tag.
    fn regex_length(&self) -> Option<usize> {
        let before = self.out.trim_end_matches([' ', '\n']);
        let word_start = before
            .rfind(|c: char| !c.is_alphanumeric())
            .map_or(0, |at| at + 1);
        let follows_a_word = ["return", "typeof", "case", "in", "of"].contains(&before.get(word_start..)?);
        let follows_an_operator = before
            .chars()
            .next_back()
            .is_none_or(|c| "(,=:[!&|?{};+-*%>~^".contains(c));
        if !follows_a_word && !follows_an_operator {
            return None;
        }
        let mut in_class = false;
        let mut ahead = 1;
        loop {
            match self.peek(ahead)? {
                '\n' => return None,
                '\\' => ahead += 1,
                '[' => in_class = true,
                ']' => in_class = false,
                '/' if !in_class => return Some(ahead + 1),
                _ => {}
            }
            ahead += 1;
        }
    }

    fn last(&self) -> Option<char> {
        self.out.chars().next_back()
    }

    fn continues_a_word(&self) -> bool {
        self.last().is_some_and(|c| c.is_alphanumeric() || c == '_')
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code(language: Language, text: &str) -> String {
        blank(text, language, Keep::Code)
    }

    #[test]
    fn rust_comments_strings_and_characters_are_no_code() {
        for (text, expect) in [
            ("a // fetch\nb", "a         \nb"),
            ("a /* x /* y */ z */ b", "a                   b"),
            ("a(\"//\\\"x\") b", "a(\"     \") b"),
            ("r#\"a\"b\"# c", "r#\"   \"# c"),
            ("'\"' a '\\'' b", "' ' a '  ' b"),
            ("fn f<'a>(x: &'a str) // c", "fn f<'a>(x: &'a str)     "),
            ("bar\"x\" c", "bar\" \" c"),
        ] {
            assert_eq!(code(Language::Rust, text), expect, "{text}");
        }
    }

    #[test]
    fn typescript_comments_strings_templates_and_expressions_are_no_code() {
        for (text, expect) in [
            ("a // fetch\nb", "a         \nb"),
            ("'it\\'s' + \"x\"", "'     ' + \" \""),
            ("`a ${b + `c ${d}` } e` f", "`  ${b + `  ${d}` }  ` f"),
            ("`${ { a: 1 }.a }x` y", "`${ { a: 1 }.a } ` y"),
            ("x.test(/['\"]/) + y", "x.test(/    /) + y"),
            ("return /[/\"]/u;", "return /    /u;"),
            ("a / b / c", "a / b / c"),
            ("<b>don't</b>\nfetch()", "<b>don'     \nfetch()"),
        ] {
            assert_eq!(code(Language::TypeScript, text), expect, "{text}");
        }
    }

    #[test]
    fn strings_stay_when_only_comments_are_to_go() {
        let text = "import a from \"./a.ts\"; // fetch";
        let expect = "import a from \"./a.ts\";         ";
        assert_eq!(blank(text, Language::TypeScript, Keep::CodeAndStrings), expect);
    }
}
