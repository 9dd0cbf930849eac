use serde_json::json;

use super::*;

fn metadata() -> serde_json::Value {
    json!({
        "namespace": "pay", "codaCookieId": "c", "fullUrl": "https://pay.example/", "ip": "", "libraryVersion": "2.3.0",
        "domainName": "pay.example", "userAgent": "", "os": "iOS", "mobile": true, "browser": "Safari", "cid": "",
        "campaignId": "", "utmCampaign": "", "utmSource": "", "utmMedium": "", "utmContent": "", "utmTerm": "",
        "sessionId": "s", "sessionNum": 1, "engagementMs": 0,
    })
}

#[test]
fn each_kind_reads_and_writes_as_the_page_sends_it() {
    let own = [
        json!({"type": "page-view", "name": "pageView", "title": "t", "path": "/", "referrerUrl": "", "locale": "en-US",
                   "additionalInfo": {"standalone": true}}),
        json!({"type": "click", "name": "click", "element": "pay"}),
        json!({"type": "experiment-viewed", "name": "ExperimentViewed", "experimentId": "e", "variationId": 1,
                   "variationKey": "treatment"}),
        json!({"type": "custom", "name": "field_error", "data": {"elapsed_ms": 7, "field": "card-number"}}),
        json!({"type": "identify", "name": "identify", "deviceId": "d", "anonymousId": "a", "cookieId": "c"}),
        json!({"type": "session", "name": "sessionStart"}),
    ];
    for mut event in own {
        let fields = event.as_object_mut().unwrap();
        fields.insert("id".into(), json!("i"));
        fields.insert("at".into(), json!(1));
        fields.insert("visit".into(), json!("v"));
        fields.insert("metadata".into(), metadata());
        let read: Event = serde_json::from_value(event.clone()).unwrap();
        assert_eq!(serde_json::to_value(&read).unwrap(), event);
    }
}

#[test]
fn an_event_of_another_namespace_is_refused() {
    assert!(serde_json::from_value::<EventNamespace>(json!("shop")).is_err());
}
