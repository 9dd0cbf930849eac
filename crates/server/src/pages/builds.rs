//! What a page can ask about builds (docs/form.md#newer-builds): which one is the latest, the route rules of a build,
//! and the files of a build that is being replaced.

use std::sync::Arc;

use axum::Json;
use axum::extract::{RawQuery, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use page::{IMMUTABLE, Matcher, REVALIDATE, text_asset, text_assets};
use protocol::clock::Clock;
use serde::Serialize;
use store::{PageAsset, Store, StoreError};

use super::state::ServedPages;
use web::built_file::file;
use web::path_id::Named;

/// How long a build's files are kept after its last start, in milliseconds: 30 days.
const KEPT_MS: i64 = 30 * 24 * 60 * 60 * 1_000;

/// `GET /builds/latest.json`.
#[derive(Serialize)]
struct Latest<'a> {
    /// The build's id.
    id: &'a str,
    /// The application's version.
    version: &'a str,
}

/// `GET /builds/meta/{id}.json`.
#[derive(Serialize)]
struct Meta<'a> {
    /// The build's id.
    id: &'a str,
    /// The route rules, grouped by how they match.
    matcher: Matcher<'a>,
    /// Paths that were rendered at build time. There are none, because every page depends on its payload.
    prerendered: [&'a str; 0],
}

/// `GET /_payload.json`: the data of a page that was rendered at build time.
#[derive(Serialize)]
struct EmptyPayload<'a> {
    /// The build's id.
    id: &'a str,
    /// Always empty: no page is rendered at build time.
    data: [(); 0],
}

/// Stores this build's files in the database for all nodes, because pages of this build stay open after the next one is
/// installed.
pub(crate) async fn keep_assets(store: &Store, clock: &Clock) -> Result<(), StoreError> {
    let assets: Vec<_> = text_assets()
        .map(|(path, body)| PageAsset::new(path, body))
        .collect();
    let now = clock.now_ms();
    store.keep_page_assets(&assets, now, now - KEPT_MS).await
}

/// `GET /assets/{*path}`: a file of the page, of this build or of another one that may be open in a browser.
pub(crate) async fn page_asset(
    State(served): State<Arc<ServedPages>>,
    Named(path): Named<String>,
    headers: HeaderMap,
) -> Response {
    let response = file(&format!("page/assets/{path}"), &headers, IMMUTABLE);
    if response.status() != StatusCode::NOT_FOUND {
        return response;
    }
    match served.store.page_asset(&path).await {
        Ok(Some(asset)) if asset.is_unchanged() => text_asset(&path, asset.body, IMMUTABLE),
        Ok(Some(asset)) => {
            // Write access to the database must not give write access to pages.
            tracing::error!(
                asset.path,
                "a file of another build was changed in the database and is not served"
            );
            response
        }
        Ok(None) => response,
        Err(cause) => {
            tracing::error!(%cause, "a file of another build could not be looked up");
            StatusCode::SERVICE_UNAVAILABLE.into_response()
        }
    }
}

/// `GET /builds/latest.json?{timestamp}`: the build that a page gets when it is loaded now.
pub(crate) async fn latest_build(State(served): State<Arc<ServedPages>>) -> Response {
    let latest = Latest {
        id: current_id(&served),
        version: env!("CARGO_PKG_VERSION"),
    };
    with_cache_header(Json(latest), REVALIDATE)
}

/// `GET /builds/meta/{id}.json`: the build's route rules; 404 if this node has another build.
pub(crate) async fn build_meta(
    State(served): State<Arc<ServedPages>>,
    Named(name): Named<String>,
) -> Response {
    let id = current_id(&served);
    if name.strip_suffix(".json") != Some(id) {
        return build_not_found();
    }
    let meta = Meta {
        id,
        matcher: served.settings().route_rules.matcher(),
        prerendered: [],
    };
    // The rules are settings: the same build may have others after a restart.
    with_cache_header(Json(meta), REVALIDATE)
}

/// `GET /_payload.json?{id}`: the data of a page rendered at build time; 404 if this node has another build.
pub(crate) async fn build_payload(
    State(served): State<Arc<ServedPages>>,
    RawQuery(query): RawQuery,
) -> Response {
    let id = current_id(&served);
    if query.as_deref() != Some(id) {
        return build_not_found();
    }
    with_cache_header(Json(EmptyPayload { id, data: [] }), IMMUTABLE)
}

fn current_id(served: &ServedPages) -> &str {
    &served.pages.assets().build_id
}

fn build_not_found() -> Response {
    with_cache_header(StatusCode::NOT_FOUND, REVALIDATE)
}

fn with_cache_header(answer: impl IntoResponse, cache: &'static str) -> Response {
    let mut response = answer.into_response();
    let named: [(HeaderName, &'static str); 2] = [
        (header::CACHE_CONTROL, cache),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    ];
    for (name, value) in named {
        response
            .headers_mut()
            .insert(name, HeaderValue::from_static(value));
    }
    response
}
