// The challenge for a merchant's page that shows it itself.

/** How a challenge ended. The form has the outcome of the payment. */
export type ChallengeEnd = "returned" | "canceled" | "over";

/** The bank's challenge, for a page that shows it itself (`onChallenge`). */
export interface Challenge {
  /** The bank's page. */
  readonly url: string;
  /** The size that the bank's page needs, in CSS pixels. */
  readonly width: number;
  readonly height: number;
  /** Texts for your buttons, in the form's language. */
  readonly labels: { readonly title: string; readonly close: string; readonly newWindow: string };
  /**
   * Puts the bank's page into `element`. Resolves when it is to be taken away: `returned` when the shopper has answered the
   * bank, `canceled` after `cancel()`, and `over` when the challenge has ended otherwise, such as when its time is over.
   */
  mount(element: Element): Promise<ChallengeEnd>;
  /** Opens the bank's page in a window of its own; for the few banks that forbid frames. Call it in a click. */
  openWindow(): void;
  /** The shopper gives up: `submit()` resolves with `failed`, unless the payment has succeeded just before. */
  cancel(): void;
}
