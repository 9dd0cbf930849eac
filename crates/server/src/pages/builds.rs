//! Answers about builds of the page (docs/form.md#newer-builds): the latest build, the route rules of a build, and the
//! files of a build that is being replaced.

use std::sync::Arc;

use axum::Json;
use axum::extract::{RawQuery, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use page::{IMMUTABLE, REVALIDATE, text_asset, text_assets};
use protocol::clock::Clock;
use serde_json::json;
use store::{PageAsset, Store, StoreError};
use vault::{KeyRing, WrappedSecret};

use super::state::ServedPages;
use merchants::keys::card_vault::CardVault;
use web::Named;
use web::built_file::file;

/// How long a build's files are kept after they were last stored, in milliseconds: 30 days.
const KEPT_MS: i64 = 30 * 24 * 60 * 60 * 1_000;

/// The purpose to which the ring binds a file's hash.
const PURPOSE: &str = "page file";

/// Stores this build's files in the database for all nodes, because pages of this build stay open after the next one is
/// installed. Those that were stored since `known_since` are not stored again. With a vault each has a MAC: write access to
/// the database must not give write access to pages.
pub(crate) async fn keep_assets(
    store: &Store,
    vault: Option<&CardVault>,
    clock: &Clock,
    known_since: i64,
) -> Result<(), StoreError> {
    let ring = vault.map(CardVault::ring);
    let known = store.page_assets_since(known_since).await?;
    let assets: Vec<_> = text_assets()
        .filter(|(path, _)| !known.contains(path))
        .map(|(path, body)| {
            let mut asset = PageAsset::new(path, body);
            asset.mac = ring
                .as_deref()
                .map_or_else(String::new, |ring| mac(ring, &asset).unwrap_or_default());
            asset
        })
        .collect();
    let now = clock.now_ms();
    store.keep_page_assets(&assets, now, now - KEPT_MS).await
}

/// Gives the files of every build a MAC of the active key, so that the other keys can be removed.
pub(crate) async fn rewrap_assets(store: &Store, ring: &KeyRing, now: i64) -> Result<(), StoreError> {
    let mut assets = store.page_assets().await?;
    assets.retain(|asset| is_genuine(Some(ring), asset));
    for asset in &mut assets {
        asset.mac = mac(ring, asset).unwrap_or_default();
    }
    store.keep_page_assets(&assets, now, 0).await
}

/// The file's hash, wrapped for the file's path: `key:wrapped`.
fn mac(ring: &KeyRing, asset: &PageAsset) -> Option<String> {
    let wrapped = ring.wrap_secret(PURPOSE, &asset.path, asset.sha256.as_bytes());
    wrapped
        .ok()
        .map(|wrapped| format!("{}:{}", wrapped.key_id, wrapped.text))
}

/// Whether the file is as a service with this ring has stored it; without a ring, whether it has its own hash.
fn is_genuine(ring: Option<&KeyRing>, asset: &PageAsset) -> bool {
    let has_mac = |ring: &KeyRing| {
        let (key_id, text) = asset.mac.split_once(':')?;
        let wrapped = WrappedSecret {
            key_id: key_id.to_owned(),
            text: text.to_owned(),
        };
        let hash = ring.unwrap_secret(PURPOSE, &asset.path, &wrapped).ok()?;
        (*hash == asset.sha256.as_bytes()).then_some(())
    };
    asset.is_unchanged() && ring.is_none_or(|ring| has_mac(ring).is_some())
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
    let vault = served.charges.saved_cards.vault.as_deref();
    let ring = vault.map(CardVault::ring);
    match served.store.page_asset(&path).await {
        Ok(Some(asset)) if is_genuine(ring.as_deref(), &asset) => {
            text_asset(&path, asset.body, IMMUTABLE).unwrap_or(response)
        }
        Ok(Some(asset)) => {
            tracing::error!(
                asset.path,
                "a file of another build in the database is not as a service with this vault's keys stored it, and is not \
                 served"
            );
            response
        }
        Ok(None) => response,
        Err(cause) => {
            tracing::error!(%cause, "a file of another build could not be read from the database");
            StatusCode::SERVICE_UNAVAILABLE.into_response()
        }
    }
}

/// `GET /builds/latest.json?{timestamp}`: the build that a page gets when it is loaded now.
pub(crate) async fn latest_build(State(served): State<Arc<ServedPages>>) -> Response {
    let latest = json!({ "id": current_id(&served), "version": env!("CARGO_PKG_VERSION") });
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
    let matcher = served.settings().route_rules.matcher();
    // No page is rendered at build time, because every page depends on its payload.
    let meta = json!({ "id": id, "matcher": matcher, "prerendered": [] });
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
    with_cache_header(Json(json!({ "id": id, "data": [] })), IMMUTABLE)
}

fn current_id(served: &ServedPages) -> &str {
    &served.pages.assets().build_id
}

fn build_not_found() -> Response {
    with_cache_header(StatusCode::NOT_FOUND, REVALIDATE)
}

fn with_cache_header(answer: impl IntoResponse, cache: &'static str) -> Response {
    let headers = [
        (header::CACHE_CONTROL, cache),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    ];
    (headers, answer).into_response()
}
