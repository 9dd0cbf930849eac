//! Stores merchants, charges, attempts and keys in SQLite or PostgreSQL. It knows no HTTP. Each entity has one file,
//! with SQL that both databases accept.

mod attempt;
mod attempt_count;
mod audit_log;
mod backup;
mod charge;
mod charge_change;
mod charge_expiry;
mod charge_list;
mod charge_story;
mod charge_view;
mod closure;
mod creation;
mod database;
mod dispute;
mod event_list;
mod event_log;
mod group_commit;
mod health;
mod hold;
mod list_position;
mod lost_payment;
mod merchant_card;
mod merchant_page;
mod migrations;
mod operation;
mod page_asset;
mod partner;
mod provider_card;
mod queue_lengths;
mod recent_reads;
mod replica;
mod report;
mod retention;
mod saved_card;
mod saved_card_keys;
mod saved_card_transfer;
mod secret_key;
mod shopper;
mod shopper_action;
mod signing_key;
mod sql;
#[cfg(test)]
mod tests;
mod triggers;
mod visit;
mod webhook_endpoint;
mod webhook_event;
mod webhook_replay;
mod webhook_secret;
mod write;

use std::path::Path;

use protocol::charge_state::IllegalTransition;
use thiserror::Error;

use self::health::FileIdentity;
use self::sql::counts::WorkCounter;
use self::sql::postgres::PostgresPool;
use self::write::{Readers, Writer};

pub use attempt::step::{AttemptStep, StepKind};
pub use attempt::{
    Attempt, AttemptOutcome, AttemptState, BeginOutcome, FinishOutcome, NEVER_MADE, NewAttempt, UsedCard,
};
pub use attempt_count::AttemptCount;
pub use audit_log::{Actor, AuditAction, AuditLine, NewAuditLine};
pub use backup::{BackupError, CheckedCopy, UnnamedCopy, back_up, check_copy, restore};
pub use charge::{Charge, ChargeTerms, EndOutcome};
pub use charge_change::{ChangeOutcome, ChargeChange, ToldChange};
pub use charge_expiry::{DueCharges, OpenCharge};
pub use charge_list::{ChargeFilter, ChargePage};
pub use charge_story::{ChargeStory, ToldAttempt, ToldCall, ToldEvent};
pub use closure::PaymentClosure;
pub use creation::{Creation, CreationKey, CreationOutcome};
pub use database::Database;
pub use dispute::StoredDispute;
pub use event_list::{EventFilter, EventPage, MerchantEvent, StoredDelivery};
pub use event_log::{AppendOutcome, DeletedEvents, NewBatch, StoredBatch};
pub use hold::DueHold;
pub use list_position::{ListPosition, cut_page};
pub use lost_payment::BroughtBack;
pub use merchant_card::{CardChoice, CardDecline, StoredCard};
pub use merchant_page::{Logo, MerchantPage, MerchantPageChange};
pub use migrations::TableState;
pub use operation::{
    BeginOperation, NewOperation, Operation, OperationOfPayment, OperationResult, is_hold_ending, refunded,
};
pub use page_asset::PageAsset;
pub use partner::{Partner, PartnerChange};
pub use provider_card::{CardChange, DueCardChange};
pub use queue_lengths::OpenAttempts;
pub use recent_reads::RecentReads;
pub use report::{ReportRange, TalliedTime, Tally, VisitTopic, amount_text};
pub use retention::{ChargeRecord, RemovedCharges, RetentionCursor};
pub use saved_card::{CardAgreement, CardOwner, CardRange, PayableCard, PendingCard, ShownCard};
pub use saved_card_keys::{CardUnderOldKey, RewrappedCard};
pub use saved_card_transfer::{ExportedCard, ImportState, ImportedCard};
pub use secret_key::{NewSecretKey, SecretKey};
pub use shopper::{ErasedShopper, Erasure};
pub use shopper_action::WaitingAttempt;
pub use signing_key::StoredSigningKey;
pub use sql::counts::{DatabaseWork, PoolState, database_errors};
pub use sql::error::SqlError;
pub use sql::postgres::Transport;
pub use visit::{LatestWord, VISITS_AT_ONCE, Visit};
pub use webhook_endpoint::{DueEndpoint, EndpointKey, KnownEndpoint, StoredWebhookSecret, WebhookEndpoint};
pub use webhook_event::{DeliveryOutcome, DueEvent, EndpointCall};
pub use webhook_replay::{EventSelection, ListedEvent, REPLAYED};
pub use webhook_secret::RewrappedSecret;

/// The database. Cheap to clone.
///
/// SQLite lets one connection write at a time. All writes of this process therefore queue for the one `writer` instead
/// of polling for the lock, and share commits; the busy timeout makes them wait for other processes. On PostgreSQL
/// `writer` and `readers` are the same pool.
#[derive(Debug, Clone)]
pub struct Store {
    /// The file, on SQLite.
    file: Option<FileIdentity>,
    /// The connection of the readiness check, on PostgreSQL.
    health: Option<PostgresPool>,
    writer: Writer,
    readers: Readers,
    work: WorkCounter,
}

/// An error of the database.
#[derive(Debug, Error)]
pub enum StoreError {
    /// The database cannot be opened, or a statement failed.
    #[error("database: {0}")]
    Database(#[from] SqlError),
    /// An applied migration is not one of ours, or has changed since.
    #[error("migrations: {0}")]
    Migration(String),
    /// A row has a value that this version does not understand.
    #[error("the database holds an unusable {0}")]
    Unusable(&'static str),
    /// There is no database, or one without our tables.
    #[error(
        "there is no database of cardform; `cardform migrate` makes one, or name another with --database"
    )]
    Missing,
    /// Another process changed the row between reading and writing.
    #[error("the {0} was changed by another process at the same time")]
    Conflict(&'static str),
    /// The database could not end the transaction; nothing of it was written.
    #[error("the database could not make a transaction durable")]
    NotDurable,
    /// The charge's state does not allow the event.
    #[error(transparent)]
    IllegalTransition(#[from] IllegalTransition),
}

impl StoreError {
    /// Whether the database cannot be used now, so that a later retry can help.
    pub fn is_outage(&self) -> bool {
        match self {
            Self::Database(cause) => cause.is_outage(),
            Self::NotDurable | Self::Conflict(_) => true,
            _ => false,
        }
    }
}

impl Store {
    /// Opens the database file, creates it if it is missing, and applies the migrations.
    pub async fn open(file: &Path) -> Result<Self, StoreError> {
        Self::connect(&Database::Sqlite(file.to_owned())).await
    }

    /// Connects to the database and applies the migrations. Several nodes may do so at once.
    pub async fn connect(database: &Database) -> Result<Self, StoreError> {
        Self::connect_with(database, None).await
    }

    /// Connects with at most so many connections.
    pub async fn connect_with(database: &Database, connections: Option<u32>) -> Result<Self, StoreError> {
        let work = WorkCounter::default();
        let (writer, readers) = database.open(connections, &work).await?;
        Ok(Self {
            health: database.health().await?,
            file: match database {
                Database::Sqlite(file) => FileIdentity::of(file),
                Database::Postgres(_) => None,
            },
            writer,
            readers,
            work,
        })
    }

    /// Connects to an existing database, and applies the missing migrations.
    pub async fn connect_existing(database: &Database) -> Result<Self, StoreError> {
        database.must_exist().await?;
        Self::connect(database).await
    }

    /// How busy the connections are now: on SQLite those that read.
    pub fn pool_state(&self) -> PoolState {
        match &self.readers {
            Readers::Sqlite(readers) => readers.state(),
            Readers::Postgres(pool) => pool.state(),
        }
    }

    /// The work of the database so far.
    pub fn work(&self) -> DatabaseWork {
        self.work.so_far()
    }

    /// Closes all connections. SQLite then writes its log back into the database file.
    pub async fn close(&self) {
        if let Some(health) = &self.health {
            health.close();
        }
        match &self.readers {
            Readers::Sqlite(readers) => readers.close().await,
            Readers::Postgres(pool) => pool.close(),
        }
        if let Writer::Sqlite(group) = &self.writer {
            group.close().await;
        }
    }
}
