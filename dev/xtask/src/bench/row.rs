//! A row of the table: a figure, what it is compared with in the same run, and what it may be.

use serde_json::Value;

use crate::failure::Failure;

const BYTES_PER_KILOBYTE: f64 = 1000.0;

/// A measured figure.
#[derive(Debug, PartialEq)]
pub(super) struct Row {
    pub(super) name: String,
    pub(super) measured: f64,
    /// Of the figure and of its yardstick's.
    pub(super) unit: String,
    pub(super) yardstick: Option<Yardstick>,
    /// `None` where only the figure is of interest.
    pub(super) budget: Option<Budget>,
}

/// What the figure is compared with.
#[derive(Debug, PartialEq)]
pub(super) struct Yardstick {
    pub(super) name: String,
    pub(super) measured: f64,
}

/// What a figure, or its ratio to the yardstick, may be at the most or must be at the least.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Budget {
    MeasuredMax(f64),
    RatioMax(f64),
    RatioMin(f64),
}

impl Row {
    /// Absent without a yardstick, and where that measured nothing.
    fn ratio(&self) -> Option<f64> {
        let yardstick = self.yardstick.as_ref()?;
        Some(self.measured / yardstick.measured).filter(|ratio| ratio.is_finite())
    }

    /// Whether the figure keeps its budget. One that is no number keeps none.
    pub(super) fn holds(&self) -> bool {
        let ratio = || self.ratio().unwrap_or(f64::NAN);
        match self.budget {
            None => self.measured.is_finite(),
            Some(Budget::MeasuredMax(max)) => self.measured <= max,
            Some(Budget::RatioMax(max)) => ratio() <= max,
            Some(Budget::RatioMin(min)) => ratio() >= min,
        }
    }

    /// Its name, figure, yardstick, ratio and budget, and whether it keeps that.
    pub(super) fn cells(&self) -> [String; 6] {
        let figure = |figure: f64| format!("{figure:.2} {}", self.unit);
        let yardstick = self.yardstick.as_ref();
        let budget = self.budget.map(|budget| match budget {
            Budget::MeasuredMax(max) => format!("≤ {}", figure(max)),
            Budget::RatioMax(max) => format!("≤ {max} ×"),
            Budget::RatioMin(min) => format!("≥ {min} ×"),
        });
        let verdict = match (self.holds(), self.budget) {
            (false, _) => "OVER",
            (true, Some(_)) => "ok",
            (true, None) => "",
        };
        let none = || "-".to_owned();
        [
            self.name.clone(),
            figure(self.measured),
            yardstick.map_or_else(none, |it| format!("{} ({})", figure(it.measured), it.name)),
            self.ratio().map_or_else(none, |ratio| format!("{ratio:.2} ×")),
            budget.unwrap_or_else(none),
            verdict.to_owned(),
        ]
    }

    /// Reads a row from what a measurement in another language prints: one line of JSON.
    pub(super) fn parse(line: &str) -> Result<Self, Failure> {
        let unusable = |problem: String| Failure::Unusable {
            what: "a row of a measurement".to_owned(),
            problem,
        };
        let value: Value = serde_json::from_str(line).map_err(|cause| unusable(cause.to_string()))?;
        let text = |key: &str| value[key].as_str().map(str::to_owned);
        let lacks = |key: &str| unusable(format!("it lacks `{key}`"));
        let yardstick = &value["yardstick"];
        let budgets = [
            ("measured_max", Budget::MeasuredMax as fn(f64) -> Budget),
            ("ratio_max", Budget::RatioMax),
            ("ratio_min", Budget::RatioMin),
        ];
        Ok(Self {
            name: text("name").ok_or_else(|| lacks("name"))?,
            measured: value["measured"].as_f64().ok_or_else(|| lacks("measured"))?,
            unit: text("unit").ok_or_else(|| lacks("unit"))?,
            yardstick: match (yardstick["name"].as_str(), yardstick["measured"].as_f64()) {
                (Some(name), Some(measured)) => Some(Yardstick {
                    name: name.to_owned(),
                    measured,
                }),
                _ => None,
            },
            budget: budgets
                .iter()
                .find_map(|(key, budget)| value[*key].as_f64().map(budget)),
        })
    }
}

/// Thousands of bytes, as budgets are written.
#[expect(
    clippy::cast_precision_loss,
    reason = "a size of some kilobytes is far below 2^52"
)]
pub(super) fn kilobytes(bytes: usize) -> f64 {
    bytes as f64 / BYTES_PER_KILOBYTE
}

/// The rows as a table, one line each.
pub(super) fn table(rows: &[Row]) -> String {
    let head = ["what", "measured", "yardstick", "ratio", "budget", ""].map(str::to_owned);
    let lines = rows.iter().map(Row::cells);
    let lines: Vec<String> = std::iter::once(head)
        .chain(lines)
        .map(|cells| line(&cells))
        .collect();
    lines.join("\n")
}

fn line([what, measured, yardstick, ratio, budget, verdict]: &[String; 6]) -> String {
    let line = format!("{what:<40} {measured:>12}  {yardstick:>28}  {ratio:>8}  {budget:>12}  {verdict}");
    line.trim_end().to_owned()
}

#[cfg(test)]
mod tests {
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
    fn a_figure_keeps_its_budget_or_does_not() {
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
    fn the_table_says_what_is_over() {
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
}
