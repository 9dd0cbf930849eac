//! nginx as the yardstick: one worker on the serving core, which serves one file.

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::TrialError;
use crate::own_address::own_address;
use crate::processor::child_of;

/// nginx; ended when it is dropped.
pub(crate) struct Nginx {
    child: Child,
    /// Without a path.
    pub(crate) url: String,
}

impl Nginx {
    /// Serves the document at `/page.html`, and a short answer at `/empty`.
    pub(crate) fn start(dir: &Path, document: &[u8]) -> Result<Self, TrialError> {
        Self::serve(dir, document, "http", "", "")
    }

    /// The same with TLS and HTTP/2.
    pub(crate) fn start_with_tls(
        dir: &Path,
        document: &[u8],
        certificate: &Path,
        key: &Path,
    ) -> Result<Self, TrialError> {
        let (certificate, key) = (certificate.display(), key.display());
        let more = format!(
            "ssl_certificate {certificate}; ssl_certificate_key {key}; ssl_session_tickets on; ssl_protocols TLSv1.3;"
        );
        Self::serve(dir, document, "https", " ssl http2", &more)
    }

    fn serve(
        dir: &Path,
        document: &[u8],
        scheme: &str,
        listen: &str,
        more: &str,
    ) -> Result<Self, TrialError> {
        let failed =
            |cause| TrialError::Start("nginx (on Debian: apt-get install nginx-light)".to_owned(), cause);
        let root = dir.join("nginx");
        std::fs::create_dir_all(root.join("html")).map_err(failed)?;
        std::fs::write(root.join("html/page.html"), document).map_err(failed)?;
        let address = own_address()?;
        let shown = root.display();
        let config = format!(
            "worker_processes 1; worker_cpu_affinity 01; daemon off; user root; pid {shown}/pid; error_log stderr;\n\
             events {{ worker_connections 256; }}\n\
             http {{ access_log off; sendfile on; tcp_nopush on; keepalive_requests 100000000; types {{ text/html html; }}\n\
             client_body_temp_path {shown}/body; proxy_temp_path {shown}/proxy; fastcgi_temp_path {shown}/fastcgi;\n\
             uwsgi_temp_path {shown}/uwsgi; scgi_temp_path {shown}/scgi; open_file_cache max=10;\n\
             server {{ listen {address}{listen}; root {shown}/html; {more}\n\
             location = /empty {{ return 200 ok; }} }} }}\n"
        );
        let file = root.join("nginx.conf");
        std::fs::write(&file, config).map_err(failed)?;
        let child = Command::new("nginx")
            .arg("-c")
            .arg(&file)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .spawn()
            .map_err(failed)?;
        let nginx = Self {
            child,
            url: format!("{scheme}://{address}"),
        };
        let deadline = Instant::now() + Duration::from_secs(10);
        while std::net::TcpStream::connect(address).is_err() {
            if Instant::now() > deadline {
                return Err(TrialError::NotReady(
                    "nginx".to_owned(),
                    "it does not listen".to_owned(),
                ));
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        Ok(nginx)
    }

    /// The process that serves.
    pub(crate) fn worker(&self) -> Result<u32, TrialError> {
        child_of(self.child.id())
    }
}

impl Drop for Nginx {
    fn drop(&mut self) {
        // SIGTERM makes the master process end its worker, too; after SIGKILL the worker would stay.
        let _ = Command::new("kill").arg(self.child.id().to_string()).status();
        let _ = self.child.wait();
    }
}
