//! The operator's desk: finds charges of all merchants, tells their stories, and refunds, captures, cancels and resends. Each
//! endpoint has a file with its name. `acts.rs` has what each act does first: its checks and its line in the audit log.
//!
//! Like the report, these endpoints may change with the page, so `openapi.json` does not describe them.

pub mod find_charges;
pub mod me;
pub mod show_charge;

pub mod operator_cancel;
pub mod operator_capture;
pub mod operator_refund;
pub mod operator_resend;

pub mod show_audit_log;

mod acts;
mod merged_charges;
pub mod story;
