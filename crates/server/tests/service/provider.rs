//! The simulator on its own port, with a connection that a test can interrupt.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::extract::{Request, State};
use axum::http::{Method, StatusCode};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use demo::simulator::{Simulator, router};
use protocol::clock::Clock;
use providers::Provider;
use providers::simulator::SimulatorConnector;
use providers::simulator::payment::PaymentOutcome;
use tokio::sync::watch;
use url::Url;
use web::{Listening, TimeLimits, bind};

use crate::waiting::in_time;

/// How the connection treats payments, refunds, captures and releases.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LinkState {
    /// Passes everything on.
    Works,
    /// Passes the payment on, and the answer only when it works again.
    HoldsAnswers,
    /// Passes the payment on, and answers like a broken proxy.
    GarblesAnswers,
    /// Passes the payment on only when it works again.
    HoldsPayments,
    /// Passes everything on, but answers to lookups only when it works again.
    HoldsLookups,
    /// Passes no payment on, and answers like a broken proxy.
    LosesPayments,
    /// Passes nothing on, and answers with a proxy's error.
    Down,
}

/// A provider with the connector to the simulator at this address.
pub(crate) fn simulator_at(url: &Url) -> Provider {
    let connector = SimulatorConnector::new(url, url).unwrap();
    Provider::new(Box::new(connector), |_, _| None)
}

/// A provider for one test.
pub(crate) struct TestProvider {
    pub(crate) simulator: Arc<Simulator>,
    pub(crate) url: String,
    link: watch::Sender<LinkState>,
    arrived: Arc<watch::Sender<usize>>,
    lookups: Arc<AtomicUsize>,
    traces: Arc<Mutex<Vec<String>>>,
    _listening: Listening,
}

#[derive(Clone)]
struct TestLink {
    link: watch::Receiver<LinkState>,
    arrived: Arc<watch::Sender<usize>>,
    lookups: Arc<AtomicUsize>,
    traces: Arc<Mutex<Vec<String>>>,
}

impl TestProvider {
    pub(crate) async fn start(clock: &Clock) -> Self {
        let listener = bind(SocketAddr::from(([127, 0, 0, 1], 0))).await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let simulator = Simulator::open(None, Duration::ZERO, clock.clone(), url.clone()).unwrap();
        let simulator = Arc::new(simulator);
        let (link, carried) = watch::channel(LinkState::Works);
        let arrived = Arc::new(watch::channel(0).0);
        let lookups = Arc::new(AtomicUsize::new(0));
        let traces = Arc::new(Mutex::default());
        let tap = TestLink {
            link: carried,
            arrived: Arc::clone(&arrived),
            lookups: Arc::clone(&lookups),
            traces: Arc::clone(&traces),
        };
        let served = router(Arc::clone(&simulator)).layer(from_fn_with_state(tap, carry));
        Self {
            simulator,
            url,
            link,
            arrived,
            lookups,
            traces,
            _listening: Listening::serve(listener, None, served, TimeLimits::default()),
        }
    }

    pub(crate) fn set(&self, link: LinkState) {
        self.link.send_replace(link);
    }

    /// Waits until this many payments and operations have arrived at the connection.
    pub(crate) async fn arrived(&self, payments: usize) {
        let mut arrived = self.arrived.subscribe();
        let enough = arrived.wait_for(|count| *count >= payments);
        in_time(format!("{payments} payments arrive at the provider"), enough)
            .await
            .unwrap();
    }

    /// How many payments and operations have arrived at the connection, including lost ones.
    pub(crate) fn asked(&self) -> usize {
        *self.arrived.borrow()
    }

    /// How often a payment was looked up.
    pub(crate) fn lookups(&self) -> usize {
        self.lookups.load(Ordering::Relaxed)
    }

    /// The `traceparent` of every call that had one.
    pub(crate) fn traces(&self) -> Vec<String> {
        self.traces.lock().unwrap().clone()
    }

    pub(crate) fn approvals(&self) -> usize {
        self.outcomes()
            .iter()
            .filter(|outcome| **outcome == PaymentOutcome::Approved)
            .count()
    }

    pub(crate) fn outcomes(&self) -> Vec<PaymentOutcome> {
        self.simulator
            .ledger
            .entries()
            .iter()
            .map(|entry| entry.outcome)
            .collect()
    }
}

async fn carry(State(mut tap): State<TestLink>, request: Request, next: Next) -> Response {
    let link = *tap.link.borrow();
    let proxy_error = || (StatusCode::NOT_FOUND, "<h1>no such page</h1>").into_response();
    let broken_proxy = || (StatusCode::BAD_GATEWAY, "<h1>bad gateway</h1>").into_response();
    let path = request.uri().path();
    let moves_money = path == "/v1/payments"
        || ["/refunds", "/capture", "/release"]
            .iter()
            .any(|end| path.ends_with(end));
    let is_payment = request.method() == Method::POST && moves_money;
    if let Some(trace) = request.headers().get("traceparent") {
        let trace = trace.to_str().unwrap().to_owned();
        tap.traces.lock().unwrap().push(trace);
    }
    if request.method() == Method::GET {
        tap.lookups.fetch_add(1, Ordering::Relaxed);
    }
    if !is_payment {
        if link == LinkState::HoldsLookups {
            tap.link.wait_for(|link| *link == LinkState::Works).await.unwrap();
        }
        return if link == LinkState::Down {
            proxy_error()
        } else {
            next.run(request).await
        };
    }
    match link {
        LinkState::LosesPayments => {
            tap.arrived.send_modify(|count| *count += 1);
            broken_proxy()
        }
        LinkState::Down => {
            tap.arrived.send_modify(|count| *count += 1);
            std::future::pending().await
        }
        LinkState::HoldsPayments => {
            tap.arrived.send_modify(|count| *count += 1);
            tap.link.wait_for(|link| *link == LinkState::Works).await.unwrap();
            // The request reaches the provider even if the caller has closed the connection.
            tokio::spawn(next.run(request)).await.unwrap()
        }
        LinkState::GarblesAnswers => {
            next.run(request).await;
            tap.arrived.send_modify(|count| *count += 1);
            broken_proxy()
        }
        LinkState::HoldsAnswers | LinkState::HoldsLookups | LinkState::Works => {
            // The payment is passed on even if the caller closes the connection.
            let answer = tokio::spawn(next.run(request)).await.unwrap();
            tap.arrived.send_modify(|count| *count += 1);
            tap.link.wait_for(|link| *link == LinkState::Works).await.unwrap();
            answer
        }
    }
}
