//! The file of card networks (docs/operating.md#card-networks).

use std::path::Path;
use std::sync::Arc;

use rules::{CardNetworks, NetworksError};

use super::ConfigError;

/// The ranges of the operator's file, or those that ship with the service.
pub(super) fn read(file: Option<&Path>) -> Result<Arc<CardNetworks>, ConfigError> {
    let at = file.unwrap_or(Path::new("card-networks.csv"));
    let networks = match file {
        None => CardNetworks::shipped(),
        Some(path) => {
            let text = std::fs::read_to_string(path)
                .map_err(|error| ConfigError::CardNetworks(path.to_owned(), error))?;
            CardNetworks::parse(&text)
        }
    };
    networks
        .map(Arc::new)
        .map_err(|NetworksError { line, mistake }| ConfigError::Line {
            file: at.to_owned(),
            line,
            message: mistake.to_owned(),
        })
}
