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
use server::service::housekeeping::delete_old_data;
use store::PageAsset;
use vault::KeyRing;

use crate::cards::ring;
use crate::other_program::OtherProgram;
use crate::process::run;
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
const DAY_MS: i64 = 86_400_000;
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
    // The merchant's option is preferred to the browser's list.
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
        let told = seen.body.contains("no texts for the locale of the options");
        assert_eq!(told, unknown, "{locale}");
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
    // Data of the request itself are not compressed.
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
    let policy = old.headers()["content-security-policy"].to_str().unwrap();
    assert!(
        policy.contains("sandbox") && policy.contains("default-src 'none'"),
        "{policy}"
    );
    assert_eq!(old.headers()["x-content-type-options"], "nosniff");
    assert_eq!(old.text().await.unwrap(), "export const old = true;");

    // The database holds no pages.
    for name in ["page-0ldHash1.html", "page-0ldHash1.xhtml", "page-0ldHash1"] {
        let page = PageAsset::new(name.into(), "<script>alert(1)</script>".into());
        store.keep_page_assets(&[page], now, 0).await.unwrap();
        let path = format!("/assets/{name}");
        assert_eq!(reader.answer(&path, &[]).await.status(), 404, "{name}");
    }

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
    // A build that runs keeps its files. One that did not run for 30 days is deleted.
    reader.world.clock.advance_ms(31 * DAY_MS);
    delete_old_data(&reader.world.service.app).await.unwrap();
    let now = reader.world.clock.now_ms();
    store.keep_page_assets(&[], now, now - 30 * DAY_MS).await.unwrap();
    assert!(store.page_asset(script).await.unwrap().is_some(), "{script}");
    assert_eq!(
        reader.sees("/assets/challenge-0ldHash1.js", &[]).await.status,
        404
    );
}

/// The MAC of a file by a service with this key.
fn mac_of(key: &str, asset: &PageAsset) -> String {
    let ring = KeyRing::parse(key).unwrap();
    let wrapped = ring
        .wrap_secret("page file", &asset.path, asset.sha256.as_bytes())
        .unwrap();
    format!("{}:{}", wrapped.key_id, wrapped.text)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn with_a_vault_only_files_that_a_service_stored_are_served() {
    let dir = tempfile::tempdir().unwrap();
    let keys = dir.path().join("keys");
    let (first, second) = (ring("first"), ring("second"));
    std::fs::write(&keys, &first).unwrap();
    let world = World::with(|settings| settings.vault_key_file = Some(keys.clone())).await;
    let store = &world.service.app.store;
    let status = async |path: &str| {
        let request = world.http.get(world.url(&format!("/assets/{path}")));
        request.send().await.unwrap().status()
    };
    // A file that the service stored, under a name that its build does not have.
    let files = OtherProgram::connect(world.database()).await;
    let file = "SELECT path FROM page_assets WHERE path LIKE 'late-views%'";
    let rename = |to: &str| format!("UPDATE page_assets SET path = '{to}' WHERE path IN ({file})");
    files.run(&rename("late-views-moved.js")).await.unwrap();
    assert_eq!(
        status("late-views-moved.js").await,
        404,
        "its MAC is of another name"
    );

    let mut planted = PageAsset::new("planted.js".into(), "fetch('https://evil.example')".into());
    let now = world.clock.now_ms();
    for mac in ["", "first:", "none:AAAA", "first:AAAA"] {
        planted.mac = mac.into();
        store.keep_page_assets(&[planted.clone()], now, 0).await.unwrap();
        assert_eq!(status("planted.js").await, 404, "{mac}");
    }
    planted.mac = mac_of(&ring("first"), &planted);
    store.keep_page_assets(&[planted.clone()], now, 0).await.unwrap();
    assert_eq!(status("planted.js").await, 404, "another vault's key");

    planted.mac = mac_of(&first, &planted);
    store.keep_page_assets(&[planted.clone()], now, 0).await.unwrap();
    assert_eq!(status("planted.js").await, 200, "the service's own");
    std::fs::write(&keys, format!("{second}\n{first}\n")).unwrap();
    assert_eq!(status("planted.js").await, 200, "its key is in the ring");
    let file = keys.display().to_string();
    let rotate = [
        "key",
        "rotate",
        "--database",
        world.database(),
        "--vault-key-file",
        &file,
    ];
    assert!(run(world.dir.path(), &rotate).status.success());
    std::fs::write(&keys, &second).unwrap();
    assert_eq!(status("planted.js").await, 200, "it is wrapped by the other key");
    planted.mac = mac_of(&second, &planted);
    planted.body.push(' ');
    store.keep_page_assets(&[planted], now, 0).await.unwrap();
    assert_eq!(status("planted.js").await, 404, "another content");
}
