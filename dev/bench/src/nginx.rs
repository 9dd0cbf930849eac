//! nginx as the yardstick: one worker on the serving core serves one file.

use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use harness::companion::children;
use harness::own_address::own_address;

/// nginx; ended when it is dropped.
pub(crate) struct Nginx {
    child: Child,
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
        let child = Command::new("nginx")
            .arg("-c")
            .arg(&file)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .spawn()
            .context("nginx (on Debian: apt-get install nginx-light)")?;
        let nginx = Self { child, address };
        let deadline = Instant::now() + Duration::from_secs(10);
        while std::net::TcpStream::connect(address).is_err() {
            ensure!(Instant::now() < deadline, "nginx does not listen");
            std::thread::sleep(Duration::from_millis(20));
        }
        Ok(nginx)
    }

    /// The process that serves.
    pub(crate) fn worker(&self) -> Result<u32> {
        let first = children(self.child.id()).first().copied();
        first.context("nginx has no worker")
    }
}

impl Drop for Nginx {
    fn drop(&mut self) {
        // SIGTERM makes the master process end its worker, too; after SIGKILL the worker would stay.
        let _ = Command::new("kill").arg(self.child.id().to_string()).status();
        let _ = self.child.wait();
    }
}
