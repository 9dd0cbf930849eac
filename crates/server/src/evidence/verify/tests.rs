use super::*;

#[test]
fn the_page_data_end_at_the_first_closing_tag() {
    let html = format!("<p>{DATA_ELEMENT}{{\"a\":1}}</script><script>");
    assert_eq!(page_data(&html).unwrap()["a"], 1);
    assert_eq!(page_data("<p>"), None);
}
