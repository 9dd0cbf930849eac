//! A Kafka broker that keeps everything in memory: when it is killed, its data is gone.

use std::net::{SocketAddr, TcpStream};
use std::path::Path;

use anyhow::{Context, Result};
use tempfile::TempDir;

use crate::companion::{Companion, RunAs};

/// A running broker; killed when it is dropped.
#[derive(Debug)]
pub struct Broker {
    _process: Companion,
    _dir: TempDir,
    /// Its address.
    pub address: SocketAddr,
}

impl Broker {
    /// Starts the program at `address`, and waits until it listens. The address can be reused after another broker.
    pub fn start(program: &Path, address: SocketAddr) -> Result<Self> {
        Self::start_behind(program, address, &address.to_string())
    }

    /// The same, but the broker tells its clients to connect to `door`, a host with a port.
    pub fn start_behind(program: &Path, address: SocketAddr, door: &str) -> Result<Self> {
        let dir = tempfile::tempdir()?;
        let line = format!(
            "{} broker --storage-engine memory://tansu/ --silent --listener-url=tcp://{address} \
             --advertised-listener-url=tcp://{door}",
            program.display()
        );
        let process = Companion::start("broker", dir.path(), RunAs::Caller, &line)?;
        process
            .wait_until(|| TcpStream::connect(address).is_ok())
            .context("`cargo xtask test rust` installs the broker")?;
        Ok(Self {
            _process: process,
            _dir: dir,
            address,
        })
    }

    /// Sends SIGKILL. Then the address is free for another broker.
    pub fn kill(self) {
        drop(self);
    }
}
