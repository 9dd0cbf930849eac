use super::*;

#[test]
fn each_arrow_is_a_row() {
    let html = table("stateDiagram-v2\n    [*] --> created\n    created --> processing: pressed\n");
    assert!(
        html.contains("<tr><td>the beginning</td><td></td><td>created</td></tr>"),
        "{html}"
    );
    assert!(
        html.contains("<tr><td>created</td><td>pressed</td><td>processing</td></tr>"),
        "{html}"
    );
}
