//! Listening: a port that is ours, requests on it, and an orderly end.

use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use axum::Router;
use axum::serve::Listener;
use thiserror::Error;
use tokio::net::TcpListener;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::watch;
use tokio::task::{JoinHandle, JoinSet};

use crate::connection::{self, Pace};
use crate::tls::{Tls, TlsListener};

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
    /// Serves `router` on `listener`, over TLS where there is a certificate, until [`Listening::stop`].
    pub fn serve(listener: TcpListener, tls: Option<Tls>, router: Router, pace: Pace) -> Self {
        let (stop, stopped) = watch::channel(false);
        let server = match tls {
            Some(tls) => tokio::spawn(serve_all(TlsListener::new(listener, tls), router, pace, stopped)),
            None => tokio::spawn(serve_all(listener, router, pace, stopped)),
        };
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

/// Takes connections until the service stops, then waits for those that are open.
async fn serve_all<L>(mut listener: L, router: Router, pace: Pace, mut stopped: watch::Receiver<bool>)
where
    L: Listener<Addr = SocketAddr>,
{
    // They end with this task, when waiting for them takes too long.
    let mut connections = JoinSet::new();
    let stop = stopped.clone();
    loop {
        tokio::select! {
            (stream, peer) = listener.accept() => {
                connections.spawn(connection::serve(stream, peer, router.clone(), pace, stop.clone()));
            }
            Some(_) = connections.join_next() => {}
            // The sender being gone means the same.
            _ = stopped.wait_for(|stop| *stop) => break,
        }
    }
    drop(listener);
    while connections.join_next().await.is_some() {}
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
