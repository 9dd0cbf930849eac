//! `GET /v1/pub/ip`: the client's address as text, for the direct charge's `shopper_agent`.

use web::{Caller, Content, DescribedAnswer, Operation};
pub use web::{ClientAddress, UNREADABLE};

/// This endpoint in the OpenAPI description.
pub const OPERATION: Operation = Operation {
    method: "GET",
    path: "/v1/pub/ip",
    id: "client_ip",
    summary: "Get the client's address",
    description: "For the form's page: the address that the request came from.",
    caller: Caller::Anyone,
    answers: &[DescribedAnswer {
        status: 200,
        description: "An IPv4 or IPv6 address.",
        content: Content::Text("text/plain; charset=utf-8"),
    }],
    ..Operation::OF_MERCHANT
};

/// The client's address as text, empty if it is unknown.
pub async fn client_ip(ClientAddress(address): ClientAddress) -> String {
    if address == UNREADABLE {
        return String::new();
    }
    address.to_string()
}
