//! SPDX licence expressions: `(MIT OR Apache-2.0) AND Unicode-3.0`, and cargo's older `MIT/Apache-2.0`.

/// What is given is no licence expression.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Unreadable;

/// Whether someone who accepts only the `allowed` licences may use what is offered under `expression`.
pub(super) fn is_allowed(expression: &str, allowed: &[&str]) -> Result<bool, Unreadable> {
    let spaced = expression
        .replace('(', " ( ")
        .replace(')', " ) ")
        .replace('/', " OR ");
    let mut parser = Parser {
        words: spaced.split_whitespace().collect(),
        next: 0,
        allowed,
    };
    let verdict = parser.any()?;
    if parser.next == parser.words.len() {
        Ok(verdict)
    } else {
        Err(Unreadable)
    }
}

struct Parser<'a> {
    words: Vec<&'a str>,
    next: usize,
    allowed: &'a [&'a str],
}

impl<'a> Parser<'a> {
    /// Licences of which one is to be chosen.
    fn any(&mut self) -> Result<bool, Unreadable> {
        let mut verdict = self.all()?;
        while self.take("OR") {
            verdict |= self.all()?;
        }
        Ok(verdict)
    }

    /// Licences that hold together; they bind closer than a choice.
    fn all(&mut self) -> Result<bool, Unreadable> {
        let mut verdict = self.one()?;
        while self.take("AND") {
            verdict &= self.one()?;
        }
        Ok(verdict)
    }

    fn one(&mut self) -> Result<bool, Unreadable> {
        if self.take("(") {
            let verdict = self.any()?;
            return if self.take(")") {
                Ok(verdict)
            } else {
                Err(Unreadable)
            };
        }
        let name = self.name()?;
        if self.take("WITH") {
            let exception = self.name()?;
            return Ok(self
                .allowed
                .contains(&format!("{name} WITH {exception}").as_str()));
        }
        Ok(self.allowed.contains(&name))
    }

    fn name(&mut self) -> Result<&'a str, Unreadable> {
        let word = self.words.get(self.next).copied().ok_or(Unreadable)?;
        if ["OR", "AND", "WITH", "(", ")"].contains(&word) {
            return Err(Unreadable);
        }
        self.next += 1;
        Ok(word)
    }

    fn take(&mut self, word: &str) -> bool {
        let found = self.words.get(self.next) == Some(&word);
        self.next += usize::from(found);
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expressions_are_read_as_spdx_says() {
        let allowed = ["MIT", "ISC", "Apache-2.0 WITH LLVM-exception"];
        for (expression, verdict) in [
            ("MIT", Ok(true)),
            ("GPL-3.0-only", Ok(false)),
            ("MIT OR GPL-3.0-only", Ok(true)),
            ("MIT AND GPL-3.0-only", Ok(false)),
            ("GPL-3.0-only/MIT", Ok(true)),
            ("GPL-3.0-only OR MIT AND ISC", Ok(true)),
            ("(GPL-3.0-only OR MIT) AND ISC", Ok(true)),
            ("(GPL-3.0-only OR MIT) AND OpenSSL", Ok(false)),
            ("Apache-2.0 WITH LLVM-exception", Ok(true)),
            ("MIT WITH LLVM-exception", Ok(false)),
            ("Apache-2.0", Ok(false)),
            ("", Err(Unreadable)),
            ("MIT OR", Err(Unreadable)),
            ("(MIT", Err(Unreadable)),
            ("MIT ISC", Err(Unreadable)),
            ("SEE LICENSE IN LICENSE.md", Err(Unreadable)),
        ] {
            assert_eq!(is_allowed(expression, &allowed), verdict, "{expression}");
        }
    }
}
