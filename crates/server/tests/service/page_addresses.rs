//! The addresses of the page over plain HTTP: every locale strategy, redirects, rules and builds.

use std::collections::BTreeMap;
use std::io::Read;

use flate2::read::GzDecoder;
use page::RouteRule;
use reqwest::header::{
    ACCEPT_ENCODING, ACCEPT_LANGUAGE, CACHE_CONTROL, CONTENT_ENCODING, COOKIE, LOCATION, SET_COOKIE, VARY,
};
use reqwest::redirect::Policy;
use reqwest::{Client, Method, Response};
use serde_json::Value;
use server::config::Settings;
use store::PageAsset;

use crate::world::World;

/// A browser that follows no redirect.
pub(crate) struct PageReader {
    pub(crate) world: World,
    http: Client,
    payload: String,
}

pub(crate) struct Seen {
    pub(crate) status: u16,
    location: String,
    /// The language cookie with its attributes; empty if it is not set.
    cookie: String,
    pub(crate) body: String,
}

impl Seen {
    /// The document's language.
    pub(crate) fn lang(&self) -> &str {
        let (_, rest) = self.body.split_once("<html lang=\"").unwrap_or_default();
        rest.split_once('"').unwrap_or_default().0
    }
}

impl PageReader {
    pub(crate) async fn of(change: impl FnOnce(&mut Settings)) -> Self {
        let world = World::with(change).await;
        let http = Client::builder()
            .no_proxy()
            .redirect(Policy::none())
            .build()
            .unwrap();
        let payload = world.charge().await.payload;
        Self { world, http, payload }
    }

    async fn strategy(name: &str) -> Self {
        Self::of(|settings| settings.locale_strategy = Some(name.into())).await
    }

    pub(crate) async fn answer(
        &self,
        path: &str,
        headers: &[(reqwest::header::HeaderName, &str)],
    ) -> Response {
        let mut request = self.http.request(Method::GET, self.world.url(path));
        for (name, value) in headers {
            request = request.header(name, *value);
        }
        request.send().await.unwrap()
    }

    pub(crate) async fn sees(&self, path: &str, headers: &[(reqwest::header::HeaderName, &str)]) -> Seen {
        let answer = self.answer(path, headers).await;
        let text = |name| {
            let value: Option<&reqwest::header::HeaderValue> = answer.headers().get(name);
            value.map_or(String::new(), |value| value.to_str().unwrap().to_owned())
        };
        Seen {
            status: answer.status().as_u16(),
            location: text(LOCATION),
            cookie: language_cookie(&answer),
            body: answer.text().await.unwrap(),
        }
    }

    /// The form's address at `path`.
    pub(crate) fn form(&self, path: &str) -> String {
        format!("{path}?payload={}", self.payload)
    }
}

fn language_cookie(answer: &Response) -> String {
    let all = answer.headers().get_all(SET_COOKIE).iter();
    let mut texts = all.map(|cookie| cookie.to_str().unwrap());
    let kept = texts.find(|cookie| cookie.starts_with("i18n_redirected="));
    kept.unwrap_or_default().to_owned()
}

pub(crate) const THAI: &[(reqwest::header::HeaderName, &str)] = &[(ACCEPT_LANGUAGE, "th,en;q=0.5")];
const A_YEAR: &str = "Path=/; Max-Age=31536000; SameSite=Lax";

#[tokio::test]
async fn with_prefixes_and_a_root_every_address_shows_the_form() {
    let reader = PageReader::strategy("prefix_and_default").await;
    let root = reader.sees(&reader.form("/"), THAI).await;
    assert_eq!(
        (root.status, root.lang(), root.cookie.as_str()),
        (200, "th-TH", "")
    );
    // An address is a choice that the next visit of the root uses.
    let german = reader.sees(&reader.form("/de-DE"), THAI).await;
    assert_eq!((german.status, german.lang()), (200, "de-DE"));
    assert_eq!(german.cookie, format!("i18n_redirected=de-DE; {A_YEAR}"));
    let remembered = [(COOKIE, "i18n_redirected=de-DE"), THAI[0].clone()];
    let again = reader.sees(&reader.form("/"), &remembered).await;
    assert_eq!((again.lang(), again.cookie.as_str()), ("de-DE", ""));
    assert_eq!(reader.sees(&reader.form("/en-US"), &[]).await.status, 200);
}

#[tokio::test]
async fn without_prefixes_there_is_one_address() {
    let reader = PageReader::strategy("no_prefix").await;
    let root = reader.sees(&reader.form("/"), THAI).await;
    assert_eq!(
        (root.status, root.lang(), root.cookie.as_str()),
        (200, "th-TH", "")
    );
    assert_eq!(reader.sees(&reader.form("/th-TH"), &[]).await.status, 404);
}

#[tokio::test]
async fn with_prefixes_the_root_redirects_to_the_readers_language() {
    let reader = PageReader::strategy("prefix").await;
    let root = reader.sees(&reader.form("/"), THAI).await;
    assert_eq!((root.status, root.location.clone()), (302, reader.form("/th-TH")));
    assert_eq!(root.cookie, format!("i18n_redirected=th-TH; {A_YEAR}"));
    assert_eq!(reader.sees(&root.location, &[]).await.lang(), "th-TH");
    // The merchant's option comes before the browser's list.
    let wish = format!("{}&options=%7B%22locale%22%3A%22fr-FR%22%7D", reader.form("/"));
    let french = reader.sees(&wish, THAI).await;
    assert_eq!(french.location, wish.replacen('/', "/fr-FR", 1));
    assert_eq!(
        reader.sees(&reader.form("/"), &[]).await.location,
        reader.form("/en-US")
    );
}

#[tokio::test]
async fn with_prefixes_except_default_the_root_is_the_default_language() {
    let reader = PageReader::strategy("prefix_except_default").await;
    let english = reader.sees(&reader.form("/"), &[]).await;
    assert_eq!((english.status, english.lang()), (200, "en-US"));
    assert_eq!(
        reader.sees(&reader.form("/"), THAI).await.location,
        reader.form("/th-TH")
    );
    assert_eq!(reader.sees(&reader.form("/th-TH"), &[]).await.lang(), "th-TH");
    assert_eq!(reader.sees(&reader.form("/en-US"), &[]).await.status, 404);
    let chose_english = [(COOKIE, "i18n_redirected=en-US"), THAI[0].clone()];
    assert_eq!(reader.sees(&reader.form("/"), &chose_english).await.status, 200);
}

#[tokio::test]
async fn an_address_of_another_country_redirects_to_the_nearest_locale() {
    let reader = PageReader::strategy("prefix_and_default").await;
    for (path, to) in [
        ("/fr-CA", "/fr-FR"),
        ("/fil-PH", "/tl-PH"),
        ("/zh-MO", "/zh-HK"),
        ("/es_MX", "/es-CO"),
    ] {
        let seen = reader.sees(&reader.form(path), THAI).await;
        assert_eq!((seen.status, seen.location), (302, reader.form(to)), "{path}");
        assert_eq!(
            seen.cookie,
            format!("i18n_redirected={}; {A_YEAR}", &to[1..]),
            "{path}"
        );
    }
    for path in ["/ku-TR", "/xx-XX", "/my-shop", "/fr-CA/more"] {
        assert_eq!(reader.sees(&reader.form(path), &[]).await.status, 404, "{path}");
    }
    let reader = PageReader::strategy("no_prefix").await;
    assert_eq!(reader.sees(&reader.form("/fr-CA"), &[]).await.status, 404);
}

#[tokio::test]
async fn the_page_learns_of_a_locale_option_without_texts() {
    let reader = PageReader::strategy("prefix_and_default").await;
    for (locale, lang, unknown) in [
        ("es-MX", "es-CO", false),
        ("fr_FR", "fr-FR", false),
        ("ku-TR", "th-TH", true),
    ] {
        let address = format!("{}&options=%7B%22locale%22%3A%22{locale}%22%7D", reader.form("/"));
        let seen = reader.sees(&address, THAI).await;
        assert_eq!((seen.status, seen.lang()), (200, lang), "{locale}");
        let told = seen.body.contains(&format!("\"locale_is_unknown\":{unknown}"));
        assert!(told, "{locale}");
    }
}

#[tokio::test]
async fn the_root_redirect_and_cross_site_cookie_are_configurable() {
    let reader = PageReader::of(|settings| {
        settings.root_redirect = Some("/ja-JP".into());
        settings.root_redirect_status = Some(308);
        settings.locale_cookie_cross_origin = Some(true);
    })
    .await;
    let root = reader.answer(&reader.form("/"), THAI).await;
    assert_eq!(root.status(), 308);
    assert_eq!(root.headers()[LOCATION], reader.form("/ja-JP"));
    assert_eq!(root.headers()[CACHE_CONTROL], "no-store");
    assert_eq!(root.headers()[VARY], "accept-language, cookie");
    assert_eq!(
        root.headers()[SET_COOKIE],
        "i18n_redirected=ja-JP; Path=/; Max-Age=31536000; SameSite=None; Secure; Partitioned"
    );
}

#[tokio::test]
async fn the_language_cookie_is_secure_over_https() {
    let reader = PageReader::of(|settings| settings.public_url = Some("https://pay.example".into())).await;
    let german = reader.sees(&reader.form("/de-DE"), THAI).await;
    assert_eq!(german.cookie, format!("i18n_redirected=de-DE; {A_YEAR}; Secure"));
    // The page, which also sets the cookie, gets the same attributes.
    assert!(
        german
            .body
            .contains(&format!("\"locale_cookie\":\"{A_YEAR}; Secure\""))
    );
}

#[tokio::test]
async fn a_gzip_document_is_the_same_and_much_smaller() {
    let reader = PageReader::of(|_| ()).await;
    // The same shopper each time, because another shopper's page has another cookie id.
    let shopper = (COOKIE, "coda-cookie-id=c-1");
    let plain = reader
        .answer(&reader.form("/de-DE"), std::slice::from_ref(&shopper))
        .await;
    assert!(!plain.headers().contains_key(CONTENT_ENCODING));
    assert!(
        plain.headers()[VARY]
            .to_str()
            .unwrap()
            .contains("accept-encoding")
    );
    let plain = plain.text().await.unwrap();
    let asked = [(ACCEPT_ENCODING, "br, gzip;q=0.8"), shopper.clone()];
    let packed = reader.answer(&reader.form("/de-DE"), &asked).await;
    assert_eq!(packed.headers()[CONTENT_ENCODING], "gzip");
    let packed = packed.bytes().await.unwrap();
    // What is a request's own is not packed.
    assert!(packed.len() * 3 < plain.len() * 2, "{}", packed.len());
    assert!(packed.len() < 6_000, "{}", packed.len());
    let mut unpacked = String::new();
    GzDecoder::new(&*packed).read_to_string(&mut unpacked).unwrap();
    assert_eq!(unpacked, plain);
    let refused = [(ACCEPT_ENCODING, "gzip;q=0"), shopper];
    let refused = reader.answer(&reader.form("/de-DE"), &refused).await;
    assert_eq!(refused.text().await.unwrap(), plain);
}

#[tokio::test]
async fn a_root_without_languages_sets_no_language_cookie() {
    let reader = PageReader::of(|settings| settings.root_redirect = Some("/checkout".into())).await;
    let root = reader.sees(&reader.form("/"), THAI).await;
    assert_eq!((root.status, root.location), (302, reader.form("/checkout")));
    assert_eq!(root.cookie, "");
}

fn rule(redirect: &str, external: bool) -> RouteRule {
    RouteRule {
        redirect: redirect.into(),
        status: 301,
        external,
    }
}

#[tokio::test]
async fn redirect_rules_do_not_send_the_payload_to_other_sites() {
    let reader = PageReader::of(|settings| {
        settings.route_rules = BTreeMap::from([
            ("/checkout/**".into(), rule("/", false)),
            ("/help".into(), rule("https://help.example/", true)),
        ]);
    })
    .await;
    let internal = reader.sees(&reader.form("/checkout/old"), &[]).await;
    assert_eq!((internal.status, internal.location), (301, reader.form("/")));
    let external = reader.sees(&reader.form("/help"), &[]).await;
    assert_eq!(
        (external.status, external.location.as_str()),
        (301, "https://help.example/")
    );
    let latest: Value = reader
        .answer("/builds/latest.json?1", &[])
        .await
        .json()
        .await
        .unwrap();
    let id = latest["id"].as_str().unwrap();
    let meta = reader.answer(&format!("/builds/meta/{id}.json"), &[]).await;
    let meta: Value = meta.json().await.unwrap();
    assert_eq!(meta["id"], id);
    assert_eq!(meta["matcher"]["wildcard"]["/checkout"]["redirect"], "/");
    assert_eq!(meta["matcher"]["static"]["/help"]["external"], true);
    assert_eq!(meta["prerendered"], Value::Array(Vec::new()));
}

#[tokio::test]
async fn files_of_an_earlier_build_are_still_served() {
    let reader = PageReader::of(|_| ()).await;
    let latest = reader.answer("/builds/latest.json", &[]).await;
    assert_eq!(latest.headers()[CACHE_CONTROL], "public, no-cache");
    let latest: Value = latest.json().await.unwrap();
    assert_eq!(latest["version"], env!("CARGO_PKG_VERSION"));
    let id = latest["id"].as_str().unwrap();
    let payload = reader.answer(&format!("/_payload.json?{id}"), &[]).await;
    assert_eq!(payload.json::<Value>().await.unwrap()["id"], id);
    for path in [
        "/_payload.json",
        "/_payload.json?other",
        "/builds/meta/other.json",
        "/builds/meta/.json",
    ] {
        assert_eq!(reader.sees(path, &[]).await.status, 404, "{path}");
    }

    let asset = PageAsset::new("challenge-0ldHash1.js".into(), "export const old = true;".into());
    let store = &reader.world.service.app.store;
    let now = reader.world.clock.now_ms();
    store.keep_page_assets(&[asset], now, 0).await.unwrap();
    let old = reader.answer("/assets/challenge-0ldHash1.js", &[]).await;
    assert_eq!(old.status(), 200);
    assert_eq!(old.headers()["content-type"], "text/javascript; charset=utf-8");
    assert!(
        old.headers()[CACHE_CONTROL]
            .to_str()
            .unwrap()
            .contains("immutable")
    );
    assert_eq!(old.text().await.unwrap(), "export const old = true;");

    // A file that was changed in the database is not served.
    let mut changed = PageAsset::new("challenge-0ldHash1.js".into(), "export const old = true;".into());
    changed.body = "fetch('https://evil.example')".into();
    store.keep_page_assets(&[changed], now, 0).await.unwrap();
    let changed = reader.answer("/assets/challenge-0ldHash1.js", &[]).await;
    assert_eq!(changed.status(), 404);

    // This build's own files are stored for the nodes of other builds.
    let form = reader.sees(&reader.form("/"), &[]).await.body;
    let (_, script) = form.split_once("src=\"/assets/").unwrap();
    let script = script.split_once('"').unwrap().0;
    assert!(store.page_asset(script).await.unwrap().is_some(), "{script}");
    // A build that was not started for a long time is deleted.
    store.keep_page_assets(&[], now, now + 1).await.unwrap();
    assert_eq!(
        reader.sees("/assets/challenge-0ldHash1.js", &[]).await.status,
        404
    );
}
