use super::*;

fn connections(total: usize, per_address: usize) -> Connections {
    Connections::new(ConnectionLimits {
        total,
        per_address,
        proxies: vec!["5.6.7.0/24".parse().unwrap()],
        end_after_card: true,
    })
}

/// Holds a connection as its task does: until it is told to end.
fn hold(admitted: Admitted) -> tokio::task::JoinHandle<u64> {
    tokio::spawn(async move {
        admitted.activity.is_ended().await;
        admitted.id
    })
}

fn counted(connections: &Connections, reason: CloseReasonLabel) -> u64 {
    connections.0.closed.get_or_create(&reason).get()
}

const A: [u8; 4] = [1, 2, 3, 4];
const B: [u8; 4] = [1, 2, 3, 5];

#[tokio::test(start_paused = true)]
async fn the_oldest_idle_connection_makes_room_for_a_new_one() {
    let connections = connections(3, 3);
    let mut held = Vec::new();
    for _ in 0..3 {
        held.push(hold(connections.admit(A.into()).await.unwrap()));
        tokio::time::advance(Duration::from_millis(10)).await;
    }
    let newest = connections.admit(B.into()).await.unwrap();
    assert_eq!(held.remove(0).await.unwrap(), 0);
    assert!(held.iter().all(|task| !task.is_finished()));
    assert_eq!((counted(&connections, IDLE), counted(&connections, FULL)), (1, 0));
    assert_eq!(connections.0.gauge.get(), 3);
    drop(newest);
    assert_eq!(connections.0.gauge.get(), 2);
}

#[tokio::test(start_paused = true)]
async fn a_connection_without_requests_is_closed_first() {
    let connections = connections(2, 2);
    let answered = connections.admit(A.into()).await.unwrap();
    drop(answered.activity.begin_request(axum::http::Version::HTTP_11));
    let answered = hold(answered);
    tokio::time::advance(Duration::from_secs(5)).await;
    let silent = hold(connections.admit(B.into()).await.unwrap());
    let _third = connections.admit(A.into()).await.unwrap();
    assert_eq!(silent.await.unwrap(), 1);
    assert!(!answered.is_finished());
}

#[tokio::test(start_paused = true)]
async fn a_busy_connection_is_never_closed_for_another() {
    let connections = connections(1, 1);
    let busy = connections.admit(A.into()).await.unwrap();
    let request = busy.activity.begin_request(axum::http::Version::HTTP_11);
    assert!(connections.admit(B.into()).await.is_none());
    assert_eq!(counted(&connections, FULL), 1);
    // While the client has not sent the body, the connection is idle.
    let owed = busy.activity.await_body();
    let busy = hold(busy);
    assert!(connections.admit(B.into()).await.is_some());
    busy.await.unwrap();
    drop((request, owed));
}

#[tokio::test(start_paused = true)]
async fn each_address_has_its_own_share_of_connections() {
    let connections = connections(10, 2);
    let busy: Vec<_> = [A, A]
        .map(|address| {
            let connections = connections.clone();
            async move { connections.admit(address.into()).await.unwrap() }
        })
        .into_iter()
        .collect();
    let mut kept = Vec::new();
    for connection in busy {
        let connection = connection.await;
        kept.push(connection.activity.begin_request(axum::http::Version::HTTP_11));
        std::mem::forget(connection);
    }
    assert!(connections.admit(A.into()).await.is_none());
    assert_eq!(counted(&connections, ADDRESS_FULL), 1);
    assert!(connections.admit(B.into()).await.is_some());
    // The addresses of a proxy and of this machine stand for many clients.
    let mut of_many = Vec::new();
    for address in [[5, 6, 7, 8], [127, 0, 0, 1]] {
        for _ in 0..3 {
            of_many.push(connections.admit(address.into()).await.unwrap());
        }
    }
}

#[tokio::test(start_paused = true)]
async fn an_address_that_is_full_loses_its_own_oldest_connection() {
    let connections = connections(10, 2);
    let others = hold(connections.admit(B.into()).await.unwrap());
    let mut own = Vec::new();
    for _ in 0..2 {
        tokio::time::advance(Duration::from_millis(10)).await;
        own.push(hold(connections.admit(A.into()).await.unwrap()));
    }
    let third = connections.admit(A.into()).await.unwrap();
    assert_eq!(own.remove(0).await.unwrap(), 1);
    assert!(!others.is_finished() && !own[0].is_finished());
    drop(third);
}
