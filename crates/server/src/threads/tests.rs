use tokio::runtime::Handle;

use super::*;

#[test]
fn a_command_runs_on_as_many_threads_as_the_setting_says() {
    for threads in [1, 3] {
        let workers = run_on(Some(threads), async { Handle::current().metrics().num_workers() });
        assert_eq!(workers.unwrap(), threads);
    }
}
