//! A connection to the service's database from outside of the service.

use std::sync::{Arc, Mutex};

use tokio::task::spawn_blocking;

pub(crate) enum OtherProgram {
    Sqlite(Arc<Mutex<rusqlite::Connection>>),
    Postgres(tokio_postgres::Client),
}

impl OtherProgram {
    /// To the database with this address.
    pub(crate) async fn connect(database: &str) -> Self {
        if let Some(file) = database.strip_prefix("sqlite:") {
            let connection = rusqlite::Connection::open(file).unwrap();
            return Self::Sqlite(Arc::new(Mutex::new(connection)));
        }
        // The driver knows the socket's folder by the parameter `host` alone.
        let address = database.replacen("@localhost/", "@/", 1);
        let (client, connection) = tokio_postgres::connect(&address, tokio_postgres::NoTls)
            .await
            .unwrap();
        tokio::spawn(connection);
        Self::Postgres(client)
    }

    /// Runs statements. Returns what the database says if it refuses one.
    pub(crate) async fn run(&self, statements: &str) -> Result<(), String> {
        match self {
            Self::Sqlite(connection) => {
                // On a thread of its own: while it waits for the service's transaction, that must be able to end.
                let (connection, statements) = (Arc::clone(connection), statements.to_owned());
                let running = spawn_blocking(move || connection.lock().unwrap().execute_batch(&statements));
                let ran = running.await.unwrap();
                ran.map_err(|refused| refused.to_string())
            }
            Self::Postgres(client) => {
                let ran = client.batch_execute(statements).await;
                ran.map_err(|refused| refused.as_db_error().unwrap().message().to_owned())
            }
        }
    }
}
