//! A Kafka broker that keeps everything in memory: when it is killed, its data is gone.

use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};

/// How long the broker may take to start, on a busy machine.
const START_MAX: Duration = Duration::from_secs(30);

/// A running broker; killed when it is dropped.
#[derive(Debug)]
pub struct Broker {
    child: Child,
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
        let name = program.display();
        let child = Command::new(program)
            .args(["broker", "--storage-engine", "memory://tansu/", "--silent"])
            .arg(format!("--listener-url=tcp://{address}"))
            .arg(format!("--advertised-listener-url=tcp://{door}"))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .with_context(|| format!("{name} (`cargo xtask test rust` installs it)"))?;
        let broker = Self { child, address };
        let deadline = Instant::now() + START_MAX;
        while TcpStream::connect(address).is_err() {
            ensure!(Instant::now() < deadline, "{name} does not listen");
            std::thread::sleep(Duration::from_millis(20));
        }
        Ok(broker)
    }

    /// Sends SIGKILL. Then the address is free for another broker.
    pub fn kill(self) {
        drop(self);
    }
}

impl Drop for Broker {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
