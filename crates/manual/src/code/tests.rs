use super::*;

#[test]
fn texts_and_comments_are_marked_and_nothing_is_lost() {
    let html = highlighted("js", "a(\"<\\\"\"); // why\n");
    let expected =
        "a(<span class=\"text\">&quot;&lt;\\&quot;&quot;</span>); <span class=\"comment\">// why</span>\n";
    assert_eq!(html, expected);
}

#[test]
fn an_address_is_no_comment() {
    assert_eq!(highlighted("ts", "x = y://z\n"), "x = y://z\n");
}
