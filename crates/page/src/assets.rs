//! The built files of `dist/`: embedded in a release build, read from the disk in a debug build.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

use aws_lc_rs::digest;
use axum::body::Body;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use protocol::ids::{hex, sha256_hex};
use rules::locale::Locale;
use rust_embed::{Embed, EmbeddedFile};
use serde::Deserialize;
use thiserror::Error;

use super::policy::RESOURCE_POLICY;

#[derive(Embed)]
#[folder = "../../dist"]
#[allow_missing = true]
struct BuiltFiles;

/// For files with a content hash in their name, which never change.
pub const IMMUTABLE: &str = "public, max-age=31536000, immutable";
/// For files whose name stays the same; the browser asks for changes each time.
pub const REVALIDATE: &str = "public, no-cache";

/// Why the built page cannot be used.
#[derive(Debug, Error)]
pub enum AssetsError {
    /// A file of the build is missing.
    #[error("the page is not built ({0} is missing from dist/): run `cargo xtask build`")]
    Missing(&'static str),
    /// The texts of a locale are missing in the build.
    #[error("the page's texts of {0} are missing from dist/: run `cargo xtask build`")]
    Messages(&'static str),
    /// The manifest or a file of texts cannot be read.
    #[error("the page's build cannot be read: {0}")]
    Unreadable(#[from] serde_json::Error),
}

/// The files that the document links to, and the script for the render engines.
pub struct Assets {
    /// The page's script.
    pub script: LinkedFile,
    /// The script of the page that a challenge leads back to.
    pub challenge_return_script: LinkedFile,
    /// The page's style.
    pub style: LinkedFile,
    /// The build's id; the same files give the same id.
    pub build_id: String,
    /// The module that the render engines load.
    pub(crate) server_script: Arc<str>,
}

/// A built file that a document links to.
pub struct LinkedFile {
    /// Its address.
    pub path: String,
    /// Its hash for the `integrity` attribute of its element.
    pub integrity: String,
}

#[derive(Deserialize)]
struct BuiltFile {
    file: String,
}

impl Assets {
    /// Reads the build's manifest.
    pub fn load() -> Result<Self, AssetsError> {
        const MANIFEST: &str = "page/.vite/manifest.json";
        const SERVER_SCRIPT: &str = "page-server/server.js";
        let manifest = BuiltFiles::get(MANIFEST).ok_or(AssetsError::Missing(MANIFEST))?;
        let entries: HashMap<String, BuiltFile> = serde_json::from_slice(&manifest.data)?;
        let linked = |entry: Option<&BuiltFile>, missing| {
            let path = entry.map(|entry| format!("/{}", entry.file));
            let path = path.ok_or(AssetsError::Missing(missing))?;
            let integrity = integrity(&path).ok_or(AssetsError::Missing("a file that the manifest names"))?;
            Ok::<_, AssetsError>(LinkedFile { path, integrity })
        };
        let is_style = |entry: &&BuiltFile| entry.file.rsplit('.').next() == Some("css");
        let server_script = BuiltFiles::get(SERVER_SCRIPT).ok_or(AssetsError::Missing(SERVER_SCRIPT))?;
        Ok(Self {
            script: linked(entries.get("src/browser.tsx"), "the page's script")?,
            challenge_return_script: linked(
                entries.get("src/challenge-return.ts"),
                "the script of a challenge's return",
            )?,
            style: linked(entries.values().find(is_style), "the page's style")?,
            build_id: build_id(&manifest),
            server_script: String::from_utf8_lossy(&server_script.data).into(),
        })
    }
}

/// The hash of the built file at this address, for the `integrity` attribute. A browser runs no file with another hash,
/// even if a proxy changes it.
fn integrity(address: &str) -> Option<String> {
    let file = BuiltFiles::get(&format!("page{address}"))?;
    let hash = digest::digest(&digest::SHA384, &file.data);
    Some(format!("sha384-{}", STANDARD.encode(hash)))
}

/// The hash of a package of the SDK (`cardform-js.tgz`), as lock files of npm have it; `None` if it is not built.
pub fn package_integrity(name: &str) -> Option<String> {
    let package = built(&format!("sdk/{name}"))?;
    let hash = digest::digest(&digest::SHA512, &package);
    Some(format!("sha512-{}", STANDARD.encode(hash)))
}

/// The file of the build with the texts of `locale`.
pub fn messages_path(locale: &Locale) -> String {
    format!("page/locales/{}.json", locale.code)
}

/// The file of the build with the keys of the texts that a form's document leaves out.
pub(crate) const LATE_TEXTS: &str = "page/late-texts.json";

/// The content of a file of the build.
pub fn built(path: &str) -> Option<Cow<'static, [u8]>> {
    BuiltFiles::get(path).map(|file| file.data)
}

/// An id for the build. The manifest names the page's files by the hash of their content, except the locales' texts, so
/// these are hashed here.
fn build_id(manifest: &EmbeddedFile) -> String {
    let mut contents = manifest.metadata.sha256_hash().to_vec();
    for locale in rules::locale::TABLE {
        if let Some(messages) = BuiltFiles::get(&messages_path(locale)) {
            contents.extend(messages.metadata.sha256_hash());
        }
    }
    sha256_hex(&contents)[..16].to_owned()
}

/// The page's text files with a content hash in their name, each with its content.
pub fn text_assets() -> impl Iterator<Item = (String, String)> {
    const FOLDER: &str = "page/assets/";
    BuiltFiles::iter().filter_map(|path| {
        let name = path.strip_prefix(FOLDER)?;
        let body = String::from_utf8(BuiltFiles::get(&path)?.data.into_owned()).ok()?;
        Some((name.to_owned(), body))
    })
}

/// The types of a build's text files.
const ASSET_TYPES: [&str; 3] = ["js", "css", "svg"];
/// A script or a style loads nothing, and an image may style itself.
const ASSET_POLICY: &str = "sandbox; default-src 'none'; style-src 'unsafe-inline'";

/// A text file of another build, with a policy that keeps it from acting as a page of this origin; `None` if no build has
/// files of its type.
pub fn text_asset(path: &str, body: String, cache: &'static str) -> Option<Response> {
    let (_, file_type) = path.rsplit_once('.')?;
    if !ASSET_TYPES.contains(&file_type) {
        return None;
    }
    let mut response = with_file_headers(Body::from(body).into_response(), path, cache);
    let policy = HeaderValue::from_static(ASSET_POLICY);
    response
        .headers_mut()
        .insert(header::CONTENT_SECURITY_POLICY, policy);
    Some(response)
}

fn with_file_headers(mut response: Response, path: &str, cache: &'static str) -> Response {
    let headers = response.headers_mut();
    if let Ok(content_type) = HeaderValue::try_from(content_type_of(path)) {
        headers.insert(header::CONTENT_TYPE, content_type);
    }
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static(cache));
    headers.insert(
        header::X_CONTENT_TYPE_OPTIONS,
        HeaderValue::from_static("nosniff"),
    );
    headers.insert(RESOURCE_POLICY, HeaderValue::from_static("same-origin"));
    response
}

/// The paths of the SDK's scripts, as merchants' pages load them.
pub fn sdk_scripts() -> impl Iterator<Item = String> {
    BuiltFiles::iter()
        .filter(|path| path.starts_with("sdk/") && path.rsplit('.').next() == Some("js"))
        .map(Cow::into_owned)
}

/// The content type that a built file is served with.
pub fn content_type_of(path: &str) -> String {
    // `.ts` is a kind of video to browsers.
    let guessed = mime_guess::from_path(path).first_or_octet_stream();
    let mime = if path.ends_with(".d.ts") {
        mime_guess::mime::TEXT_PLAIN
    } else {
        guessed
    };
    if mime.type_() == mime_guess::mime::TEXT || mime.subtype().as_str().ends_with("javascript") {
        format!("{mime}; charset=utf-8")
    } else {
        mime.to_string()
    }
}

/// The text of a built file; `None` if it does not exist.
pub fn text(path: &str) -> Option<String> {
    built(path).map(|content| String::from_utf8_lossy(&content).into_owned())
}

/// A file below `dist/`, compressed if the browser accepts it; 304 if the browser has it already, and `None` if there
/// is no such file.
pub fn file(path: &str, headers: &HeaderMap, cache: &'static str) -> Option<Response> {
    let plain = BuiltFiles::get(path)?;
    let etag = format!("\"{}\"", hex(&plain.metadata.sha256_hash()[..16]));
    let response = if is_known(headers, &etag) {
        StatusCode::NOT_MODIFIED.into_response()
    } else {
        let (encoding, body) = encoded(path, plain, headers);
        let body = Body::from(match body {
            Cow::Borrowed(bytes) => axum::body::Bytes::from_static(bytes),
            Cow::Owned(bytes) => bytes.into(),
        });
        let encoding = encoding.map(|encoding| [(header::CONTENT_ENCODING, encoding)]);
        (encoding, body).into_response()
    };
    let mut response = with_file_headers(response, path, cache);
    let headers = response.headers_mut();
    if let Ok(etag) = HeaderValue::try_from(etag) {
        headers.insert(header::ETAG, etag);
    }
    headers.insert(header::VARY, HeaderValue::from_static("accept-encoding"));
    Some(response)
}

/// The smallest form of the file that exists and that the browser accepts.
fn encoded(
    path: &str,
    plain: EmbeddedFile,
    headers: &HeaderMap,
) -> (Option<&'static str>, Cow<'static, [u8]>) {
    for (encoding, ending) in [("br", "br"), ("gzip", "gz")] {
        if accepts(headers, encoding)
            && let Some(compressed) = BuiltFiles::get(&format!("{path}.{ending}"))
        {
            return (Some(encoding), compressed.data);
        }
    }
    (None, plain.data)
}

/// Whether `if-none-match` has this etag: in a list, weak or not, or as `*` (RFC 9110, 13.1.2).
pub fn is_known(headers: &HeaderMap, etag: &str) -> bool {
    let values = headers.get_all(header::IF_NONE_MATCH).iter();
    let mut tags = values
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .map(str::trim);
    // Our etags have no comma, so the parts of one that has do not match.
    tags.any(|tag| tag == "*" || tag.strip_prefix("W/").unwrap_or(tag) == etag)
}

/// Whether `accept-encoding` names `encoding` and does not refuse it with a weight of zero.
pub fn accepts(headers: &HeaderMap, encoding: &str) -> bool {
    let accepted = headers.get(header::ACCEPT_ENCODING);
    let accepted = accepted.and_then(|value| value.to_str().ok()).unwrap_or("");
    accepted.split(',').any(|part| {
        let mut words = part.split(';').map(str::trim);
        let refused = |word: &str| {
            word.strip_prefix("q=")
                .is_some_and(|q| q.parse::<f32>().is_ok_and(|q| q == 0.0))
        };
        words.next() == Some(encoding) && !words.any(refused)
    })
}

#[cfg(test)]
mod tests;
