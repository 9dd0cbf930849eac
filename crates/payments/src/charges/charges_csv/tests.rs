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
