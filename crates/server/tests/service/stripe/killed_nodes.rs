//! Nodes with Stripe's connector are killed at random moments while shoppers pay: each charge is paid at most once, and
//! all books agree, localstripe's too.

use std::path::Path;

use chaos::killed_nodes::Chaos;
use chaos::provider::ChosenProvider;
use harness::postgres::{Durability, Postgres};

use super::localstripe::localstripe;

async fn chaos(database: String, nodes: usize) {
    let dir = tempfile::tempdir().unwrap();
    let chaos = Chaos {
        database,
        provider: ChosenProvider::Localstripe(localstripe()),
        nodes,
        charges: 24,
        shoppers: 8,
        seed: 20_260_715,
        stands_still: false,
    };
    let report = chaos
        .run(Path::new(env!("CARGO_BIN_EXE_cardform")), dir.path())
        .await
        .unwrap();
    println!("{report}");
}

#[tokio::test]
async fn stripe_charges_on_sqlite_are_paid_once_despite_kills() {
    chaos("sqlite:cardform.db".to_owned(), 1).await;
}

#[tokio::test]
async fn stripe_charges_on_postgresql_are_paid_once_despite_kills() {
    let postgres = Postgres::start(Durability::None).unwrap();
    chaos(postgres.new_database().unwrap(), 2).await;
}
