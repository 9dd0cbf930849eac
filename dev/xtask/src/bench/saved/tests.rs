use super::*;

#[test]
fn a_failed_measurement_has_a_row_of_its_own() {
    let line =
        r#"{"name": "pages", "measured": 2, "unit": "/s", "yardstick": {"name": "nginx", "measured": 4}}"#;
    let text = figures(
        &[Row::parse(line).unwrap()],
        &[("lighthouse", "NO_NAVSTART".to_owned())],
    );
    let lines: Vec<_> = text.lines().skip(2).collect();
    assert_eq!(
        lines,
        [
            "| pages | 2.00 /s | 4.00 /s (nginx) | 0.50 × | - |  |",
            "| lighthouse | failed | NO_NAVSTART | - | - | FAILED |",
        ]
    );
}
