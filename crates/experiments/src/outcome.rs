//! The values of features for one shopper, and what decided them.

use protocol::{Assignment, Features};
use rules::Brand;
use serde_json::Value;

/// The value of one feature for a shopper.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// The feature's value.
    pub value: Value,
    /// Whether the feature is on: its value is not null, false, 0 or the empty string.
    pub is_on: bool,
    /// What decided.
    pub decided_by: DecidedBy,
    /// The shopper's experiment, if an experiment decided.
    pub assignment: Option<Assignment>,
    /// The shopper's position in the experiment, from 0 to 1.
    pub bucket: Option<f64>,
}

/// What decided the value of a feature.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DecidedBy {
    /// The document does not have the feature.
    UnknownFeature,
    /// No rule matched, so the default value holds.
    DefaultValue,
    /// The rule with this number, from 0, sets the value.
    Force(usize),
    /// The rule with this number, from 0, is an experiment.
    Experiment(usize),
    /// The rule with this number, from 0, needs another feature, whose condition is not met.
    Prerequisite(usize),
    /// The rule with this number, from 0, depends on its own feature.
    CyclicPrerequisite(usize),
}

/// The eight experiments for one page.
#[derive(Debug, Clone, PartialEq)]
pub struct Assigned {
    /// Which of them are on.
    pub features: Features,
    /// The experiments that the shopper takes part in.
    pub experiments: Vec<Assignment>,
    /// The brands that the form shows before it has detected one.
    pub available_brands: Vec<Brand>,
}
