//! PgBouncer in transaction mode, in front of PostgreSQL: each transaction gets another session.

mod program;

use std::path::Path;

use chaos::killed_nodes::Chaos;
use chaos::provider::ChosenProvider;
use harness::postgres::{Durability, Postgres};

use crate::both_databases::scenario;
use crate::other_program::OtherProgram;
use crate::process::{complaint, run};
use crate::world::{World, card, send};

use self::program::PgBouncer;

const GOOD: &str = "4242424242424242";

#[tokio::test]
async fn the_scenario_passes_behind_pgbouncer() {
    let postgres = Postgres::start(Durability::None).unwrap();
    let pooled = PgBouncer::start(&postgres);
    let database = pooled.url(&postgres.new_database_name().unwrap()) + "&pgbouncer=true";
    Box::pin(scenario(World::on(database).await)).await;
}

#[tokio::test]
async fn nodes_behind_pgbouncer_pay_a_charge_once_despite_kills() {
    let postgres = Postgres::start(Durability::None).unwrap();
    let pooled = PgBouncer::start(&postgres);
    let dir = tempfile::tempdir().unwrap();
    let chaos = Chaos {
        database: pooled.url(&postgres.new_database_name().unwrap()) + "&pgbouncer=true",
        provider: ChosenProvider::Simulator,
        nodes: 2,
        charges: 40,
        shoppers: 20,
        seed: 20_260_715,
        stands_still: false,
    };
    let report = chaos
        .run(Path::new(env!("CARGO_BIN_EXE_cardform")), dir.path())
        .await;
    println!("{}", report.unwrap());
}

/// The limit of the wait for a row is set in each transaction.
#[tokio::test]
async fn a_locked_charge_behind_pgbouncer_ends_in_a_503() {
    let postgres = Postgres::start(Durability::None).unwrap();
    let pooled = PgBouncer::start(&postgres);
    let name = postgres.new_database_name().unwrap();
    let world = World::on(pooled.url(&name) + "&pgbouncer=true").await;
    let charge = world.charge().await;
    let holder = OtherProgram::connect(&postgres.url(&name)).await;
    let lock = format!(
        "BEGIN; SELECT 1 FROM charges WHERE id = '{}' FOR UPDATE",
        charge.id
    );
    holder.run(&lock).await.unwrap();
    let answer = send(world.press(&charge, "press", &card(&charge, GOOD))).await;
    assert_eq!((answer.status, answer.code()), (503, "unavailable"), "{answer:?}");
    holder.run("ROLLBACK").await.unwrap();
    assert_eq!(world.pay(&charge, "press", GOOD).await.status, 201);
}

#[tokio::test]
async fn an_address_without_pgbouncers_parameter_is_explained() {
    let postgres = Postgres::start(Durability::None).unwrap();
    let pooled = PgBouncer::start(&postgres);
    let name = postgres.new_database_name().unwrap();
    let dir = tempfile::tempdir().unwrap();
    let migrate = |url: &str| run(dir.path(), &["migrate", "--database", url]);
    assert!(migrate(&(pooled.url(&name) + "&pgbouncer=true")).status.success());
    // The first connection leaves its prepared statements in the sessions, and the next connections find them there.
    for _ in 0..20 {
        let migrated = migrate(&pooled.url(&name));
        if !migrated.status.success() {
            let refused = complaint(&migrated);
            assert!(refused.contains("pgbouncer=true"), "{refused}");
            return;
        }
    }
    panic!("prepared statements work behind PgBouncer");
}
