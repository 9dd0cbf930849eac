use std::io::Read;

use super::*;

fn linked(path: &str) -> LinkedFile {
    LinkedFile {
        path: path.to_owned(),
        integrity: "sha384-aGFzaA==".to_owned(),
    }
}

#[test]
fn data_cannot_end_its_block_or_attribute() {
    let document = HtmlDocument {
        lang: "en-US",
        dir: "ltr",
        title: "</title><script>alert(1)</script>",
        color_mode: "\"><script>alert(2)</script>",
        theme: ":root{--label:#000000;}",
        style: &linked("/style.css"),
        script: &linked("/script.js"),
        test_mode: Some("<script>alert(8)</script>"),
        payee: Some(&Payee {
            name: "<script>alert(4)</script>".to_owned(),
            logo: Some("/logos/a.png\"><script>alert(5)</script>".to_owned()),
            website: Some("https://shop.example/?a=1&b=\"><script>alert(6)</script>".to_owned()),
        }),
        no_script: Some("<b>Turn it on</b>"),
        stalled_script: Some("<script>alert(7)</script>"),
        data: &ScriptJson::of(&serde_json::json!({
            "messages": 0, "name": "</script><script>alert(3)</script><!--",
        }))
        .unwrap(),
        texts: &CompressedPart::new(r#"{"pay":"Pay"}"#.to_owned()),
        body: RootContent::Rendered("<p>body</p>".to_owned()),
    };
    let html = document.to_html();
    let mut unpacked = String::new();
    let gzip = document.to_gzip();
    flate2::read::GzDecoder::new(&*gzip)
        .read_to_string(&mut unpacked)
        .unwrap();
    assert_eq!(unpacked, html);
    assert_eq!(html.matches("<script").count(), 2, "{html}");
    assert!(!html.contains("<!--"));
    assert!(html.contains("<style>:root{--label:#000000;}</style>"), "{html}");
    assert!(html.contains("<div id=\"root\"><p>body</p></div>"));
    assert!(
        html.contains(r#"id="page">{"messages":{"pay":"Pay"},"name":"\u003c/script"#),
        "{html}"
    );
}
