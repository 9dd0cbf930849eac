//! HAProxy from Debian's packages, in front of nodes that are replaced.

use std::io::{Read, Write};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use tokio::time::Duration;

use crate::companion::{Companion, RunAs};
use crate::own_address::own_address;
use crate::waiting::happens_within;

/// A node is out after two failed checks, and in after one good one.
const CHECKS: &str = "inter 100ms fall 2 rise 1";
/// How long it may take to use a new node.
const USED_WITHIN: Duration = Duration::from_secs(30);

/// A running HAProxy; it ends when it is dropped.
#[derive(Debug)]
pub struct HaProxy {
    _process: Companion,
    socket: PathBuf,
    /// Its address for shoppers and merchants.
    pub url: String,
}

impl HaProxy {
    /// Starts one in front of the nodes at these URLs.
    pub fn start(dir: &Path, nodes: [&str; 2]) -> Result<Self> {
        let address = own_address()?;
        let [first, second] = nodes.map(|url| url.trim_start_matches("http://"));
        let settings = format!(
            "frontend pay\n    mode http\n    bind {address}\n    default_backend nodes\n\
             backend nodes\n    mode http\n    option httpchk GET /readyz\n    option forwardfor\n    http-request deny if {{ path /metrics }}\n    default-server check {CHECKS}\n\
             \x20   server node0 {first}\n    server node1 {second}\n"
        );
        Ok(Self {
            url: format!("http://{address}"),
            ..Self::with(dir, "haproxy", &settings)?
        })
    }

    /// Starts one with these sections, and waits until its socket for commands answers.
    pub fn with(dir: &Path, name: &str, sections: &str) -> Result<Self> {
        let socket = dir.join(format!("{name}.sock"));
        let settings = format!(
            "global\n    stats socket {} level admin\n\
             defaults\n    timeout connect 2s\n    timeout client 60s\n    timeout server 60s\n{sections}",
            socket.display()
        );
        let file = dir.join(format!("{name}.cfg"));
        std::fs::write(&file, settings)?;
        let line = format!("/usr/sbin/haproxy -db -f {}", file.display());
        let process = Companion::start(name, dir, RunAs::Caller, &line)?;
        process.wait_until(|| UnixStream::connect(&socket).is_ok())?;
        Ok(Self {
            _process: process,
            socket,
            url: String::new(),
        })
    }

    /// Waits until the node with this number gets requests.
    pub async fn uses(&self, number: usize) -> Result<()> {
        let name = format!("nodes,node{number},");
        let is_used = async || {
            let stat = self.ask("show stat")?;
            let mut lines = stat.lines();
            Ok(lines.any(|line| line.starts_with(&name) && line.contains(",UP,")))
        };
        ensure!(
            happens_within(USED_WITHIN, is_used).await?,
            "HAProxy does not use a new node"
        );
        Ok(())
    }

    /// Sends a command, and returns the answer.
    fn ask(&self, command: &str) -> Result<String> {
        let mut connection = UnixStream::connect(&self.socket).context("HAProxy's socket")?;
        connection.write_all(format!("{command}\n").as_bytes())?;
        let mut answer = String::new();
        connection.read_to_string(&mut answer)?;
        Ok(answer)
    }
}
