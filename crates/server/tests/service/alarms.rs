//! The alert rules, the dashboard and the runbook in `ops/` and `docs/` agree with each other and with the metrics.

use std::collections::BTreeSet;

use payments::charges::reconciler::reconcile;
use serde_json::{Value, json};

use crate::tls::{client_that_trusts, world_with_tls};
use crate::waiting::found;

const RULES: &str = include_str!("../../../../ops/prometheus/alerts.yml");
const RULE_TESTS: &str = include_str!("../../../../ops/prometheus/alerts_test.yml");
const DASHBOARD: &str = include_str!("../../../../ops/grafana/cardform.json");
const RUNBOOK: &str = include_str!("../../../../docs/runbook.md");

/// The prefixes of our metrics.
const PREFIXES: [&str; 2] = ["cardform_", "process_"];

/// The values after `key: ` in the lines of a YAML file.
fn values<'a>(yaml: &'a str, key: &str) -> Vec<&'a str> {
    let key = format!("{key}: ");
    yaml.lines()
        .filter_map(|line| line.trim_start().trim_start_matches("- ").strip_prefix(&*key))
        .collect()
}

/// The names of our metrics in an expression or a text.
fn metrics_in(text: &str) -> BTreeSet<String> {
    text.split(|character: char| !character.is_ascii_alphanumeric() && character != '_')
        .filter(|word| PREFIXES.iter().any(|prefix| word.starts_with(prefix)))
        .map(str::to_owned)
        .collect()
}

/// The expressions of the dashboard's panels.
fn expressions(dashboard: &Value) -> Vec<&str> {
    let panels = dashboard["panels"].as_array().unwrap();
    panels
        .iter()
        .filter_map(|panel| panel["targets"].as_array())
        .flatten()
        .map(|target| target["expr"].as_str().unwrap())
        .collect()
}

/// The headings of the runbook's entries, each the name of an alert.
fn entries() -> Vec<&'static str> {
    RUNBOOK
        .lines()
        .filter_map(|line| line.strip_prefix("### "))
        .collect()
}

/// The names of all series of a service with https in which a card was declined and a browser reported a violation.
async fn series() -> BTreeSet<String> {
    let (world, pem) = world_with_tls().await;
    reconcile(&world.service.app.charges).await.unwrap();
    let client = client_that_trusts(&pem);
    let at = |path: &str| format!("{}{path}", world.service.url());
    let report = r#"{"csp-report":{"effective-directive":"img-src"}}"#;
    client
        .post(at("/csp-reports"))
        .header("content-type", "application/csp-report")
        .body(report)
        .send()
        .await
        .unwrap();
    let event = json!({ "records": [{ "value": { "type": "form_viewed" } }] });
    client
        .post(at("/topics/cardform-events"))
        .header("content-type", "application/vnd.kafka.json.v2+json")
        .body(event.to_string())
        .send()
        .await
        .unwrap();
    let created = client
        .post(at("/v1/charges"))
        .bearer_auth(crate::world::SECRET_KEY)
        .json(&crate::world::new_charge())
        .send();
    let charge: protocol::CreatedCharge = created.await.unwrap().json().await.unwrap();
    let declined = client
        .post(at("/v1/pub/direct/charges"))
        .bearer_auth(&charge.client_secret)
        .header("partner-id", crate::world::PARTNER_ID)
        .json(&crate::world::card(&charge, "4000000000009995"))
        .send();
    assert_eq!(declined.await.unwrap().status(), 402);
    let text = found(
        "the certificate's end, which the background check sets",
        async || {
            let answer = client.get(at("/metrics")).send().await.unwrap();
            let text = answer.text().await.unwrap();
            text.contains("cardform_certificate_end_timestamp_seconds{")
                .then_some(text)
        },
    )
    .await;
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    lines
        .filter_map(|line| line.split(['{', ' ']).next())
        .map(str::to_owned)
        .collect()
}

#[tokio::test]
async fn every_metric_of_alerts_dashboard_and_runbook_exists() {
    let series = Box::pin(series()).await;
    let dashboard: Value = serde_json::from_str(DASHBOARD).unwrap();
    let expressions = expressions(&dashboard);
    assert!(expressions.len() > 20, "{}", expressions.len());
    for (place, texts) in [
        ("alerts.yml", values(RULES, "expr")),
        ("cardform.json", expressions),
        ("runbook.md", vec![RUNBOOK]),
    ] {
        for text in texts {
            for metric in metrics_in(text) {
                assert!(
                    series.contains(&metric),
                    "{place}: there is no {metric} ({text:.80})"
                );
            }
        }
    }
}

#[test]
fn every_alert_has_its_entry_in_the_runbook_and_its_test() {
    let alerts = values(RULES, "alert");
    assert!(alerts.len() > 20, "{alerts:?}");
    assert_eq!(entries(), alerts, "in the same order");
    let anchors: Vec<String> = alerts
        .iter()
        .map(|alert| format!("docs/runbook.md#{}", alert.to_lowercase()))
        .collect();
    assert_eq!(values(RULES, "runbook_url"), anchors);
    for alert in alerts {
        let fires = RULE_TESTS.contains(&format!("alertname: {alert}\n"));
        assert!(fires, "{alert} has no test in which it fires");
    }
}

#[test]
fn every_alert_is_a_page_or_a_ticket() {
    let severities = values(RULES, "labels");
    assert_eq!(severities.len(), values(RULES, "alert").len());
    for severity in severities {
        let is_known = ["{ severity: page }", "{ severity: ticket }"].contains(&severity);
        assert!(is_known, "{severity}");
    }
}

#[test]
fn every_panel_of_the_dashboard_has_its_own_id_and_a_title() {
    let dashboard: Value = serde_json::from_str(DASHBOARD).unwrap();
    let panels = dashboard["panels"].as_array().unwrap();
    let ids: BTreeSet<_> = panels.iter().map(|panel| panel["id"].as_i64().unwrap()).collect();
    assert_eq!(ids.len(), panels.len());
    for panel in panels {
        let title = panel["title"].as_str().unwrap_or_default();
        assert!(!title.is_empty(), "{panel}");
        let place = &panel["gridPos"];
        let right = place["x"].as_i64().unwrap() + place["w"].as_i64().unwrap();
        assert!(right <= 24, "{title} is wider than the dashboard");
        if panel["type"] != "row" {
            assert!(
                !panel["description"].as_str().unwrap_or_default().is_empty(),
                "{title}"
            );
        }
    }
}
