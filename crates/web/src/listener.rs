//! Listens on a port, serves its connections, and stops after their last answers. `axum-server` is not used, because it cannot
//! end a single connection: when there are too many, the connection that has been idle longest is closed.

use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use axum::Router;
use thiserror::Error;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::{JoinHandle, JoinSet};

use crate::connection::{self, TimeLimits};
use crate::connections::{Admitted, ConnectionLimits, Connections};
use crate::tls::Tls;

/// The pause after an accept failed.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// Why an address cannot be listened on.
#[derive(Debug, Error)]
pub enum ListenError {
    /// Another process uses the port.
    #[error("cannot listen on {0}: the port is taken")]
    Taken(SocketAddr),
    /// The address is not of this machine, or the port is not allowed.
    #[error("cannot listen on {0}: {1}")]
    Refused(SocketAddr, io::Error),
    /// The operating system does not say which address it is.
    #[error("cannot tell the listening address: {0}")]
    Address(io::Error),
}

/// Takes the port.
pub async fn bind(address: SocketAddr) -> Result<TcpListener, ListenError> {
    let listener = TcpListener::bind(address)
        .await
        .map_err(|error| match error.kind() {
            io::ErrorKind::AddrInUse => ListenError::Taken(address),
            _ => ListenError::Refused(address, error),
        })?;
    // Accepted connections inherit this option. Without it the end of an answer could wait until the client has confirmed the
    // earlier bytes, and many clients delay that by 40 to 200 ms. If the option cannot be set, answers are only slower.
    let _ = rustix::net::sockopt::set_tcp_nodelay(&listener, true);
    Ok(listener)
}

/// A router that is served until it is stopped.
#[derive(Debug)]
pub struct Listening {
    stop: watch::Sender<bool>,
    server: JoinHandle<()>,
}

impl Listening {
    /// Serves `router` on `listener`, with TLS if there is a certificate, until [`Listening::stop`]. For simulators and tools:
    /// a connection stays open after a card, as at a provider.
    pub fn serve(listener: TcpListener, tls: Option<Tls>, router: Router, time_limits: TimeLimits) -> Self {
        let connections = Connections::new(ConnectionLimits {
            end_after_card: false,
            ..ConnectionLimits::default()
        });
        Self::serve_within(connections, listener, tls, router, time_limits)
    }

    /// The same with these limits of connections.
    pub fn serve_within(
        connections: Connections,
        listener: TcpListener,
        tls: Option<Tls>,
        router: Router,
        time_limits: TimeLimits,
    ) -> Self {
        let (stop, stopped) = watch::channel(false);
        let handler = ConnectionHandler {
            connections,
            tls,
            router,
            time_limits,
            stopped,
        };
        Self {
            stop,
            server: tokio::spawn(handler.serve(listener)),
        }
    }

    /// Accepts no new connections, and gives the open ones at most `limit` to finish.
    pub async fn stop(mut self, limit: Duration) {
        self.stop.send_replace(true);
        if tokio::time::timeout(limit, &mut self.server).await.is_err() {
            self.server.abort();
        }
    }
}

/// Serves connections. Cloned for each one.
#[derive(Clone)]
struct ConnectionHandler {
    connections: Connections,
    tls: Option<Tls>,
    router: Router,
    time_limits: TimeLimits,
    stopped: watch::Receiver<bool>,
}

impl ConnectionHandler {
    /// Accepts connections until the service stops, then waits for the open ones.
    async fn serve(self, listener: TcpListener) {
        // Connections are aborted together with this task.
        let mut running = JoinSet::new();
        let mut stopped = self.stopped.clone();
        loop {
            tokio::select! {
                accepted = listener.accept() => match accepted {
                    Ok((stream, peer)) => {
                        if let Some(admitted) = self.connections.admit(peer.ip()).await {
                            running.spawn(self.clone().serve_connection(stream, peer, admitted));
                        }
                    }
                    Err(cause) => self.handle_accept_error(&cause).await,
                },
                Some(_) = running.join_next() => {}
                () = stopping(&mut stopped) => break,
            }
        }
        drop(listener);
        while running.join_next().await.is_some() {}
    }

    async fn serve_connection(self, stream: TcpStream, peer: SocketAddr, admitted: Admitted) {
        let Self {
            tls,
            router,
            time_limits,
            ..
        } = self;
        let Some(tls) = tls else {
            return connection::serve(stream, peer, admitted, router, time_limits, self.stopped).await;
        };
        let mut stopped = self.stopped.clone();
        let handshake = tokio::select! {
            handshake = tls.handshake(stream) => handshake,
            () = admitted.activity.is_ended() => return,
            () = stopping(&mut stopped) => return,
        };
        let Some(stream) = handshake else {
            return;
        };
        connection::serve(stream, peer, admitted, router, time_limits, self.stopped).await;
    }

    /// Handles a failed accept. Either the client is gone, or there is no file descriptor left; then idle connections
    /// are closed.
    async fn handle_accept_error(&self, cause: &io::Error) {
        let is_clients = matches!(
            cause.kind(),
            io::ErrorKind::ConnectionAborted
                | io::ErrorKind::ConnectionReset
                | io::ErrorKind::ConnectionRefused
        );
        if !is_clients {
            tracing::error!(%cause, "cannot accept a connection");
            self.connections.make_room();
            tokio::time::sleep(ACCEPT_PAUSE).await;
        }
    }
}

/// Returns when the service stops. Without its sender the service stops, too.
async fn stopping(stopped: &mut watch::Receiver<bool>) {
    drop(stopped.wait_for(|stop| *stop).await);
}

#[cfg(test)]
mod tests;
