//! `cargo xtask bench`: each measured figure with its yardstick, as a ratio, and with its budget (docs/budgets.md).
//!
//! A measurement is a function that answers rows; to add one, put it into [`MEASUREMENTS`].

mod browser;
mod row;
mod saved;
mod service;

use std::ffi::OsString;
use std::path::Path;

use row::{Budget, Row};

use crate::failure::Failure;
use crate::{npm, page, prerequisites, sizes};

/// One thing that can be measured alone: `cargo xtask bench <name>`.
struct Measurement {
    name: &'static str,
    measure: fn(&Path) -> Result<Vec<Row>, Failure>,
}

/// Writes the table into the documents.
const SAVE: &str = "--save";

/// Needs so much time and disk that it is measured only when it is named.
const LISTS: &str = "lists";

/// Every measurement, in the order of the table.
const MEASUREMENTS: [Measurement; 8] = [
    Measurement {
        name: "sizes",
        measure: built_sizes,
    },
    Measurement {
        name: "document",
        measure: |root| browser::rows(root, "document-size"),
    },
    Measurement {
        name: "typing",
        measure: |root| browser::rows(root, "key-to-paint"),
    },
    Measurement {
        name: "waiting",
        measure: |root| browser::rows(root, "waiting"),
    },
    Measurement {
        name: "lighthouse",
        measure: |root| browser::rows(root, "lighthouse"),
    },
    Measurement {
        name: "charges",
        measure: |root| service::rows(root, "charges"),
    },
    Measurement {
        name: "pages",
        measure: |root| service::rows(root, "pages"),
    },
    // About half an hour and 20 GB of disk.
    Measurement {
        name: LISTS,
        measure: |root| service::rows(root, "lists"),
    },
];

/// Measures everything but the lists, or what is named, and prints the table. A measurement that fails takes no other with it. Fails
/// when one has failed, or something is over its budget. `--save` writes the table into `docs/benchmarks.md`, too.
pub(crate) fn run(root: &Path, arguments: &[OsString]) -> Result<(), Failure> {
    let (options, names): (Vec<_>, Vec<_>) = arguments.iter().cloned().partition(|it| it == SAVE);
    let measurements = named(&names)?;
    prerequisites::for_building()?;
    npm::install(root)?;
    page::build_if_changed(root)?;
    let (mut rows, mut failed) = (Vec::new(), Vec::new());
    for measurement in measurements {
        eprintln!("measuring {}", measurement.name);
        match (measurement.measure)(root) {
            Ok(measured) => rows.extend(measured),
            Err(failure) => failed.push((measurement.name, failure.to_string())),
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

fn named(arguments: &[OsString]) -> Result<Vec<&'static Measurement>, Failure> {
    if arguments.is_empty() {
        return Ok(MEASUREMENTS
            .iter()
            .filter(|measurement| measurement.name != LISTS)
            .collect());
    }
    let find = |argument: &OsString| {
        let found = MEASUREMENTS
            .iter()
            .find(|measurement| argument == measurement.name);
        found.ok_or_else(|| {
            let names: Vec<_> = MEASUREMENTS.iter().map(|measurement| measurement.name).collect();
            Failure::Usage(format!(
                "there is nothing to measure by the name `{}`: {}",
                argument.display(),
                names.join(", ")
            ))
        })
    };
    arguments.iter().map(find).collect()
}

/// What the browser fetches of scripts and styles, and what a merchant's page does.
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
mod tests {
    use super::*;

    #[test]
    fn measurements_are_asked_for_by_their_names() {
        let names = |words: &[&str]| {
            named(&words.iter().map(OsString::from).collect::<Vec<_>>()).map(|found| {
                found
                    .iter()
                    .map(|measurement| measurement.name)
                    .collect::<Vec<_>>()
            })
        };
        assert_eq!(
            names(&[]).unwrap(),
            [
                "sizes",
                "document",
                "typing",
                "waiting",
                "lighthouse",
                "charges",
                "pages"
            ]
        );
        assert_eq!(names(&["typing", "sizes"]).unwrap(), ["typing", "sizes"]);
        assert!(names(&["speed"]).is_err());
    }
}
