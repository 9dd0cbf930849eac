// The code blocks of the served documentation.

/** A fenced block of a page. */
export interface DocumentedCode {
  /** The page's address. */
  readonly page: string;
  readonly language: string;
  /** The words after the language, as `try=no reason="…"`. */
  readonly marks: string;
  readonly code: string;
}

/** The code blocks of every page that `/llms.txt` lists, in their order. */
export async function documentedCode(url: string): Promise<DocumentedCode[]> {
  const overview = await (await fetch(`${url}/llms.txt`)).text();
  const pages = [...overview.matchAll(/\]\((\/docs\/[^)]+\.md)\)/g)].map(([, path = ""]) => path);
  const found: DocumentedCode[] = [];
  for (const page of pages.filter((page) => page !== "/docs/all.md")) {
    const text = await (await fetch(url + page)).text();
    for (const [, language = "", marks = "", code = ""] of text.matchAll(
      /^ *```(\w+)([^\n]*)\n([\s\S]*?)^ *```$/gm,
    )) {
      found.push({ page, language, marks: marks.trim(), code });
    }
  }
  return found;
}

/**
 * Whether the block is a file of samples/ or of a framework's project, a terminal of the quick start, or a drawing, which
 * tests of their own try.
 */
export function hasOwnTest({ language, marks }: DocumentedCode): boolean {
  return language === "mermaid" || /^(file|terminal)=/.test(marks);
}

/** Why a block is not tried; undefined if it must be. */
export function reasonNotTried({ marks }: DocumentedCode): string | undefined {
  return marks.match(/^try=no reason="([^"]{20,})"$/)?.[1];
}
