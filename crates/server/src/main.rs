//! The binary `cardform`: reads the command line, runs the command, and says in one line why it could not.

use std::process::ExitCode;

use server::cli::Cli;
use zeroizing_alloc::ZeroAlloc;

/// Zeroes memory when it is freed, so that buffers of others' making (a request's body, a copy that grew) leave no card
/// number behind.
#[global_allocator]
static ALLOCATOR: ZeroAlloc<std::alloc::System> = ZeroAlloc(std::alloc::System);

fn main() -> ExitCode {
    match server::commands::run(Cli::from_command_line()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("cardform: {}", error.message);
            ExitCode::from(error.exit_code)
        }
    }
}
