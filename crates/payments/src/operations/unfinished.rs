//! Operations whose answer was lost, whose node died, or whose result follows. The provider is asked first; an operation
//! that it never received is sent again with the same key. No operation has a card, so this ends once the provider answers.

use protocol::OperationStatus;
use protocol::clock::millis;
use providers::{OperationLookup, OperationOutcome};
use store::{Operation, StoreError};

use super::run::{PENDING_LATER, asked, record, run};
use crate::charges::Charges;
use crate::charges::press::LEASE;
use crate::charges::provider_call::LOOKUP_TIMEOUT;

/// How many operations one round works on.
const OPERATIONS_PER_ROUND: i64 = 100;

/// One round. Returns how many results it learned.
pub async fn settle_operations(charges: &Charges) -> Result<usize, StoreError> {
    let now = charges.clock.now_ms();
    let due = charges.store.due_operations(now, OPERATIONS_PER_ROUND).await?;
    let mut learned = 0;
    for mut operation in due {
        let until = charges.clock.now_ms() + millis(charges.settings.provider_timeout) + millis(LEASE);
        if !charges.store.own_operation(&operation, until).await? {
            continue;
        }
        operation.owner_until = Some(until);
        let before = operation.state;
        let Some(now) = settle(charges, operation).await? else {
            // The provider cannot be reached, so the other operations would wait for it, too.
            break;
        };
        learned += usize::from(now.state != before);
    }
    Ok(learned)
}

/// Asks for one operation. `None` if the provider cannot be reached.
async fn settle(charges: &Charges, operation: Operation) -> Result<Option<Operation>, StoreError> {
    let of = charges.store.operation_of_payment(operation).await?;
    let answer = charges
        .provider
        .lookup_operation(asked(&of), LOOKUP_TIMEOUT)
        .await;
    let is_reached = answer != OperationLookup::Unreachable;
    let outcome = match (answer, of.operation.state) {
        (OperationLookup::Known(outcome), _) => outcome,
        (OperationLookup::Unreachable, OperationStatus::Succeeded) => {
            // It may have failed since, so it is asked again. The longer it has succeeded, the longer that can wait.
            let now = charges.clock.now_ms();
            let pause = millis(PENDING_LATER).max((now - of.operation.created_at) / 10);
            charges.store.own_operation(&of.operation, now + pause).await?;
            return Ok(None);
        }
        // The provider has confirmed it once. It may have forgotten the key since, and would move the money again.
        (_, OperationStatus::Succeeded) => OperationOutcome::Succeeded(None),
        (_, OperationStatus::Pending) => OperationOutcome::Pending(None),
        (OperationLookup::NeverReceived, _) if !may_be_on_its_way(charges, &of.operation) => {
            return run(charges, &of).await.map(Some);
        }
        (OperationLookup::NeverReceived | OperationLookup::Unreachable, _) => OperationOutcome::Unknown,
    };
    let now = record(charges, &of.operation, outcome).await?;
    Ok(is_reached.then_some(now))
}

/// Whether the first request may still arrive. Its key keeps a second one from moving money again; but a provider that forgets
/// keys would move it.
fn may_be_on_its_way(charges: &Charges, operation: &Operation) -> bool {
    let waits = millis(charges.settings.provider_timeout) + millis(charges.settings.provider_grace);
    charges.clock.now_ms() < operation.created_at + waits
}
