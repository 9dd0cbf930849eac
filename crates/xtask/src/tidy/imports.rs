//! Who may import whom: data flows from the rules to the page, and from the form's generated types to the SDK.

use super::Finding;
use super::source::Source;

/// One `import` or `export … from` of a TypeScript file.
#[derive(Debug, PartialEq, Eq)]
struct Import {
    line: usize,
    /// What stands between the keyword and `from`; empty for `import "x"` and `import("x")`.
    clause: String,
    /// What it imports from, as written.
    from: String,
}

/// The card room imports from itself and from what is generated.
pub(super) fn card_is_pure(sources: &[Source]) -> Vec<Finding> {
    let pure = ["form/src/card/", "form/generated/"];
    let rooms = sources
        .iter()
        .filter(|source| source.path.starts_with(pure[0]) && !source.is_test());
    broken("card-imports", rooms, |path, import| {
        let target = resolve(path, &import.from);
        let is_pure = target.is_some_and(|target| pure.iter().any(|room| target.starts_with(room)));
        (!is_pure).then(|| "the card room imports only from itself and from form/generated".to_owned())
    })
}

/// The SDK takes types and constants from `form/generated`, and nothing else from the form.
pub(super) fn sdk_takes_types_and_constants(sources: &[Source]) -> Vec<Finding> {
    let sdk = sources
        .iter()
        .filter(|source| source.path.starts_with("sdk/") && !source.is_test());
    broken("sdk-imports", sdk, |path, import| {
        let target = resolve(path, &import.from)?;
        if target.starts_with("form/generated/") {
            let is_code = !takes_types_and_constants(&import.clause);
            return is_code.then(|| "the SDK takes only types and constants from form/generated".to_owned());
        }
        let package = path.split('/').take(2).collect::<Vec<_>>().join("/") + "/";
        let leaves = !target.starts_with(&package);
        leaves.then(|| {
            "an SDK package imports only from itself, from packages and from form/generated".to_owned()
        })
    })
}

/// The demo shop does what a merchant can do: it uses the SDK's packages, not their files.
pub(super) fn demo_uses_the_public_sdk(sources: &[Source]) -> Vec<Finding> {
    let demo = sources.iter().filter(|source| source.path.starts_with("demo/"));
    broken("demo-imports", demo, |path, import| {
        let is_inner = match resolve(path, &import.from) {
            Some(target) => !target.starts_with("demo/"),
            None => import.from.starts_with("@cardform/form") || import.from.matches('/').count() > 1,
        };
        let is_ours = import.from.starts_with('.') || import.from.starts_with("@cardform/");
        (is_inner && is_ours)
            .then(|| "the demo shop uses only the public SDK, as a merchant would".to_owned())
    })
}

/// The imports of `sources` for which `judge` gives a reason against them.
fn broken<'a>(
    rule: &'static str,
    sources: impl Iterator<Item = &'a Source>,
    judge: impl Fn(&str, &Import) -> Option<String>,
) -> Vec<Finding> {
    let mut found = Vec::new();
    for source in sources {
        for import in imports(source) {
            if let Some(why) = judge(&source.path, &import) {
                found.push(source.finding(rule, import.line, format!("imports `{}`: {why}", import.from)));
            }
        }
    }
    found
}

/// Every import of a TypeScript file.
fn imports(source: &Source) -> Vec<Import> {
    // Blanking keeps each character's place, so a keyword is found in one and its string read in the other.
    let code: Vec<char> = source.code().chars().collect();
    let text: Vec<char> = source.without_comments().chars().collect();
    let mut found = Vec::new();
    let mut statement = None;
    let mut at = 0;
    while at < code.len() {
        if !code[at].is_alphabetic() {
            // Another statement begins: what came before was no import.
            if code[at] == ';' {
                statement = None;
            }
            at += 1;
            continue;
        }
        let end = at
            + code[at..]
                .iter()
                .take_while(|c| c.is_alphanumeric() || **c == '_')
                .count();
        let word: String = code[at..end].iter().collect();
        let begins = matches!(word.as_str(), "import" | "export");
        if begins {
            statement = Some(end);
        }
        let may_name = word == "import" || (word == "from" && statement.is_some());
        if let Some(from) = string_after(&code, &text, end).filter(|_| may_name) {
            let clause = statement.filter(|_| !begins).unwrap_or(at);
            found.push(Import {
                line: 1 + code[..at].iter().filter(|c| **c == '\n').count(),
                clause: code[clause..at].iter().collect(),
                from,
            });
            statement = None;
        }
        at = end;
    }
    found
}

/// The string that stands next after `at`, with at most an opening parenthesis before it.
fn string_after(code: &[char], text: &[char], at: usize) -> Option<String> {
    let skip = |from: usize| from + code[from..].iter().take_while(|c| c.is_whitespace()).count();
    let mut start = skip(at);
    if code.get(start) == Some(&'(') {
        start = skip(start + 1);
    }
    let quote = *code.get(start).filter(|c| matches!(c, '"' | '\''))?;
    let said = text[start + 1..].iter().take_while(|c| **c != quote);
    Some(said.collect())
}

/// The path from the root that a relative import of the file at `path` means; `None` for a package.
fn resolve(path: &str, from: &str) -> Option<String> {
    if !from.starts_with('.') {
        return None;
    }
    let mut folders: Vec<_> = path.split('/').collect();
    folders.pop();
    for part in from.split('/') {
        match part {
            "." => {}
            ".." => {
                folders.pop();
            }
            _ => folders.push(part),
        }
    }
    Some(folders.join("/"))
}

/// Whether an import's clause takes only types and names in capitals.
fn takes_types_and_constants(clause: &str) -> bool {
    let clause = clause.trim();
    if clause.starts_with("type ") {
        return true;
    }
    let Some(names) = clause.strip_prefix('{').and_then(|rest| rest.strip_suffix('}')) else {
        return false;
    };
    names
        .split(',')
        .map(str::trim)
        .filter(|name| !name.is_empty())
        .all(|name| {
            let own = name.split(" as ").next().unwrap_or(name);
            let is_constant = own
                .chars()
                .all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_');
            name.starts_with("type ") || is_constant
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(rule: fn(&[Source]) -> Vec<Finding>, path: &str, text: &str) -> Vec<usize> {
        let found = rule(&[Source::new(path.to_owned(), text.to_owned())]);
        found.iter().map(|finding| finding.line).collect()
    }

    #[test]
    fn every_kind_of_import_is_read() {
        let text = "import a, { b } from \"./a.ts\";\nimport type { C } from './c.ts'\nimport \"./d.css\";\n\
                    const e = await import(\"./e.ts\");\nexport { f } from \"./f.ts\";\nexport const from = \"./no.ts\";\n\
                    // import g from \"./g.ts\";\nimport {\n  h,\n  i,\n} from \"./h.ts\";\nArray.from(\"x\");\n";
        let found: Vec<_> = imports(&Source::new("a.ts".to_owned(), text.to_owned()))
            .into_iter()
            .map(|import| (import.line, import.from))
            .collect();
        let expect = [
            (1, "./a.ts"),
            (2, "./c.ts"),
            (3, "./d.css"),
            (4, "./e.ts"),
            (5, "./f.ts"),
            (11, "./h.ts"),
        ];
        assert_eq!(found, expect.map(|(line, from)| (line, from.to_owned())));
    }

    #[test]
    fn the_card_room_imports_only_what_is_pure() {
        let text = "import { BRANDS } from \"../../generated/rules.ts\";\nimport { b } from \"./brand.ts\";\n\
                    import { useState } from \"react\";\nimport { send } from \"../payments/charges.ts\";\n";
        assert_eq!(lines(card_is_pure, "form/src/card/form.ts", text), [3, 4]);
        assert!(lines(card_is_pure, "form/src/card/form.test.ts", text).is_empty());
    }

    #[test]
    fn the_sdk_takes_no_code_of_the_form() {
        let text = "import type { FromForm } from \"../../../form/generated/wire.ts\";\n\
                    import { MESSAGE_SOURCE, type FromParent } from \"../../../form/generated/wire.ts\";\n\
                    import { parse } from \"../../../form/generated/wire.ts\";\n\
                    import { channel } from \"../../../form/src/parent/channel.ts\";\n\
                    import { mount } from \"./mount.ts\";\nimport { x } from \"../../react/src/index.tsx\";\n\
                    import * as all from \"../../../form/generated/wire.ts\";\n";
        assert_eq!(
            lines(sdk_takes_types_and_constants, "sdk/js/src/index.ts", text),
            [3, 4, 6, 7]
        );
    }

    #[test]
    fn the_demo_shop_stands_where_a_merchant_stands() {
        let text = "import { mount } from \"@cardform/js\";\nimport { x } from \"./cart.ts\";\n\
                    import { y } from \"../../sdk/js/src/mount.ts\";\nimport { z } from \"@cardform/form\";\n\
                    import { createRoot } from \"react-dom/client\";\nimport { w } from \"@cardform/js/src/mount.ts\";\n";
        assert_eq!(
            lines(demo_uses_the_public_sdk, "demo/src/shop.tsx", text),
            [3, 4, 6]
        );
    }
}
