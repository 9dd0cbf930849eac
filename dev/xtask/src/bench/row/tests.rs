use super::*;

fn row(measured: f64, yardstick: Option<f64>, budget: Option<Budget>) -> Row {
    Row {
        name: "key press to paint".to_owned(),
        measured,
        unit: "ms".to_owned(),
        yardstick: yardstick.map(|measured| Yardstick {
            name: "a bare input".to_owned(),
            measured,
        }),
        budget,
    }
}

#[test]
fn a_figure_is_compared_with_its_budget() {
    for (row, holds) in [
        (row(16.0, None, Some(Budget::MeasuredMax(16.0))), true),
        (row(16.1, None, Some(Budget::MeasuredMax(16.0))), false),
        (row(13.0, Some(10.0), Some(Budget::RatioMax(1.3))), true),
        (row(14.0, Some(10.0), Some(Budget::RatioMax(1.3))), false),
        (row(6.0, Some(10.0), Some(Budget::RatioMin(0.6))), true),
        (row(5.9, Some(10.0), Some(Budget::RatioMin(0.6))), false),
        (row(5.9, None, Some(Budget::RatioMin(0.6))), false),
        (row(5.9, Some(0.0), Some(Budget::RatioMin(0.6))), false),
        (row(5.9, None, None), true),
        (row(f64::NAN, None, Some(Budget::MeasuredMax(16.0))), false),
    ] {
        assert_eq!(row.holds(), holds, "{row:?}");
    }
}

#[test]
fn a_row_is_read_from_its_line() {
    let line = r#"{"name": "key press to paint", "measured": 12.5, "unit": "ms",
            "yardstick": {"name": "a bare input", "measured": 5}, "measured_max": 16}"#;
    let expect = row(12.5, Some(5.0), Some(Budget::MeasuredMax(16.0)));
    assert_eq!(Row::parse(line).unwrap(), expect);
    assert!(Row::parse(r#"{"name": "x", "unit": "ms", "measured": null}"#).is_err());
    assert!(Row::parse("measuring …").is_err());
}

#[test]
fn the_table_marks_figures_over_budget() {
    let text = table(&[
        row(12.0, Some(5.0), Some(Budget::MeasuredMax(16.0))),
        row(17.0, None, Some(Budget::MeasuredMax(16.0))),
        row(0.0, Some(0.0), None),
    ]);
    let lines: Vec<_> = text
        .lines()
        .map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "))
        .collect();
    assert_eq!(
        lines[1..],
        [
            "key press to paint 12.00 ms 5.00 ms (a bare input) 2.40 × ≤ 16.00 ms ok",
            "key press to paint 17.00 ms - - ≤ 16.00 ms OVER",
            "key press to paint 0.00 ms 0.00 ms (a bare input) - -",
        ]
    );
}
