//! A Kafka broker that keeps everything in memory: when it is killed, its data is gone.

use std::net::{SocketAddr, TcpStream};
use std::path::Path;

use harness::companion::{Companion, RunAs};
use tempfile::TempDir;

/// A running broker; killed when it is dropped.
pub(crate) struct Broker {
    _process: Companion,
    _dir: TempDir,
    /// Its address.
    pub(crate) address: SocketAddr,
}

impl Broker {
    /// Starts the program at `address`, and waits until it listens. The address can be reused after another broker.
    pub(crate) fn start(program: &Path, address: SocketAddr) -> Self {
        Self::start_behind(program, address, &address.to_string())
    }

    /// The same, but the broker tells its clients to connect to `door`, a host with a port.
    pub(crate) fn start_behind(program: &Path, address: SocketAddr, door: &str) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let line = format!(
            "{} broker --storage-engine memory://tansu/ --silent --listener-url=tcp://{address} \
             --advertised-listener-url=tcp://{door}",
            program.display()
        );
        let process = Companion::start("broker", dir.path(), RunAs::Caller, &line).unwrap();
        process
            .wait_until(|| TcpStream::connect(address).is_ok())
            .expect("`cargo xtask test rust` installs the broker");
        Self {
            _process: process,
            _dir: dir,
            address,
        }
    }

    /// Sends SIGKILL. Then the address is free for another broker.
    pub(crate) fn kill(self) {
        drop(self);
    }
}
