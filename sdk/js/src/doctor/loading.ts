// Finds the reasons why a form does not appear, or works only in part.

import type { Embedding } from "../../../../form/generated/wire.ts";
import type { PageFinding, PageFindingCode } from "./findings.ts";
import type { FormFrame, Heard } from "./frames.ts";

/** How long a form may say nothing, in milliseconds. */
const SILENCE_MS_MAX = 8_000;
/** How long the service may take to answer, in milliseconds. */
const ANSWER_MS_MAX = 5_000;
/** A form in a sandboxed frame needs these to pay. */
const SANDBOX_NEEDS = ["allow-scripts", "allow-same-origin", "allow-forms", "allow-popups"];

const DIRECTIVES: readonly (readonly [start: string, code: PageFindingCode])[] = [
  ["frame-src", "page_blocks_frame"],
  ["child-src", "page_blocks_frame"],
  ["script-src", "page_blocks_script"],
  ["connect-src", "page_blocks_connect"],
];

/** Violations of the page's policy, also those before this script loaded, in browsers that keep them. */
export function watchPolicy(origin: string): () => PageFinding[] {
  const found = new Map<PageFindingCode, PageFinding>();
  const note = (directive: string, blocked: string) => {
    const code = DIRECTIVES.find(([start]) => directive.startsWith(start))?.[1];
    if (code && URL.canParse(blocked) && new URL(blocked).origin === origin) {
      found.set(code, { code, what: `${directive} of the page does not allow ${origin}.` });
    }
  };
  document.addEventListener("securitypolicyviolation", (event) =>
    note(event.effectiveDirective, event.blockedURI),
  );
  if ("ReportingObserver" in window) {
    const observer = new ReportingObserver(
      (reports) => {
        for (const { body } of reports) {
          const { effectiveDirective = "", blockedURL = "" } = (body ?? {}) as Record<string, string>;
          note(effectiveDirective, blockedURL);
        }
      },
      { types: ["csp-violation"], buffered: true },
    );
    observer.observe();
  }
  return () => [...found.values()];
}

/** Asks the service, once for each payload, why the browser shows no form. */
export class EmbeddingQuestions {
  readonly #answers = new Map<string, PageFinding | null>();
  readonly #done: () => void;

  /** `done` is called after each answer. */
  constructor(done: () => void) {
    this.#done = done;
  }

  findings(frames: readonly FormFrame[], policy: readonly PageFinding[]): PageFinding[] {
    const found: PageFinding[] = [];
    for (const { url } of frames) {
      const payload = url.searchParams.get("payload") ?? "";
      const answer = this.#answers.get(payload);
      if (answer === undefined) {
        this.#answers.set(payload, null);
        void this.#ask(url.origin, payload);
      } else if (answer) {
        found.push(answer);
      }
    }
    // If the page's policy forbids the question, nothing is known of the service.
    const isForbidden = policy.some(({ code }) => code === "page_blocks_connect");
    return found.filter(({ code }) => !(isForbidden && code === "service_unreachable"));
  }

  async #ask(origin: string, payload: string): Promise<void> {
    try {
      const answer = await fetch(`${origin}/v1/pub/embedding?payload=${encodeURIComponent(payload)}`, {
        cache: "no-store",
        credentials: "omit",
        signal: AbortSignal.timeout(ANSWER_MS_MAX),
      });
      const { result } = (await answer.json()) as Partial<Embedding>;
      if (result === "origin-not-allowed") {
        const what = `${location.origin} is none of the merchant's allowed origins.`;
        this.#answers.set(payload, { code: "origin_not_allowed", what });
      } else if (result === "payload-refused") {
        const what = `The service refuses the payload, which has ${payload.length} characters.`;
        this.#answers.set(payload, { code: "payload_refused", what });
      }
    } catch {
      this.#answers.set(payload, { code: "service_unreachable", what: `${origin} does not answer.` });
    }
    this.#done();
  }
}

/** Frames that were there this long and have said nothing; `since` keeps when each was seen first. */
export function silent(
  frames: readonly FormFrame[],
  heard: WeakMap<object, Heard>,
  since: WeakMap<Element, number>,
): PageFinding[] {
  return frames.flatMap(({ element }): PageFinding[] => {
    const start = since.get(element) ?? performance.now();
    since.set(element, start);
    const { contentWindow } = element;
    const hasSpoken = contentWindow !== null && heard.has(contentWindow);
    return hasSpoken || performance.now() - start < SILENCE_MS_MAX
      ? []
      : [{ code: "form_silent", what: `The form has said nothing for ${SILENCE_MS_MAX / 1000} seconds.` }];
  });
}

/** Settings of the page and the browser that limit the form. */
export function environmentFindings(frames: readonly FormFrame[]): PageFinding[] {
  const found: PageFinding[] = [];
  for (const { element, url } of frames) {
    if (location.protocol === "https:" && url.protocol === "http:") {
      found.push({ code: "mixed_content", what: `The form's address is ${url.origin}.` });
    }
    const missing = SANDBOX_NEEDS.filter((need) => !element.sandbox.contains(need));
    if (element.hasAttribute("sandbox") && missing.length > 0) {
      found.push({ code: "frame_sandboxed", what: `The frame's sandbox lacks ${missing.join(", ")}.` });
    }
  }
  if (self.origin === "null") {
    found.push({ code: "page_sandboxed", what: "The page's origin is null." });
  } else if (isStorageBlocked()) {
    found.push({ code: "storage_blocked", what: "The browser denies cookies and storage." });
  }
  return found;
}

function isStorageBlocked(): boolean {
  try {
    return !navigator.cookieEnabled || window.localStorage === null;
  } catch {
    return true;
  }
}
