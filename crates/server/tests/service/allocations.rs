//! The allocations of a page and of a charge, which are the same on every machine. More allocations than these limits
//! make pages and charges slower.

use std::cell::Cell;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};

use allocation_counter::{AllocationInfo, measure};
use axum::Router;
use axum::body::Body;
use axum::extract::{ConnectInfo, Request};
use axum::http::header;
use futures_util::StreamExt;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use server::service::routes::router;
use tokio::runtime::{Builder, Runtime};
use tower::ServiceExt;

use crate::world::{PARTNER_ID, World, card};

/// The most allocations of a page, without the connection.
const PAGE: Limit = Limit {
    allocations: 85,
    // Half of the bytes are the document itself.
    bytes: 37_000,
};
/// The most allocations of a charge with a new card, without the shopper's connection, but with both ends of the connection
/// to the simulator, which is in this process.
const CHARGE: Limit = Limit {
    // Four of them are for the story of the charge, six for the ids in the log. About fifty are for the card and the provider's
    // facts, which the charge and its events tell.
    allocations: 440,
    // About half of them are the buffers of the connection to the simulator.
    bytes: 90_000,
};
/// How many pages or charges are measured. The smallest result counts, because background tasks allocate, too.
const MEASURED: usize = 12;

#[derive(Debug)]
struct Limit {
    allocations: u64,
    bytes: u64,
}

impl Limit {
    #[track_caller]
    fn assert_holds(&self, taken: &[AllocationInfo]) {
        let least = taken.iter().min_by_key(|info| info.count_total).unwrap();
        assert!(
            least.count_total <= self.allocations && least.bytes_total <= self.bytes,
            "{} allocations and {} bytes, but {self:?}",
            least.count_total,
            least.bytes_total
        );
    }
}

/// Everything runs on the test's own thread, whose allocations are counted.
fn on_this_thread() -> Runtime {
    Builder::new_current_thread().enable_all().build().unwrap()
}

/// The status of the answer.
async fn answer(router: Router, mut request: Request) -> u16 {
    if request.extensions().get::<ConnectInfo<SocketAddr>>().is_none() {
        let client: SocketAddr = ([127, 0, 0, 1], 40_000).into();
        request.extensions_mut().insert(ConnectInfo(client));
    }
    let answer = router.oneshot(request).await.unwrap();
    let status = answer.status().as_u16();
    // Like a connection: piece by piece, and each piece is freed after it is sent.
    let mut body = answer.into_body().into_data_stream();
    while let Some(piece) = body.next().await {
        piece.unwrap();
    }
    status
}

fn taken(runtime: &Runtime, router: &Router, request: Request, status: u16) -> AllocationInfo {
    let router = router.clone();
    measure(|| assert_eq!(runtime.block_on(answer(router, request)), status))
}

#[test]
fn a_page_takes_no_more_memory_than_allowed() {
    PAGE.assert_holds(&pages("/en-US", ""));
}

#[test]
fn a_page_with_a_language_cookie_takes_no_more_memory() {
    // The last language of all.
    PAGE.assert_holds(&pages("/sk-SK", "; i18n_redirected=sk-SK"));
}

/// The allocations of pages at this path, for a visitor with these additional cookies.
fn pages(path: &str, cookies: &str) -> Vec<AllocationInfo> {
    let runtime = on_this_thread();
    let world = runtime.block_on(World::new());
    let router = router(&world.service.app);
    let page = |number| {
        let charge = runtime.block_on(world.charge());
        let request = Request::get(format!("{path}?payload={}", charge.payload))
            .header(
                header::COOKIE,
                format!("coda-cookie-id=visitor-{number}{cookies}"),
            )
            .body(Body::empty());
        taken(&runtime, &router, request.unwrap(), 200)
    };
    (0..MEASURED).map(page).collect()
}

#[test]
fn a_charge_takes_no_more_memory_than_allowed() {
    let runtime = on_this_thread();
    let world = runtime.block_on(World::new());
    let router = router(&world.service.app);
    let taken: Vec<_> = (0..MEASURED)
        .map(|_| {
            let charge = runtime.block_on(world.charge());
            let body = card(&charge, "4242424242424242").to_string();
            let request = Request::post("/v1/pub/direct/charges")
                .header(header::AUTHORIZATION, format!("Bearer {}", charge.client_secret))
                .header(header::CONTENT_TYPE, "application/json")
                .header("partner-id", PARTNER_ID)
                .header("idempotency-key", "press-1")
                .body(Body::from(body));
            self::taken(&runtime, &router, request.unwrap(), 201)
        })
        .collect();
    CHARGE.assert_holds(&taken);
}

/// How many bytes a request may allocate for each of its own, and how many any request may.
const BYTES_PER_BYTE: u64 = 16;
const BYTES_OF_ANY_REQUEST: u64 = 600_000;

/// Texts that cost a careless reader much more memory than they have bytes.
fn hostile(bytes: usize) -> Vec<String> {
    let fill = |unit: &str| unit.repeat(bytes / unit.len());
    let list = |unit: &str| format!("[{}1]", fill(unit));
    vec![
        fill("4242424242424241"),
        fill("4 2"),
        fill("%20"),
        fill("4242,"),
        list("0,"),
        list("[],"),
        list("{},"),
        format!("{{{}\"z\":1}}", fill("\"\":0,")),
        format!("{}1{}", "[".repeat(bytes / 2), "]".repeat(bytes / 2)),
        format!("\"{}\"", fill("\\u0041")),
    ]
}

/// The memory that an answer takes grows with the request's size only, and slowly.
#[track_caller]
fn assert_linear(world: (&Runtime, &Router), what: &str, bytes: usize, request: impl Fn() -> Request) {
    let (runtime, router) = world;
    // The first request may fill caches.
    for _ in 0..2 {
        measure(|| assert!(runtime.block_on(answer(router.clone(), request())) > 0));
    }
    let taken = measure(|| {
        let status = runtime.block_on(answer(router.clone(), request()));
        assert!(status < 500 && status != 429, "{status}");
    });
    let most = BYTES_OF_ANY_REQUEST + BYTES_PER_BYTE * bytes as u64;
    assert!(
        taken.bytes_total <= most,
        "{what:.60}: {} bytes for {bytes}",
        taken.bytes_total
    );
    assert!(
        taken.count_total <= 20_000 + bytes as u64 / 2,
        "{what:.60}: {}",
        taken.count_total
    );
}

#[test]
fn hostile_bodies_take_memory_in_proportion_to_their_size() {
    let runtime = on_this_thread();
    let world = runtime.block_on(World::new());
    let router = router(&world.service.app);
    let sent = Cell::new(0);
    let post = |path: &str, content_type: &str, body: &str| {
        // Each request is another client's, because the requests of one client are limited.
        sent.set(sent.get() + 1_u32);
        let client = SocketAddr::new(IpAddr::V4(Ipv4Addr::from_bits(0x0100_0000 + sent.get())), 40_000);
        Request::post(path)
            .extension(ConnectInfo(client))
            .header(header::CONTENT_TYPE, content_type)
            .body(Body::from(body.to_owned()))
            .unwrap()
    };
    for text in hostile(250_000) {
        let quoted = if text.starts_with(['[', '{', '"']) {
            text
        } else {
            format!("\"{text}\"")
        };
        for body in [
            format!("{{\"records\":[{{\"value\":{{\"title\":{quoted}}}}}]}}"),
            format!("{{\"records\":[{{\"value\":{{\"data\":{{\"a\":{quoted}}}}}}}]}}"),
            format!("{{\"records\":[{{\"value\":{quoted},\"key\":{quoted}}}]}}"),
            format!("{{\"records\":{quoted}}}"),
            quoted.clone(),
        ] {
            let kind = "application/vnd.kafka.json.v2+json";
            assert_linear((&runtime, &router), &body, body.len(), || {
                post("/topics/cardform-events", kind, &body)
            });
        }
    }
    for text in hostile(60_000) {
        let quoted = if text.starts_with(['[', '{', '"']) {
            text
        } else {
            format!("\"{text}\"")
        };
        for body in [
            format!("{{\"csp-report\":{quoted}}}"),
            format!("[{{\"body\":{quoted}}}]"),
            quoted.clone(),
        ] {
            assert_linear((&runtime, &router), &body, body.len(), || {
                post("/csp-reports", "application/csp-report", &body)
            });
        }
        let body = format!("{{\"charge_id\":{quoted}}}");
        assert_linear((&runtime, &router), &body, body.len(), || {
            post("/v1/pub/direct/charges", "application/json", &body)
        });
    }
}

#[test]
fn hostile_addresses_and_headers_take_memory_in_proportion_to_their_size() {
    let runtime = on_this_thread();
    let world = runtime.block_on(World::new());
    let router = router(&world.service.app);
    let charge = runtime.block_on(world.charge());
    for text in hostile(15_000) {
        let encoded = utf8_percent_encode(&text, NON_ALPHANUMERIC).to_string();
        let payload = &charge.payload;
        for query in [
            format!("payload={encoded}"),
            format!("payload={}", "CgQIAAgACAAI".repeat(1_250)),
            format!("payload={payload}&options={encoded}"),
            format!("payload={payload}&options={{%22features%22:{encoded}}}"),
            format!("payload={payload}&customStyle={encoded}"),
            format!("payload={payload}&customStyle={{%22children%22:{{%22cardForm%22:{encoded}}}}}"),
            format!("payload={payload}{}", "&options".repeat(3_000)),
        ] {
            assert_linear((&runtime, &router), &query, query.len(), || {
                Request::get(format!("/en-US?{query}"))
                    .body(Body::empty())
                    .unwrap()
            });
        }
        for name in [
            "accept-language",
            "cookie",
            "authorization",
            "if-none-match",
            "x-forwarded-for",
            "traceparent",
            "referer",
        ] {
            assert_linear((&runtime, &router), name, text.len(), || {
                let get = Request::get(format!("/?payload={payload}"));
                get.header(name, &text).body(Body::empty()).unwrap()
            });
        }
    }
}
