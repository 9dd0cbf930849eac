//! schemathesis, a Python program.

use std::path::{Path, PathBuf};

use crate::failure::Failure;
use crate::test::python::PythonTool;

const SCHEMATHESIS: PythonTool = PythonTool {
    name: "schemathesis",
    requirements: include_str!("requirements.txt"),
    carried: None,
};

/// The path of schemathesis, installed first where it is not there in these versions.
pub(in crate::test) fn installed(root: &Path) -> Result<PathBuf, Failure> {
    SCHEMATHESIS.installed(root)
}
