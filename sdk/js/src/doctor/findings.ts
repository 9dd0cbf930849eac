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
    why: "The merchant has a list of origins, and the page's is not on it: the browser does not show the frame.",
    fix: "Ask the operator: cardform merchant set --partner-id ID --allowed-origin ORIGIN.",
  },
  payload_refused: {
    severity: "error",
    why: "The form does not show for it: it was cut off, changed, or is of another installation.",
    fix: "Use the payload of POST /v1/charges of this service, unchanged and encoded for a URL.",
  },
  service_unreachable: {
    severity: "error",
    why: "The browser gets no answer from Cardform, so no form appears.",
    fix: "Check the address, that the service runs, and its certificate.",
  },
  mixed_content: {
    severity: "error",
    why: "Browsers load nothing over http into a page that came over https.",
    fix: "Use the https address of Cardform in the page.",
  },
  page_blocks_frame: {
    severity: "error",
    why: "The page's own policy forbids the form's frame.",
    fix: "Add the origin of Cardform to frame-src (or child-src, default-src) of the page's content-security-policy.",
  },
  page_blocks_script: {
    severity: "error",
    why: "The page's own policy forbids the SDK's script.",
    fix: "Add the origin of Cardform to script-src of the page's content-security-policy, or a nonce.",
  },
  page_blocks_connect: {
    severity: "warning",
    why: "The SDK cannot ask why a form does not appear, so its message to the shopper and to you is less exact.",
    fix: "Add the origin of Cardform to connect-src of the page's content-security-policy.",
  },
  form_silent: {
    severity: "error",
    why: "The frame has loaded, and the form in it has said nothing. Its page or its script was stopped on the way.",
    fix: "Run cardform doctor --url URL: it finds proxies that add x-frame-options or change the page. Switch extensions off.",
  },
  frame_sandboxed: {
    severity: "error",
    why: "The sandbox attribute takes from the form what it needs to pay.",
    fix: "Remove sandbox from the frame, or add allow-scripts, allow-same-origin, allow-forms and allow-popups.",
  },
  page_sandboxed: {
    severity: "error",
    why: "The page itself is sandboxed without allow-same-origin, so it has no origin that a merchant could allow.",
    fix: "Add allow-same-origin to the sandbox attribute around the page, or to the sandbox directive of its policy.",
  },
  storage_blocked: {
    severity: "warning",
    why: "The browser keeps nothing for this page. The form works, but each visit counts as that of a new shopper.",
    fix: "Nothing, if you have blocked cookies yourself. Otherwise look for a policy or an extension that does.",
  },
  frame_scaled: {
    severity: "warning",
    why: "The page scales the form with transform, scale or zoom. Text becomes blurred or too small, and touches may miss.",
    fix: "Give the form's element a width instead of scaling it.",
  },
  frame_clipped: {
    severity: "error",
    why: "A part of the form is cut off: a shopper cannot reach a field, or does not see an error.",
    fix: "Let the height of the form's element follow its content: no height, max-height or overflow: hidden around it.",
  },
  small_inputs: {
    severity: "warning",
    why: "Phones zoom into the page when a shopper taps an input whose text is smaller than 16 px.",
    fix: "Give the named input a font-size of 16 px or more on touch screens.",
  },
  viewport_missing: {
    severity: "warning",
    why: "Without a viewport phones draw the page as on a desktop, and everything in it is tiny.",
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
