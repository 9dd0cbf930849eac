//! The usual pages are rendered when the service starts, before a shopper asks for them.

use reqwest::Client;
use rules::locale::TABLE;

use crate::process_merchant::ProcessMerchant;
use crate::waiting::holds;

async fn text(http: &Client, url: &str) -> String {
    let answer = http.get(url).send().await.unwrap();
    assert_eq!(answer.status(), 200, "{url}");
    answer.text().await.unwrap()
}

async fn rendered(http: &Client, service: &str) -> usize {
    let metrics = text(http, &format!("{service}/metrics")).await;
    let line = metrics
        .lines()
        .find_map(|line| line.strip_prefix("cardform_pages_rendered_total "));
    line.unwrap().parse().unwrap()
}

#[tokio::test]
async fn the_first_shopper_in_any_language_gets_a_rendered_page() {
    let merchant = ProcessMerchant::new();
    // No provider is asked.
    let options = ["--provider-url", "http://127.0.0.1:9", "--render-time-ms", "500"];
    let service = merchant.serve(&options, "info");
    let all = 2 * TABLE.len();
    holds(format!("{all} pages are rendered"), async || {
        rendered(&merchant.http, service.url()).await >= all
    })
    .await;
    let charge = merchant.charge(&service).await;
    for locale in TABLE {
        let page = format!("{}/{}?payload={}", service.url(), locale.code, charge.payload);
        let document = text(&merchant.http, &page).await;
        assert!(document.contains("<form"), "{}", locale.code);
    }
    assert_eq!(rendered(&merchant.http, service.url()).await, all);
}
