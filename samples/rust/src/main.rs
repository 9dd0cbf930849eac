//! A shop's server: creates charges, checks webhooks, delivers each paid order once.

use std::env::var;
use std::fs::{File, create_dir_all};
use std::io::{ErrorKind, Write};

use axum::Router;
use axum::extract::Path;
use axum::http::{HeaderMap, StatusCode, header::CONTENT_TYPE};
use axum::response::{Html, IntoResponse};
use axum::routing::{get, post};
use reqwest::RequestBuilder;
use serde_json::{Value, json};
use standardwebhooks::Webhook;
use tokio::net::TcpListener;

async fn orders() -> Result<impl IntoResponse, StatusCode> {
    let order = uuid::Uuid::new_v4().to_string();
    let item = json!({"item_code": "gems-100", "item_name": "100 gems", "partner_reference": order,
        "amount_value": "12.50", "amount_currency": "USD"});
    // The same key gets the same charge if an answer is lost and this is sent again.
    pass(cardform("").header("Idempotency-Key", order).json(&item)).await
}

async fn client_secret(Path(charge): Path<String>) -> Result<impl IntoResponse, StatusCode> {
    // In a shop, check first that this order belongs to the shopper who asks.
    let is_part = |letter: u8| letter == b'_' || letter.is_ascii_alphanumeric();
    let is_id = charge.bytes().all(is_part);
    let request = is_id.then(|| cardform(&format!("/{charge}/client-secret")));
    pass(request.ok_or(StatusCode::NOT_FOUND)?).await
}

fn cardform(path: &str) -> RequestBuilder {
    let url = var("CARDFORM_URL").unwrap_or_default();
    let request = reqwest::Client::new().post(format!("{url}/v1/charges{path}"));
    request.bearer_auth(var("CARDFORM_SECRET_KEY").unwrap_or_default())
}

/// Passes the answer on.
async fn pass(request: RequestBuilder) -> Result<impl IntoResponse, StatusCode> {
    let answer = request.send().await.map_err(|_| StatusCode::BAD_GATEWAY)?;
    let status = answer.status();
    let body = answer.text().await.map_err(|_| StatusCode::BAD_GATEWAY)?;
    Ok((status, [(CONTENT_TYPE, "application/json")], body))
}

async fn webhooks(headers: HeaderMap, body: String) -> StatusCode {
    let secret = var("CARDFORM_WEBHOOK_SECRET").unwrap_or_default();
    // Compares the signature in constant time, and refuses a time more than five minutes away.
    let checked = Webhook::new(&secret).and_then(|webhook| webhook.verify(body.as_bytes(), &headers));
    let (false, Ok(()), Ok(event)) = (secret.is_empty(), checked, serde_json::from_str::<Value>(&body))
    else {
        return StatusCode::BAD_REQUEST;
    };
    let text = |name: &str| event["data"][name].as_str().unwrap_or_default();
    let is_paid = event["type"] == "charge.succeeded" && event["data"]["test"].is_null();
    if is_paid && deliver_once(text("id"), text("partner_reference")).is_err() {
        return StatusCode::INTERNAL_SERVER_ERROR;
    }
    StatusCode::NO_CONTENT
}

/// An event can arrive twice. Only the first one creates the file. In a shop, use a unique row of the database.
fn deliver_once(charge: &str, order: &str) -> std::io::Result<()> {
    create_dir_all("delivered")?;
    match File::create_new(format!("delivered/{charge}")) {
        Ok(mut file) => file.write_all(order.as_bytes()),
        Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(()),
        Err(error) => Err(error),
    }
}

#[tokio::main]
async fn main() -> std::io::Result<()> {
    let page = get(async || Html(std::fs::read_to_string("shop.html").expect("shop.html is here")));
    let shop = Router::new()
        .route("/", page)
        .route("/orders", post(orders))
        .route("/orders/{charge}/client-secret", post(client_secret))
        .route("/webhooks", post(webhooks));
    let port = var("PORT").unwrap_or_else(|_| "3000".to_owned());
    let listener = TcpListener::bind(format!("127.0.0.1:{port}")).await?;
    println!("listening on http://{}", listener.local_addr()?);
    axum::serve(listener, shop).await
}
