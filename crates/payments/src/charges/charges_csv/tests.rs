use super::*;

fn cells(charge: &ChargeView) -> Vec<(String, String)> {
    let bytes = [header().unwrap(), rows(std::slice::from_ref(charge)).unwrap()].concat();
    let mut table = csv::Reader::from_reader(bytes.as_slice());
    let names = table.headers().unwrap().clone();
    let row = table.records().next().unwrap().unwrap();
    let cells = names.iter().zip(&row);
    cells
        .map(|(name, cell)| (name.to_owned(), cell.to_owned()))
        .collect()
}

#[test]
fn no_text_of_a_merchant_begins_a_formula() {
    let link = "=HYPERLINK(\"https://evil.example\",\"open\")";
    for text in [link, "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "\u{ff1d}1"] {
        let charge = ChargeView {
            partner_reference: text.into(),
            ..ChargeView::example(0)
        };
        let cells = cells(&charge);
        assert!(
            cells.contains(&("partner_reference".into(), format!("'{text}"))),
            "{text}"
        );
    }
}

#[test]
fn texts_are_quoted_and_lines_end_as_the_standard_says() {
    let charge = ChargeView {
        item_name: "100 \"gems\", cheap;=1".into(),
        metadata: [("floor".to_owned(), "3".to_owned())].into(),
        ..ChargeView::example(0)
    };
    let text = String::from_utf8(rows(std::slice::from_ref(&charge)).unwrap()).unwrap();
    assert!(
        text.contains("\"100 \"\"gems\"\", cheap;=1\",0.00,\"USD\""),
        "{text}"
    );
    assert!(text.contains("\"{\"\"floor\"\":\"\"3\"\"}\""), "{text}");
    assert!(text.ends_with("\"1970-01-01T00:00:00Z\",\"\"\r\n"), "{text}");
}

/// The places are not checked by the compiler.
#[test]
fn every_column_has_its_cell_of_a_charge_that_has_everything() {
    let charge: ChargeView = serde_json::from_value(serde_json::json!({
        "id": "ch_1", "status": "succeeded", "item_code": "gems", "item_name": "100 gems", "mode": "payment",
        "amount_value": "9.99", "amount_currency": "EUR", "capture_method": "manual",
        "amount_capturable": "0.01", "amount_captured": "9.98", "amount_refunded": "1.00",
        "capture_before": "2026-01-01T00:00:00Z", "paid_at": "2026-01-02T00:00:00Z",
        "partner_reference": "order-1", "shopper_id": "sh_1", "metadata": { "b": "=2", "a": "1\"\u{e9}" },
        "paid_with": {
            "brand": "visa", "last_four": "4242", "first_six": "424242", "expiration_month": "01",
            "expiration_year": "2031", "funding": "credit", "country": "FR", "network": "cb",
            "payment_method_id": "pm_1", "checks": { "security_code": "pass", "postal_code": "fail" },
            "three_ds": { "outcome": "authenticated", "flow": "challenge" },
        },
        "provider": { "name": "stripe", "reference": "pi_1", "network_transaction_id": "n_1" },
        "decline_code": "lost_card",
        "decline": { "code": "lost_card", "advice": "do_not_try_again", "network_code": "41", "retry_not_before": null },
        "refunds": [{ "id": "re_1", "status": "succeeded", "amount_value": "1.00" }],
        "dispute": { "status": "won", "amount_value": "9.99", "reason": "fraud", "respond_before": null },
        "created_at": "2026-01-03T00:00:00Z", "updated_at": "2026-01-04T00:00:00Z",
    }))
    .unwrap();
    let cells: Vec<String> = cells(&charge).into_iter().map(|(_, cell)| cell).collect();
    assert_eq!(
        cells.join(" "),
        "ch_1 succeeded gems 100 gems 9.99 EUR manual 0.01 9.98 1.00 2026-01-01T00:00:00Z 2026-01-02T00:00:00Z order-1 sh_1 \
         {\"a\":\"1\\\"\u{e9}\",\"b\":\"=2\"} visa 4242 424242 01 2031 credit FR pm_1 pass fail authenticated challenge \
         stripe pi_1 n_1 lost_card do_not_try_again 41 won 2026-01-03T00:00:00Z 2026-01-04T00:00:00Z cb"
    );
}
