//! Where the links of a page lead. A link to nothing is a mistake.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use crate::contents::ListedPage;
use crate::markdown::{anchor, headings, resolved};

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

    /// The address for readers of the service. None for a file that is not served; an error if there is no such thing.
    pub(crate) fn address(&self, root: &Path, source: &str, target: &str) -> Result<Option<String>, String> {
        if target.contains("://") || target.starts_with("mailto:") {
            return Ok(Some(target.to_owned()));
        }
        let (file, anchor) = target.split_once('#').unwrap_or((target, ""));
        let path = if file.is_empty() {
            source.to_owned()
        } else {
            resolved(source, file)
        };
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
        Ok(Some(format!("/docs/{name}{fragment}")))
    }
}
