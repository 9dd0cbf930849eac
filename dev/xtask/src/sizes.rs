//! How much a shopper's browser fetches, against the budgets (docs/budgets.md#sizes).

use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::Path;

use serde_json::Value;

use crate::failure::Failure;
use crate::files;

/// The form page's scripts, React included, brotli. React alone is 57 KB.
const PAGE_SCRIPT_BYTES_MAX: usize = 75_000;
/// Document and styles together may take this much, brotli; the styles alone are measured here.
const PAGE_STYLE_BYTES_MAX: usize = 12_000;
/// The SDK's loader in the merchant's page, gzip.
const SDK_BYTES_MAX: usize = 3_000;
/// What the React wrapper adds to it, gzip.
const SDK_REACT_BYTES_MAX: usize = 1_500;

/// One thing that is fetched, and its budget.
pub(crate) struct Size {
    pub(crate) what: &'static str,
    pub(crate) format: &'static str,
    pub(crate) bytes: usize,
    /// `None` where only the figure is of interest.
    pub(crate) bytes_max: Option<usize>,
}

impl Size {
    fn is_over(&self) -> bool {
        self.bytes_max.is_some_and(|max| self.bytes > max)
    }
}

/// Measures what was built and compressed below `dist`.
pub(crate) fn measure(dist: &Path) -> Result<Vec<Size>, Failure> {
    let manifest = files::json(&dist.join("page/.vite/manifest.json"))?;
    let fetched = PageScripts::of(&manifest).ok_or_else(|| Failure::Unusable {
        what: "dist/page/.vite/manifest.json".to_owned(),
        problem: "it names no entry".to_owned(),
    })?;
    let of_page = |what, files: &BTreeSet<String>, bytes_max| -> Result<Size, Failure> {
        let bytes = files
            .iter()
            .map(|file| compressed_bytes(&dist.join("page").join(file), "br"));
        Ok(Size {
            what,
            format: "brotli",
            bytes: bytes.sum::<Result<usize, Failure>>()?,
            bytes_max,
        })
    };
    let of_sdk = |what, file, bytes_max| -> Result<Size, Failure> {
        Ok(Size {
            what,
            format: "gzip",
            bytes: compressed_bytes(&dist.join(file), "gz")?,
            bytes_max: Some(bytes_max),
        })
    };
    Ok(vec![
        of_page(
            "form page, scripts",
            &fetched.scripts,
            Some(PAGE_SCRIPT_BYTES_MAX),
        )?,
        of_page("form page, scripts fetched later", &fetched.later, None)?,
        of_page("form page, styles", &fetched.styles, Some(PAGE_STYLE_BYTES_MAX))?,
        of_sdk("SDK", "sdk/cardform.js", SDK_BYTES_MAX)?,
        of_sdk(
            "SDK, React wrapper",
            "sdk-react/cardform-react.js",
            SDK_REACT_BYTES_MAX,
        )?,
    ])
}

/// How many bytes of this file are sent: those of the compressed file beside it, or its own where that is not smaller.
fn compressed_bytes(file: &Path, suffix: &str) -> Result<usize, Failure> {
    let compressed = std::fs::metadata(format!("{}.{suffix}", file.display()));
    let sent = compressed
        .or_else(|_| std::fs::metadata(file))
        .map_err(Failure::file(file))?;
    Ok(usize::try_from(sent.len()).unwrap_or(usize::MAX))
}

/// The sizes as a table, one line each.
pub(crate) fn table(sizes: &[Size]) -> String {
    let mut text = format!("{:<34} {:>10}  {:<7} {:>9}", "what", "size", "format", "budget");
    for size in sizes {
        let budget = size.bytes_max.map_or_else(|| "-".to_owned(), kilobytes);
        let verdict = if size.is_over() { "  OVER" } else { "" };
        let _ = write!(
            text,
            "\n{:<34} {:>10}  {:<7} {:>9}{verdict}",
            size.what,
            kilobytes(size.bytes),
            size.format,
            budget
        );
    }
    text
}

/// Fails with what is over its budget.
pub(crate) fn within_budgets(sizes: &[Size]) -> Result<(), Failure> {
    let over: Vec<_> = sizes
        .iter()
        .filter(|size| size.is_over())
        .map(|size| size.what)
        .collect();
    if over.is_empty() {
        return Ok(());
    }
    Err(Failure::OverBudget(over.join(", ")))
}

/// The files of the form page, by when the browser fetches them.
#[derive(Debug, Default, PartialEq, Eq)]
struct PageScripts {
    /// Entries and all that they import.
    scripts: BTreeSet<String>,
    /// What is imported only when it is needed.
    later: BTreeSet<String>,
    styles: BTreeSet<String>,
}

impl PageScripts {
    /// Follows Vite's manifest from its entries. `None` when it has no entry.
    fn of(manifest: &Value) -> Option<Self> {
        let mut fetched = Self::default();
        let chunks = manifest.as_object()?;
        for (key, _) in chunks.iter().filter(|(_, chunk)| chunk["isEntry"] == true) {
            fetched.follow(manifest, key, true);
        }
        if fetched.scripts.is_empty() {
            return None;
        }
        fetched.later = fetched.later.difference(&fetched.scripts).cloned().collect();
        // The style that the document links to stands in the manifest by itself, imported by nothing.
        let files = chunks.values().filter_map(|chunk| chunk["file"].as_str());
        fetched.styles = files.filter(|file| is_style(file)).map(str::to_owned).collect();
        Some(fetched)
    }

    fn follow(&mut self, manifest: &Value, key: &str, at_once: bool) {
        let chunk = &manifest[key];
        let Some(file) = chunk["file"].as_str() else {
            return;
        };
        let group = if at_once {
            &mut self.scripts
        } else {
            &mut self.later
        };
        if is_style(file) || !group.insert(file.to_owned()) {
            return;
        }
        for import in strings(&chunk["imports"]) {
            self.follow(manifest, import, at_once);
        }
        for import in strings(&chunk["dynamicImports"]) {
            self.follow(manifest, import, false);
        }
    }
}

fn is_style(file: &str) -> bool {
    Path::new(file).extension().is_some_and(|kind| kind == "css")
}

fn strings(list: &Value) -> impl Iterator<Item = &str> {
    list.as_array().into_iter().flatten().filter_map(Value::as_str)
}

/// Thousands of bytes, as budgets are written.
fn kilobytes(bytes: usize) -> String {
    format!("{}.{:02} KB", bytes / 1000, bytes % 1000 / 10)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn set(files: &[&str]) -> BTreeSet<String> {
        files.iter().map(|file| (*file).to_owned()).collect()
    }

    #[test]
    fn everything_an_entry_imports_counts_once() {
        let manifest = json!({
            "src/browser.tsx": {"file": "a/browser.js", "isEntry": true, "imports": ["_react", "_card"],
                                "dynamicImports": ["locales/th.json"]},
            "_card": {"file": "a/card.js", "imports": ["_react"]},
            "_react": {"file": "a/react.js", "imports": ["_card"]},
            "locales/th.json": {"file": "a/th.js", "isDynamicEntry": true, "imports": ["_react"]},
            "_orphan": {"file": "a/orphan.js"},
            "style.css": {"file": "a/form.css"},
        });
        assert_eq!(
            PageScripts::of(&manifest),
            Some(PageScripts {
                scripts: set(&["a/browser.js", "a/card.js", "a/react.js"]),
                later: set(&["a/th.js"]),
                styles: set(&["a/form.css"]),
            })
        );
        assert_eq!(
            PageScripts::of(&json!({"_orphan": {"file": "a/orphan.js"}})),
            None
        );
    }

    #[test]
    fn a_byte_over_the_budget_fails() {
        let size = |bytes| Size {
            what: "SDK",
            format: "gzip",
            bytes,
            bytes_max: Some(3_000),
        };
        assert!(within_budgets(&[size(3_000)]).is_ok());
        let failure = within_budgets(&[size(3_001)]).unwrap_err();
        assert_eq!(failure.to_string(), "over budget: SDK");
        assert!(table(&[size(3_001)]).ends_with("3.00 KB  gzip      3.00 KB  OVER"));
    }
}
