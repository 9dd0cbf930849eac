//! How much memory is taken from the allocator for a page and for a charge, on every machine the same. More than these
//! limits makes each of them slower.

use std::net::SocketAddr;

use allocation_counter::{AllocationInfo, measure};
use axum::Router;
use axum::body::Body;
use axum::extract::{ConnectInfo, Request};
use axum::http::header;
use futures_util::StreamExt;
use server::service::routes::router;
use tokio::runtime::{Builder, Runtime};
use tower::ServiceExt;

use crate::world::{PARTNER_ID, World, card};

/// What a page may take, without the connection.
const PAGE: Limit = Limit {
    // About thirty of them are names of columns: the database's rows are read by name.
    allocations: 115,
    // Half of the bytes are the document itself.
    bytes: 37_000,
};
/// What a charge may take with a new card, without the connection, but with the provider's side of the payment.
const CHARGE: Limit = Limit {
    // About two hundred of them are names of columns, four are for the story of the charge, six for the ids in the log.
    allocations: 550,
    bytes: 90_000,
};
/// How many are measured. The one that took least counts, because background tasks take memory, too.
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
    let client: SocketAddr = ([127, 0, 0, 1], 40_000).into();
    request.extensions_mut().insert(ConnectInfo(client));
    let answer = router.oneshot(request).await.unwrap();
    let status = answer.status().as_u16();
    // As a connection takes it: piece by piece, each gone when it is sent.
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
fn a_page_with_a_kept_language_takes_no_more_memory_either() {
    // The last one of all languages.
    PAGE.assert_holds(&pages("/sk-SK", "; i18n_redirected=sk-SK"));
}

/// What pages at this path take, for a visitor who has these cookies, too.
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
