//! `cargo xtask bench`: each measured figure with its yardstick, as a ratio, and with its budget (docs/budgets.md).

mod browser;
mod row;
mod saved;
mod service;

use std::ffi::OsString;
use std::path::Path;

use row::{Budget, Row};

use crate::failure::Failure;
use crate::{npm, page, prerequisites, sizes};

/// Returns the rows of one measurement.
type Measure = fn(&Path) -> Result<Vec<Row>, Failure>;

/// Writes the table into the documents.
const SAVE: &str = "--save";

/// This measurement needs half an hour and 20 GB of disk, so it runs only when it is named.
const LISTS: &str = "lists";

/// Every measurement, in the order of the table. `cargo xtask bench NAME` runs one alone.
const MEASUREMENTS: [(&str, Measure); 8] = [
    ("sizes", built_sizes),
    ("document", |root| browser::rows(root, "document-size")),
    ("typing", |root| browser::rows(root, "key-to-paint")),
    ("waiting", |root| browser::rows(root, "waiting")),
    ("lighthouse", |root| browser::rows(root, "lighthouse")),
    ("charges", |root| service::rows(root, "charges")),
    ("pages", |root| service::rows(root, "pages")),
    (LISTS, |root| service::rows(root, LISTS)),
];

/// Runs the named measurements, or all but the lists, and prints the table. The others run even if one fails. Returns a failure
/// if one has failed, or a figure is over its budget. `--save` writes the table into `docs/benchmarks.md`, too.
pub(crate) fn run(root: &Path, arguments: &[OsString]) -> Result<(), Failure> {
    let (options, names): (Vec<_>, Vec<_>) = arguments.iter().cloned().partition(|it| it == SAVE);
    let measurements = named(&names)?;
    prerequisites::for_building()?;
    npm::install(root)?;
    page::build_if_changed(root)?;
    let (mut rows, mut failed) = (Vec::new(), Vec::new());
    for (name, measure) in measurements {
        eprintln!("measuring {name}");
        match measure(root) {
            Ok(measured) => rows.extend(measured),
            Err(failure) => failed.push((name, failure.to_string())),
        }
    }
    println!("{}", row::table(&rows));
    for (name, problem) in &failed {
        println!("{name:<40} FAILED: {problem}");
    }
    if !options.is_empty() {
        saved::save(root, &rows, &failed)?;
    }
    if !failed.is_empty() {
        let names: Vec<_> = failed.iter().map(|(name, _)| *name).collect();
        return Err(Failure::Unmeasured(names.join(", ")));
    }
    let over: Vec<_> = rows
        .iter()
        .filter(|row| !row.holds())
        .map(|row| row.name.as_str())
        .collect();
    if over.is_empty() {
        return Ok(());
    }
    Err(Failure::OverBudget(over.join("; ")))
}

fn named(arguments: &[OsString]) -> Result<Vec<(&'static str, Measure)>, Failure> {
    if arguments.is_empty() {
        return Ok(MEASUREMENTS
            .into_iter()
            .filter(|(name, _)| *name != LISTS)
            .collect());
    }
    let find = |argument: &OsString| {
        let found = MEASUREMENTS.into_iter().find(|(name, _)| argument == name);
        found.ok_or_else(|| {
            Failure::Usage(format!(
                "there is nothing to measure by the name `{}`: {}",
                argument.display(),
                MEASUREMENTS.map(|(name, _)| name).join(", ")
            ))
        })
    };
    arguments.iter().map(find).collect()
}

/// The sizes of the scripts and styles that a shopper's browser and a merchant's page fetch.
fn built_sizes(root: &Path) -> Result<Vec<Row>, Failure> {
    let sizes = sizes::measure(&root.join(page::DIST))?;
    let row = |size: &sizes::Size| Row {
        name: format!("{}, {}", size.what, size.format),
        measured: row::kilobytes(size.bytes),
        unit: "KB".to_owned(),
        yardstick: None,
        budget: size.bytes_max.map(|max| Budget::MeasuredMax(row::kilobytes(max))),
    };
    Ok(sizes.iter().map(row).collect())
}

#[cfg(test)]
mod tests;
