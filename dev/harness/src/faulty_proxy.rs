//! A network between the nodes and their database or provider that can be cut, fall silent, or lose answers.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use anyhow::Result;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinSet;

const PIECE_BYTES: usize = 16_384;

/// What the network does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NetworkState {
    /// It carries everything.
    Carries,
    /// It accepts connections and bytes, carries nothing, and closes no connection.
    Silent,
    /// It closes every connection, and new ones at once.
    Cut,
    /// It carries the clients' bytes, and closes the connection instead of carrying an answer.
    LosesAnswers,
}

/// A running proxy; it ends when it is dropped.
#[derive(Debug)]
pub struct FaultyProxy {
    /// Where it listens.
    pub address: SocketAddr,
    state: watch::Sender<NetworkState>,
    touched: Arc<AtomicUsize>,
    _serving: JoinSet<()>,
}

impl FaultyProxy {
    /// Starts one in front of this server.
    pub async fn start(server: SocketAddr) -> Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let address = listener.local_addr()?;
        let (state, seen) = watch::channel(NetworkState::Carries);
        let touched = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&touched);
        let mut serving = JoinSet::new();
        serving.spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                tokio::spawn(carry(client, server, seen.clone(), Arc::clone(&counted)));
            }
        });
        Ok(Self {
            address,
            state,
            touched,
            _serving: serving,
        })
    }

    /// Changes the state. Returns how many pieces and connections met the earlier state.
    pub fn set(&self, state: NetworkState) -> usize {
        self.state.send_replace(state);
        self.touched.swap(0, Ordering::Relaxed)
    }
}

async fn carry(
    client: TcpStream,
    server: SocketAddr,
    mut state: watch::Receiver<NetworkState>,
    touched: Arc<AtomicUsize>,
) {
    if *state.borrow() == NetworkState::Cut {
        touched.fetch_add(1, Ordering::Relaxed);
        return;
    }
    let Ok(server) = TcpStream::connect(server).await else {
        return;
    };
    let ((from_client, to_client), (from_server, to_server)) = (client.into_split(), server.into_split());
    let there = pass(from_client, to_server, state.clone(), &touched, false);
    let back = pass(from_server, to_client, state.clone(), &touched, true);
    tokio::select! {
        () = there => {}
        () = back => {}
        _ = state.wait_for(|state| *state == NetworkState::Cut) => {
            touched.fetch_add(1, Ordering::Relaxed);
        }
    }
}

/// One direction of a connection.
async fn pass(
    mut from: OwnedReadHalf,
    mut to: OwnedWriteHalf,
    mut state: watch::Receiver<NetworkState>,
    touched: &AtomicUsize,
    are_answers: bool,
) {
    let mut piece = [0; PIECE_BYTES];
    while let Ok(count @ 1..) = from.read(&mut piece).await {
        let is_silent = *state.borrow() == NetworkState::Silent;
        if is_silent {
            touched.fetch_add(1, Ordering::Relaxed);
            // The piece arrives when the network carries again. The sender of the state lives as long as the proxy.
            let _ = state.wait_for(|state| *state != NetworkState::Silent).await;
        }
        // The network may have been cut just now. The connection ends a moment later.
        if are_answers && *state.borrow() != NetworkState::Carries {
            touched.fetch_add(1, Ordering::Relaxed);
            return;
        }
        if to.write_all(&piece[..count]).await.is_err() {
            return;
        }
    }
}
