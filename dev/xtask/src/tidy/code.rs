//! Tells Rust code from comments and strings, well enough for the rules of the house. No library, since a parser of Rust
//! would be the slowest crate of what everybody builds first; TypeScript is Biome's (`check/biome.rs`).

/// The text with comments and what strings say turned into spaces, so that lines and columns stay what they were.
pub(super) fn blank(text: &str) -> String {
    let mut scanner = Scanner {
        text: text.chars().collect(),
        at: 0,
        out: String::with_capacity(text.len()),
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

    fn step(&mut self, character: char) {
        if self.starts_with("//") {
            let length = self.text[self.at..].iter().take_while(|c| **c != '\n').count();
            self.clear(length);
        } else if self.starts_with("/*") {
            self.block_comment();
        } else {
            self.rust(character);
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
            } else if self.starts_with("/*") {
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
            '"' => self.string(),
            '\'' if self.peek(1) == Some('\\') => {
                self.copy(1);
                // The escaped character may itself be a quote.
                self.clear(2);
                let rest = self.text[self.at..].iter().take_while(|c| **c != '\'').count();
                self.clear(rest);
                self.copy(1);
            }
            '\'' if self.peek(2) == Some('\'') => {
                self.copy(1);
                self.clear(1);
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
            self.clear(1);
        }
        self.copy(end.len());
    }

    /// At the opening quote.
    fn string(&mut self) {
        self.copy(1);
        while let Some(character) = self.peek(0) {
            match character {
                '\\' => self.clear(2),
                '"' => return self.copy(1),
                _ => self.clear(1),
            }
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

    #[test]
    fn comments_strings_and_characters_are_no_code() {
        for (text, expect) in [
            ("a // fetch\nb", "a         \nb"),
            ("a /* x /* y */ z */ b", "a                   b"),
            ("a(\"//\\\"x\") b", "a(\"     \") b"),
            ("r#\"a\"b\"# c", "r#\"   \"# c"),
            ("'\"' a '\\'' b", "' ' a '  ' b"),
            ("fn f<'a>(x: &'a str) // c", "fn f<'a>(x: &'a str)     "),
            ("bar\"x\" c", "bar\" \" c"),
        ] {
            assert_eq!(blank(text), expect, "{text}");
        }
    }
}
