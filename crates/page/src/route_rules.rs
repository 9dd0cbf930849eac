//! The operator's redirect rules (docs/form.md#addresses): part of the build manifest, and applied here to every
//! requested document.

use std::collections::BTreeMap;

use axum::http::StatusCode;
use serde::{Deserialize, Serialize};
use thiserror::Error;
use url::Url;

/// The rule for paths that match a pattern.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct RouteRule {
    /// A path of this site, or with `external` an address of another site. If it ends with `/**`, it gets the part of
    /// the path that matched the pattern's `/**`.
    pub redirect: String,
    /// 301, 302, 303, 307 or 308.
    #[serde(default = "found")]
    pub status: u16,
    /// Whether `redirect` leads to another site, so that it does not happen by mistake.
    #[serde(default)]
    pub external: bool,
}

fn found() -> u16 {
    StatusCode::FOUND.as_u16()
}

/// Why a rule cannot be used.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum RuleError {
    /// The pattern is not a path.
    #[error("a route rule's pattern must begin with / and may end in /* or /**")]
    Pattern,
    /// The status is not a redirect.
    #[error("a route rule's status must be 301, 302, 303, 307 or 308")]
    Status,
    /// The target is neither a path nor an http(s) address; `javascript:` addresses are refused.
    #[error("a route rule must lead to a path or to an http(s) address")]
    Target,
    /// The target is another site, but the rule does not set `external`.
    #[error("a route rule that leads to another site must say so")]
    External,
}

/// Checked rules by their pattern.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RouteRules(BTreeMap<String, RouteRule>);

/// The redirect of a path.
#[derive(Debug, PartialEq, Eq)]
pub struct PathRedirect {
    /// A path of this site, or an address of another one.
    pub to: String,
    /// The status of the redirect.
    pub status: StatusCode,
    /// Whether it is another site, which must not get the query.
    pub external: bool,
}

/// The rules in the format of the build manifest, by the kind of their pattern.
#[derive(Debug, Serialize)]
pub struct Matcher<'a> {
    /// Exactly this path.
    r#static: BTreeMap<&'a str, &'a RouteRule>,
    /// This path and everything below.
    wildcard: BTreeMap<&'a str, &'a RouteRule>,
    /// One part below this path.
    dynamic: BTreeMap<&'a str, &'a RouteRule>,
}

impl RouteRules {
    /// The rules, if all are valid.
    pub fn checked(rules: BTreeMap<String, RouteRule>) -> Result<Self, RuleError> {
        for (pattern, rule) in &rules {
            let path = stem(pattern).0;
            if !pattern.starts_with('/') || path.contains('*') {
                return Err(RuleError::Pattern);
            }
            if !matches!(rule.status, 301 | 302 | 303 | 307 | 308) {
                return Err(RuleError::Status);
            }
            check_target(rule)?;
        }
        Ok(Self(rules))
    }

    /// The redirect of `path` by the most specific rule: the exact path, then one part, then the longest parent.
    pub fn redirect(&self, path: &str) -> Option<PathRedirect> {
        if self.0.is_empty() {
            return None;
        }
        let path = if path.len() > 1 {
            path.trim_end_matches('/')
        } else {
            path
        };
        let (parent, _) = path.rsplit_once('/')?;
        let rule = self
            .0
            .get(path)
            .map(|rule| (rule, ""))
            .or_else(|| self.0.get(&format!("{parent}/*")).map(|rule| (rule, "")))
            .or_else(|| self.above(path))?;
        Some(carried_out(rule.0, rule.1))
    }

    /// The rule with the longest `/**` pattern above `path`, and the rest of the path.
    fn above<'a>(&'a self, path: &'a str) -> Option<(&'a RouteRule, &'a str)> {
        let mut stem = path;
        loop {
            if let Some(rule) = self.0.get(&format!("{stem}/**")) {
                return Some((rule, &path[stem.len()..]));
            }
            stem = stem.rsplit_once('/')?.0;
        }
    }

    /// For the build manifest.
    pub fn matcher(&self) -> Matcher<'_> {
        let of = |kind: PatternKind| {
            self.0
                .iter()
                .filter(|(pattern, _)| stem(pattern).1 == kind)
                .map(|(pattern, rule)| (stem(pattern).0, rule))
                .collect()
        };
        Matcher {
            r#static: of(PatternKind::Exact),
            wildcard: of(PatternKind::Below),
            dynamic: of(PatternKind::Part),
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum PatternKind {
    Exact,
    Part,
    Below,
}

/// A pattern without its star, and the meaning of the star.
fn stem(pattern: &str) -> (&str, PatternKind) {
    if let Some(path) = pattern.strip_suffix("/**") {
        (path, PatternKind::Below)
    } else if let Some(path) = pattern.strip_suffix("/*") {
        (path, PatternKind::Part)
    } else {
        (pattern, PatternKind::Exact)
    }
}

fn check_target(rule: &RouteRule) -> Result<(), RuleError> {
    let target = rule.redirect.as_str();
    if !target
        .bytes()
        .all(|byte| byte.is_ascii_graphic() && byte != b'\\')
    {
        return Err(RuleError::Target);
    }
    // `//host` is an address of another site, too.
    if target.starts_with('/') && !target.starts_with("//") {
        return Ok(());
    }
    let address = Url::parse(target).map_err(|_| RuleError::Target)?;
    if !matches!(address.scheme(), "http" | "https") {
        return Err(RuleError::Target);
    }
    if rule.external {
        Ok(())
    } else {
        Err(RuleError::External)
    }
}

fn carried_out(rule: &RouteRule, below: &str) -> PathRedirect {
    // `//host` is an address of another site, and browsers read a backslash as a slash.
    let rest = below.trim_start_matches(['/', '\\']);
    PathRedirect {
        to: match rule.redirect.strip_suffix("/**") {
            None => rule.redirect.clone(),
            Some(target) if below.is_empty() && !target.is_empty() => target.to_owned(),
            Some(target) => format!("{target}/{rest}"),
        },
        status: StatusCode::from_u16(rule.status).unwrap_or(StatusCode::FOUND),
        external: !rule.redirect.starts_with('/'),
    }
}

#[cfg(test)]
mod tests;
