//! Where the links of a page lead. A link to nothing is a mistake.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use pulldown_cmark::{Event, Parser, Tag};

use crate::SAMPLES;
use crate::contents::ListedPage;
use crate::markdown::{anchor, headings, options, resolved};

/// Which pages and headings there are, by the source's path.
pub(crate) struct Links {
    names: BTreeMap<&'static str, &'static str>,
    anchors: BTreeMap<&'static str, BTreeSet<String>>,
}

impl Links {
    pub(crate) fn of(articles: &[(&'static ListedPage, String)]) -> Self {
        let anchors = articles.iter().map(|(listed, text)| {
            let headings = headings(text).into_iter().map(|heading| anchor(&heading));
            (listed.source, headings.collect())
        });
        Self {
            names: articles
                .iter()
                .map(|(listed, _)| (listed.source, listed.name))
                .collect(),
            anchors: anchors.collect(),
        }
    }

    /// Where a link of a page leads. None for a file that is not served; an error if there is no such thing.
    pub(crate) fn page(&self, root: &Path, source: &str, target: &str) -> Result<Option<String>, String> {
        self.address(root, source, target, "")
    }

    /// The text of a page for programs: each link leads to what the service serves, or is its text alone.
    pub(crate) fn plain(&self, root: &Path, source: &str, text: &str) -> String {
        let mut plain = String::new();
        let mut end = 0;
        for (event, range) in Parser::new_ext(text, options()).into_offset_iter() {
            let Event::Start(Tag::Link { dest_url, .. }) = event else {
                continue;
            };
            let link = &text[range.clone()];
            let Some((words, _)) = link.strip_prefix('[').and_then(|link| link.rsplit_once("](")) else {
                continue;
            };
            plain.push_str(&text[end..range.start]);
            match self.address(root, source, &dest_url, ".md") {
                Ok(Some(address)) => plain.push_str(&format!("[{words}]({address})")),
                _ => plain.push_str(words),
            }
            end = range.end;
        }
        plain + &text[end..]
    }

    fn address(
        &self,
        root: &Path,
        source: &str,
        target: &str,
        suffix: &str,
    ) -> Result<Option<String>, String> {
        if target.contains("://") || target.starts_with("mailto:") {
            return Ok(Some(target.to_owned()));
        }
        let (file, anchor) = target.split_once('#').unwrap_or((target, ""));
        let path = if file.is_empty() {
            source.to_owned()
        } else {
            resolved(source, file)
        };
        if SAMPLES.contains(&&*path) {
            return Ok(Some(format!("/docs/{path}")));
        }
        let Some(name) = self.names.get(&*path) else {
            let exists = root.join(&path).exists();
            return if exists {
                Ok(None)
            } else {
                Err(format!("{source}: there is no {path}"))
            };
        };
        if !anchor.is_empty() && !self.anchors[&*path].contains(anchor) {
            return Err(format!("{source}: {path} has no heading #{anchor}"));
        }
        let fragment = if anchor.is_empty() {
            String::new()
        } else {
            format!("#{anchor}")
        };
        Ok(Some(format!("/docs/{name}{suffix}{fragment}")))
    }
}
