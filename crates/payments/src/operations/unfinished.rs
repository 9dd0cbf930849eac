//! Operations whose answer was lost, whose node died, or whose result follows. The provider is asked first; an operation
//! that it never received is sent again with the same key. No operation has a card, so this ends once the provider answers.

use protocol::OperationStatus;
use protocol::clock::millis;
use providers::{OperationLookup, OperationOutcome};
use store::{Operation, StoreError};

use super::run::{asked, record, run};
use crate::charges::Charges;
use crate::charges::press::LEASE;

/// How many operations one round works on.
const OPERATIONS_PER_ROUND: i64 = 100;

/// One round. Returns how many results it learned.
pub async fn settle_operations(charges: &Charges) -> Result<usize, StoreError> {
    let now = charges.clock.now_ms();
    let due = charges.store.due_operations(now, OPERATIONS_PER_ROUND).await?;
    let mut learned = 0;
    for operation in due {
        let until = charges.clock.now_ms() + millis(charges.settings.provider_timeout) + millis(LEASE);
        if !charges.store.own_operation(&operation, until).await? {
            continue;
        }
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
    let timeout = charges.settings.provider_timeout;
    Ok(
        match charges.provider.lookup_operation(asked(&of), timeout).await {
            OperationLookup::Known(outcome) => Some(record(charges, &of.operation, outcome).await?),
            OperationLookup::NeverReceived if may_be_on_its_way(charges, &of.operation) => {
                Some(record(charges, &of.operation, OperationOutcome::Unknown).await?)
            }
            OperationLookup::NeverReceived => Some(run(charges, &of).await?),
            OperationLookup::Unreachable if of.operation.state == OperationStatus::Succeeded => {
                // Its result is known; only a late failure is looked for.
                record(charges, &of.operation, OperationOutcome::Succeeded(None)).await?;
                None
            }
            OperationLookup::Unreachable => {
                record(charges, &of.operation, OperationOutcome::Unknown).await?;
                None
            }
        },
    )
}

/// Whether the first request may still arrive. Its key keeps a second one from moving money again; but a provider that forgets
/// keys would move it.
fn may_be_on_its_way(charges: &Charges, operation: &Operation) -> bool {
    let waits = millis(charges.settings.provider_timeout) + millis(charges.settings.provider_grace);
    charges.clock.now_ms() < operation.created_at + waits
}
