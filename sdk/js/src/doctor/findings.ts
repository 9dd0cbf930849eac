// The findings of `/sdk/doctor.js` in a merchant's page, each with its reason and its remedy (docs/doctor.md#in-your-page).
// `cardform doctor` uses some of these codes with the same meaning.

export type Severity = "error" | "warning";

interface Explanation {
  readonly severity: Severity;
  readonly why: string;
  readonly fix: string;
}

export const EXPLANATIONS = {
  origin_not_allowed: {
    severity: "error",
    why: "The page's origin is not on the merchant's list: the browser does not show the frame.",
    fix: "Ask the operator: cardform merchant set --partner-id ID --allowed-origin ORIGIN.",
  },
  payload_refused: {
    severity: "error",
    why: "The form does not show for it: it was cut off, changed, or is of another installation.",
    fix: "Use the payload of this service's POST /v1/charges, unchanged and encoded for a URL.",
  },
  service_unreachable: {
    severity: "error",
    why: "Cardform does not answer the browser, so no form appears.",
    fix: "Check the address, that the service runs, and its certificate.",
  },
  mixed_content: {
    severity: "error",
    why: "Browsers load nothing over http into an https page.",
    fix: "Use Cardform's https address.",
  },
  page_blocks_frame: {
    severity: "error",
    why: "The page's own policy forbids the form's frame.",
    fix: "Add Cardform's origin to frame-src (or child-src, default-src) of the policy.",
  },
  page_blocks_script: {
    severity: "error",
    why: "The page's own policy forbids the SDK's script.",
    fix: "Add Cardform's origin, or a nonce, to script-src of the policy.",
  },
  page_blocks_connect: {
    severity: "warning",
    why: "The SDK cannot ask why a form does not appear: its messages are less exact.",
    fix: "Add Cardform's origin to connect-src of the page's content-security-policy.",
  },
  form_silent: {
    severity: "error",
    why: "The frame has loaded, but not the form in it: its page or its script was stopped.",
    fix: "Run cardform doctor --url URL: it finds proxies that add x-frame-options or change the page. Switch extensions off.",
  },
  frame_sandboxed: {
    severity: "error",
    why: "The sandbox attribute takes from the form what it needs to pay.",
    fix: "Remove sandbox from the frame, or add allow-scripts, allow-same-origin, allow-forms and allow-popups.",
  },
  page_sandboxed: {
    severity: "error",
    why: "The page is sandboxed without allow-same-origin, so no merchant can allow its origin.",
    fix: "Add allow-same-origin to the page's sandbox attribute, or to its policy's sandbox directive.",
  },
  storage_blocked: {
    severity: "warning",
    why: "The browser stores nothing for this page: each visit counts as a new shopper's. The form works.",
    fix: "Nothing, if you have blocked cookies. Otherwise look for a policy or an extension.",
  },
  frame_scaled: {
    severity: "warning",
    why: "The page scales the form (transform, scale or zoom): text is blurred or too small, touches may miss.",
    fix: "Give the form's element a width instead.",
  },
  frame_clipped: {
    severity: "error",
    why: "The form is cut off: a shopper cannot reach a field, or does not see an error.",
    fix: "Let the form's element be as high as its content: no height, max-height or overflow: hidden around it.",
  },
  small_inputs: {
    severity: "warning",
    why: "Phones zoom into the page at an input with text under 16 px.",
    fix: "Give the input a font-size of 16 px or more on touch screens.",
  },
  viewport_missing: {
    severity: "warning",
    why: "Without a viewport phones draw a tiny page, as on a desktop.",
    fix: 'Add <meta name="viewport" content="width=device-width, initial-scale=1"> to the page.',
  },
} as const satisfies Readonly<Record<string, Explanation>>;

export type PageFindingCode = keyof typeof EXPLANATIONS;

/** One thing that is wrong. */
export interface PageFinding {
  readonly code: PageFindingCode;
  /** The fault, with its place. */
  readonly what: string;
}
