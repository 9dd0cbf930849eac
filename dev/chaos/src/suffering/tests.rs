use super::*;

#[test]
fn a_metrics_lines_are_added_up() {
    let text = "errors{kind=\"a\"} 2\nerrors{kind=\"b\"} 3\nerrors_of_others 7\n";
    assert_eq!(sum_of(text, "errors{kind="), 5);
    assert_eq!(sum_of(text, "errors{kind=\"b\"}"), 3);
    assert_eq!(sum_of(text, "nothing"), 0);
}
