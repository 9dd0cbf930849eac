//! nginx as the yardstick: one worker on the serving core serves one file.

use std::net::{SocketAddr, TcpStream};
use std::path::Path;

use anyhow::{Context, Result};
use harness::companion::{Companion, RunAs, children, signal};
use harness::own_address::own_address;

/// nginx; ended when it is dropped.
pub(crate) struct Nginx {
    _process: Companion,
    /// Its master and its worker.
    processes: [u32; 2],
    pub(crate) address: SocketAddr,
}

impl Nginx {
    /// Serves the document at `/page.html`.
    pub(crate) fn start(dir: &Path, document: &[u8]) -> Result<Self> {
        let root = dir.join("nginx");
        std::fs::create_dir_all(root.join("html"))?;
        std::fs::write(root.join("html/page.html"), document)?;
        let address = own_address()?;
        let shown = root.display();
        let config = format!(
            "worker_processes 1; worker_cpu_affinity 01; daemon off; user root; pid {shown}/pid; error_log stderr;\n\
             events {{ worker_connections 256; }}\n\
             http {{ access_log off; sendfile on; tcp_nopush on; keepalive_requests 100000000; types {{ text/html html; }}\n\
             client_body_temp_path {shown}/body; proxy_temp_path {shown}/proxy; fastcgi_temp_path {shown}/fastcgi;\n\
             uwsgi_temp_path {shown}/uwsgi; scgi_temp_path {shown}/scgi; open_file_cache max=10;\n\
             server {{ listen {address}; root {shown}/html; }} }}\n"
        );
        let file = root.join("nginx.conf");
        std::fs::write(&file, config)?;
        let process = Companion::start(
            "nginx",
            dir,
            RunAs::Caller,
            &format!("nginx -c {}", file.display()),
        )?;
        process
            .wait_until(|| TcpStream::connect(address).is_ok())
            .context("nginx (on Debian: apt-get install nginx-light)")?;
        let master = process.id().context("nginx has no process")?;
        let worker = children(master).first().copied();
        Ok(Self {
            processes: [master, worker.context("nginx has no worker")?],
            _process: process,
            address,
        })
    }

    /// The process that serves.
    pub(crate) fn worker(&self) -> u32 {
        self.processes[1]
    }
}

impl Drop for Nginx {
    fn drop(&mut self) {
        // The worker would stay if only the master process were killed.
        signal("KILL", &self.processes);
    }
}
