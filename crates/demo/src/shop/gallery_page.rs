//! `GET /demo/gallery`: the components of the form's page in every state, for people and for the visual tests. Also the
//! service's report on a theme, for the theme playground.

use axum::Json;
use axum::extract::RawQuery;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{Html, IntoResponse, Response};
use page::{FormQuery, HostBackground, IMMUTABLE, Theme, ThemeContext, style_source, text};
use protocol::ColorMode;
use serde::Deserialize;

use super::shop_page::with_policy;
use web::Named;
use web::built_file::file;

/// The theme's style sheet is inserted before this text: after the page's own, as on the page itself.
const THEME_PLACE: &str = "</head>";

/// Which page the gallery shows.
#[derive(Debug, Default, Deserialize)]
struct GalleryOptions {
    /// Whether it is the payment page, whose theme differs from that of a form in a merchant's page.
    #[serde(default)]
    standalone: bool,
}

/// The gallery, under the theme of `?customStyle=` and with the contrast option on.
pub(super) async fn gallery_page(RawQuery(query): RawQuery) -> Response {
    let query = query.as_deref().unwrap_or("");
    let GalleryOptions { standalone } = serde_urlencoded::from_str(query).unwrap_or_default();
    let query = FormQuery::read(query);
    let Some(document) = text("gallery/gallery.html") else {
        return StatusCode::NOT_FOUND.into_response();
    };
    let Theme { sheet, .. } = read_theme(&query, standalone, ColorMode::System);
    let html = document.replace(THEME_PLACE, &format!("<style>{sheet}</style></head>"));
    let policy = format!(
        "default-src 'none'; script-src 'self'; style-src {}; img-src 'self' data:; connect-src 'self'; frame-src 'self'; base-uri 'none'; \
         form-action 'none'; frame-ancestors 'self'",
        style_source(&sheet)
    );
    with_policy(Html(html).into_response(), &policy)
}

/// Which theme report is asked for.
#[derive(Debug, Deserialize)]
struct ReportOptions {
    mode: ColorMode,
}

/// `GET /demo/theme-report`: the invalid values in the theme of `?customStyle=`, and its colors that are repaired in the
/// color mode of `?mode=`.
pub(super) async fn theme_report(RawQuery(query): RawQuery) -> Result<Response, StatusCode> {
    let query = query.as_deref().unwrap_or("");
    let ReportOptions { mode } = serde_urlencoded::from_str(query).map_err(|_| StatusCode::BAD_REQUEST)?;
    Ok(Json(read_theme(&FormQuery::read(query), false, mode).report).into_response())
}

/// The theme of a query, with the contrast option on.
fn read_theme(query: &FormQuery, standalone: bool, color_mode: ColorMode) -> Theme {
    let setting = ThemeContext {
        standalone,
        redesign: true,
        repairs_contrast: true,
        color_mode,
        host: HostBackground::Unknown,
    };
    Theme::read(&query.custom_style, setting, &[])
}

/// A file of the gallery.
pub(super) async fn gallery_asset(Named(path): Named<String>, headers: HeaderMap) -> Response {
    file(&format!("gallery/assets/{path}"), &headers, IMMUTABLE)
}
