//! What a shopper gets of the features, and what decided it.

use rules::Brand;
use serde_json::Value;
use wire::{Assignment, Features};

/// What a shopper gets of one feature.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// The feature's value.
    pub value: Value,
    /// Whether it counts as on: anything but null, false, 0 and the empty text.
    pub is_on: bool,
    /// What decided.
    pub decided_by: DecidedBy,
    /// The experiment that the shopper is in.
    pub assignment: Option<Assignment>,
    /// Where in the experiment the shopper is, from 0 to 1.
    pub bucket: Option<f64>,
}

/// What decided the value of a feature.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DecidedBy {
    /// The document does not have the feature.
    UnknownFeature,
    /// No rule matched.
    DefaultValue,
    /// The rule of this number, from 0, which gives a value.
    Force(usize),
    /// The rule of this number, from 0, which is an experiment.
    Experiment(usize),
    /// The rule of this number, from 0: what it depends on is not met, and that decides.
    Prerequisite(usize),
    /// The rule of this number, from 0: it depends on itself.
    CyclicPrerequisite(usize),
}

/// The eight experiments, as a page gets them.
#[derive(Debug, Clone, PartialEq)]
pub struct Assigned {
    /// Which are on.
    pub features: Features,
    /// The experiments that the shopper is really in.
    pub experiments: Vec<Assignment>,
    /// The brands that are shown before one is detected.
    pub available_brands: Vec<Brand>,
}
