//! A row of the table: a figure, its yardstick from the same run, and its budget.

use serde_json::Value;

use crate::failure::Failure;

const BYTES_PER_KILOBYTE: f64 = 1000.0;

/// A measured figure.
#[derive(Debug, PartialEq)]
pub(super) struct Row {
    pub(super) name: String,
    pub(super) measured: f64,
    /// The unit of the figure and of its yardstick.
    pub(super) unit: String,
    pub(super) yardstick: Option<Yardstick>,
    /// `None` if the figure only explains others.
    pub(super) budget: Option<Budget>,
}

/// The figure for comparison.
#[derive(Debug, PartialEq)]
pub(super) struct Yardstick {
    pub(super) name: String,
    pub(super) measured: f64,
}

/// The limit of a figure, or of its ratio to the yardstick.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Budget {
    MeasuredMax(f64),
    RatioMax(f64),
    RatioMin(f64),
}

impl Row {
    /// `None` without a yardstick, or if the yardstick is zero.
    fn ratio(&self) -> Option<f64> {
        let yardstick = self.yardstick.as_ref()?;
        Some(self.measured / yardstick.measured).filter(|ratio| ratio.is_finite())
    }

    /// Whether the figure is within its budget. A figure that is not a number is not.
    pub(super) fn holds(&self) -> bool {
        let ratio = || self.ratio().unwrap_or(f64::NAN);
        match self.budget {
            None => self.measured.is_finite(),
            Some(Budget::MeasuredMax(max)) => self.measured <= max,
            Some(Budget::RatioMax(max)) => ratio() <= max,
            Some(Budget::RatioMin(min)) => ratio() >= min,
        }
    }

    /// The row's cells: name, figure, yardstick, ratio, budget, and whether the figure is within the budget.
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

    /// Reads a row that a measurement has printed: one line of JSON.
    pub(super) fn parse(line: &str) -> Result<Self, Failure> {
        let unusable = |problem: String| Failure::unusable("a row of a measurement", problem);
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

/// Thousands of bytes, the unit of budgets.
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
mod tests;
