//! Listening: a port that is ours, requests on it, and an orderly end.

use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::time::Duration;

use axum::Router;
use axum::extract::{ConnectInfo, Request};
use axum::middleware::map_request;
use thiserror::Error;
use tokio::net::TcpListener;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::watch;
use tokio::task::JoinHandle;

use crate::tls::{Peer, Tls, TlsListener};

/// Ends when the service shall stop.
type Stopped = Pin<Box<dyn Future<Output = ()> + Send>>;

/// Why an address cannot be listened on.
#[derive(Debug, Error)]
pub enum ListenError {
    /// Another process has the port.
    #[error("cannot listen on {0}: the port is taken")]
    Taken(SocketAddr),
    /// The address is not ours, or the port is not allowed.
    #[error("cannot listen on {0}: {1}")]
    Refused(SocketAddr, io::Error),
    /// The operating system does not tell the address.
    #[error("cannot tell the listening address: {0}")]
    Address(io::Error),
}

/// Takes the port.
pub async fn bind(address: SocketAddr) -> Result<TcpListener, ListenError> {
    TcpListener::bind(address)
        .await
        .map_err(|error| match error.kind() {
            io::ErrorKind::AddrInUse => ListenError::Taken(address),
            _ => ListenError::Refused(address, error),
        })
}

/// A router that is being served.
#[derive(Debug)]
pub struct Listening {
    stop: watch::Sender<bool>,
    server: JoinHandle<()>,
}

impl Listening {
    /// Serves `router` on `listener` until [`Listening::stop`].
    pub fn serve(listener: TcpListener, router: Router) -> Self {
        let service = router.into_make_service_with_connect_info::<SocketAddr>();
        Self::until_stopped(|end| {
            axum::serve(listener, service)
                .with_graceful_shutdown(end)
                .into_future()
        })
    }

    /// The same over TLS.
    pub fn serve_tls(listener: TcpListener, tls: Tls, router: Router) -> Self {
        // Handlers know the client's address by the same name however it came.
        let router = router.layer(map_request(
            |ConnectInfo(Peer(peer)), mut request: Request| async move {
                request.extensions_mut().insert(ConnectInfo(peer));
                request
            },
        ));
        let service = router.into_make_service_with_connect_info::<Peer>();
        let listener = TlsListener::new(listener, tls);
        Self::until_stopped(|end| {
            axum::serve(listener, service)
                .with_graceful_shutdown(end)
                .into_future()
        })
    }

    fn until_stopped<F>(serve: impl FnOnce(Stopped) -> F) -> Self
    where
        F: Future<Output = io::Result<()>> + Send + 'static,
    {
        let (stop, mut stopped) = watch::channel(false);
        let serving = serve(Box::pin(async move {
            // The sender being gone means the same.
            let _ = stopped.wait_for(|stop| *stop).await;
        }));
        let server = tokio::spawn(async move {
            if let Err(cause) = serving.await {
                tracing::error!(%cause, "listening ended");
            }
        });
        Self { stop, server }
    }

    /// Takes no new connections, and lets the open ones finish for at most `limit`.
    pub async fn stop(mut self, limit: Duration) {
        self.stop.send_replace(true);
        if tokio::time::timeout(limit, &mut self.server).await.is_err() {
            self.server.abort();
        }
    }
}

/// Returns when the process is asked to end: SIGTERM or SIGINT.
pub async fn asked_to_end() -> Result<(), io::Error> {
    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    tokio::select! {
        _ = terminate.recv() => {}
        _ = interrupt.recv() => {}
    }
    Ok(())
}
