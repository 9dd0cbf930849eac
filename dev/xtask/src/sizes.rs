//! The sizes of the files that a shopper's browser fetches, and their budgets (docs/budgets.md#sizes).

use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::Path;

use serde_json::Value;

use crate::failure::Failure;
use crate::files;

/// The form page's scripts, React included, brotli. React alone is 57 KB.
const PAGE_SCRIPT_BYTES_MAX: usize = 75_000;
/// The budget of document and styles together, brotli. Here only the styles are measured.
const PAGE_STYLE_BYTES_MAX: usize = 12_000;
/// The SDK's loader in the merchant's page, gzip.
const SDK_BYTES_MAX: usize = 3_000;
/// The React wrapper, which is fetched in addition, gzip.
const SDK_REACT_BYTES_MAX: usize = 1_500;

/// The size of fetched files, and its budget.
pub(crate) struct Size {
    pub(crate) what: &'static str,
    pub(crate) format: &'static str,
    pub(crate) bytes: usize,
    /// `None` without a budget.
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
    let fetched = PageScripts::of(&manifest)
        .ok_or_else(|| Failure::unusable("dist/page/.vite/manifest.json", "it names no entry"))?;
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

/// How many bytes are sent for this file: those of the compressed file beside it, or its own if there is none.
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

/// Fails with the names of the sizes that are over budget.
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
    /// Files that are imported only when they are needed.
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
        // The style sheet is linked in the document, so no chunk of the manifest imports it.
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
mod tests;
