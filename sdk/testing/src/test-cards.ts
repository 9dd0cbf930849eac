// The simulator's most useful test cards. `GET /demo/test-cards` of demo mode lists all of them.

/** Card numbers of the simulator. Each takes any future expiry date and any security code of the right length. */
export const TEST_CARDS = {
  /** Visa. Pays. */
  approved: "4242424242424242",
  /** Pays. */
  mastercard: "5555555555554444",
  /** Pays. Its security code has four digits. */
  americanExpress: "378282246310005",
  /** The bank asks the shopper to confirm (3-D Secure). Then it pays. */
  challenge: "4000000000003220",
  /** The bank asks the shopper to confirm. Then it is declined. */
  challengeThenDeclined: "4000008400001629",
  /** 3-D Secure without a question to the shopper. Pays. */
  frictionless: "4000000000003055",
  /** Declined: `generic_decline`. */
  declined: "4000000000000002",
  /** Declined: `insufficient_funds`. */
  insufficientFunds: "4000000000009995",
  /** Declined: `expired_card`. */
  expiredCard: "4000000000000069",
  /** Declined: `incorrect_cvc`. */
  incorrectSecurityCode: "4000000000000127",
  /** Declined: `processing_error`. */
  processingError: "4000000000000119",
} as const;
