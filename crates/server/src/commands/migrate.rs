//! `cardform migrate`: brings the database up to date.

use serde_json::json;

use super::{Output, one_line};
use crate::config::Settings;
use crate::service::make_store;

pub(super) async fn run(settings: Settings, output: Output) -> Result<(), String> {
    let config = settings.resolve().map_err(one_line)?;
    let store = make_store(&config).await.map_err(one_line)?;
    store.close().await;
    let database = config.database.to_string();
    output.print(
        &json!({ "migrated": database }),
        &format!("the database {database} is up to date"),
    )
}
