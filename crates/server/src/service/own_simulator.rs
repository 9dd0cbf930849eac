//! The provider `test`: the simulator in the service's own process. Its API listens on this machine alone, on a port of its own;
//! its pages for shoppers are at the service's address.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use protocol::clock::Clock;
use reqwest::Url;

use super::StartError;
use crate::config::{Config, ConnectorError};
use demo::shop::demo_mode::make_data_directory;
use demo::simulator::{Simulator, router};
use providers::ProviderError;
use web::{ListenError, Listening, TimeLimits, bind};

/// The path of its pages at the service's address.
pub(crate) const PAGES: &str = "/simulator";

/// The running simulator.
pub(super) struct OwnSimulator {
    pub(super) simulator: Arc<Simulator>,
    pub(super) server: Listening,
}

impl OwnSimulator {
    /// Starts it if the provider is `test`, and makes its address the provider's. Demo mode has a simulator of its own.
    pub(super) async fn start(
        config: &mut Config,
        public_url: &str,
        clock: &Clock,
    ) -> Result<Option<Self>, StartError> {
        if !config.provider.is_test() || config.demo.is_some() {
            return Ok(None);
        }
        let ledger = config.provider.ledger.as_deref();
        if let Some(folder) = ledger {
            make_data_directory(folder).map_err(|cause| StartError::TestFolder(folder.to_owned(), cause))?;
        }
        let pages = format!("{public_url}{PAGES}");
        let simulator = Simulator::open(ledger, Duration::ZERO, clock.clone(), pages.clone())?;
        let simulator = Arc::new(simulator);
        let listener = bind(SocketAddr::from((Ipv4Addr::LOCALHOST, 0))).await?;
        let address = listener.local_addr().map_err(ListenError::Address)?;
        let url = |text: &str| Url::parse(text).map_err(|_| ConnectorError::Client(ProviderError));
        config.provider.url = Some(url(&format!("http://{address}"))?);
        config.provider_public_url = Some(url(&pages)?);
        let routes = router(Arc::clone(&simulator));
        let server = Listening::serve(listener, None, routes, TimeLimits::default());
        tracing::warn!("test mode: the simulator takes the payments, and no real money moves");
        Ok(Some(Self { simulator, server }))
    }
}
