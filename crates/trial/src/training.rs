//! The work from which `cargo xtask profile` counts what the service does: pages, over TLS too, and charges on both
//! databases, as the benchmarks have them, and pages in gzip, which is how browsers get them.

use std::path::Path;

use crate::page_load::{Asked, LoadAnswers, Over, SERVING};
use crate::pages::{DifferentPage, address_of, different_pages, serve};
use crate::process::{Program, end_in_order};
use crate::{TrialError, bench, pages, tls};

/// How many charges are paid on each database.
const CHARGES: usize = 4_000;

/// Has `binary` do the work. Each process ends in order, and so writes what it counted.
pub async fn run(binary: &Path) -> Result<(), TrialError> {
    end_in_order();
    gzip_pages(binary).await?;
    pages::rows(binary).await?;
    tls::rows(binary).await?;
    bench::rows(binary, CHARGES).await?;
    Ok(())
}

async fn gzip_pages(binary: &Path) -> Result<(), TrialError> {
    let dir = tempfile::tempdir().map_err(|cause| TrialError::Start("a folder".to_owned(), cause))?;
    let program = Program::new(binary, dir.path()).on_core(SERVING);
    let service = serve(&program, &[])?;
    let links = different_pages(&program, &service).await?;
    let requests: Vec<_> = links.iter().map(DifferentPage::gzip_request).collect();
    LoadAnswers::default().add(&Asked {
        server: address_of(&service.url)?,
        id: service.id(),
        requests: &requests,
        over: Over::Http1,
    })
}
