//! `cardform migrate`: brings the database up to date.

use serde_json::json;

use super::{Failure, Output};
use crate::config::Settings;
use crate::service::make_store;

pub(super) async fn run(settings: Settings, output: Output) -> Result<(), Failure> {
    let config = settings.resolve()?;
    let store = make_store(&config).await?;
    store.close().await;
    let database = config.database.to_string();
    output.print(
        &json!({ "migrated": database }),
        &format!("the database {database} is up to date"),
    )
}
