//! The binary `cardform`: reads the command line and runs the command. A failure is printed as one line.

use std::process::ExitCode;

use mimalloc::MiMalloc;
use server::commands::Cli;
use zeroizing_alloc::ZeroAlloc;

/// Zeroes memory when it is freed, so that no card number stays behind in a buffer that another crate made (such as a
/// request's body) or in the old copy of a buffer that grew.
#[global_allocator]
static ALLOCATOR: ZeroAlloc<MiMalloc> = ZeroAlloc(MiMalloc);

fn main() -> ExitCode {
    match server::commands::run(Cli::from_command_line()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("cardform: {}", error.message);
            ExitCode::from(error.exit_code)
        }
    }
}
