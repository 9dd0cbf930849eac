// Search and copy buttons. Everything else on these pages works without a script.

const RESULTS_MAX = 12;
/** Characters of text around what was found. */
const AROUND = 60;

const input = document.querySelector("#search");
const found = document.querySelector("#found");
const list = found.querySelector("ol");
const status = found.querySelector("[role=status]");
let index;

/** A new element with this text. */
function element(name, text, className = "") {
  const made = document.createElement(name);
  made.textContent = text;
  made.className = className;
  return made;
}

/** A word without the ending of its plural, so that "refunds" finds "refund". */
function stem(word) {
  return word.length > 4 ? word.replace(/(ies|y|s)$/, "") : word;
}

/**
 * How well a section fits the words: its headings and other names count most, then the names that it explains, then its
 * page, then its text. Zero if a word is missing.
 */
function rank({ title, also, terms, page, text }, words) {
  const [heading, names, pageTitle, body] = [`${title}, ${also}`, terms, page, text].map((part) =>
    part.toLowerCase(),
  );
  let sum = 0;
  for (const word of words.map(stem)) {
    const points =
      (heading.includes(word) ? 100 : 0) +
      (names.split(" ").includes(word) ? 40 : names.includes(word) ? 10 : 0) +
      (pageTitle.includes(word) ? 5 : 0) +
      (body.includes(word) ? 1 : 0);
    if (points === 0) return 0;
    sum += points;
  }
  const all = words.join(" ");
  const isNamed = heading.split(", ").some((name) => stem(name) === stem(all));
  return sum + (isNamed ? 200 : heading.startsWith(stem(all)) ? 50 : 0) + (title === page ? 2 : 0);
}

/** The text around the first of the words. */
function excerpt(text, words) {
  const places = words.map((word) => text.toLowerCase().indexOf(word)).filter((place) => place >= 0);
  const from = Math.max(0, Math.min(...(places.length > 0 ? places : [0])) - AROUND);
  return `${from > 0 ? "…" : ""}${text.slice(from, from + 3 * AROUND)}…`;
}

async function search() {
  const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
  index ??= fetch("/docs/search.json").then((answer) => answer.json());
  const sections = await index.catch(() => {
    index = undefined;
    return [];
  });
  const fits =
    words.length === 0 ? [] : sections.map((section) => ({ section, points: rank(section, words) }));
  const best = fits.filter(({ points }) => points > 0).sort((one, other) => other.points - one.points);
  list.replaceChildren(
    ...best.slice(0, RESULTS_MAX).map(({ section: { address, page, title, text } }) => {
      const item = document.createElement("li");
      const link = element("a", title === page ? page : `${page}: ${title}`);
      link.href = address;
      item.append(link, element("p", excerpt(text, words)));
      return item;
    }),
  );
  status.textContent =
    best.length === 0 ? "Nothing found" : `${Math.min(best.length, RESULTS_MAX)} of ${best.length} found`;
  found.hidden = words.length === 0;
}

function close() {
  found.hidden = true;
}

/** Moves the focus among the search field and its results. */
function step(forward) {
  const places = [input, ...list.querySelectorAll("a")];
  const place = places.indexOf(document.activeElement) + (forward ? 1 : -1);
  places.at(place % places.length).focus();
}

input.addEventListener("input", search);
input.addEventListener("focus", () => input.value && found.hidden && search());
document.addEventListener("keydown", (event) => {
  const { key, target } = event;
  if (key === "Escape" && !found.hidden) {
    input.focus();
    close();
  } else if (key === "/" && document.activeElement === document.body) {
    event.preventDefault();
    input.focus();
  } else if (/^Arrow(Down|Up)$/.test(key) && !found.hidden && target.closest("search")) {
    event.preventDefault();
    step(key === "ArrowDown");
  } else if (key === "Enter" && target === input && !event.isComposing) {
    list.querySelector("a")?.click();
  }
});
document.addEventListener("click", (event) => {
  if (!event.target.closest("search") || event.target.closest("#found a")) close();
});
document.querySelector("search").hidden = false;

for (const figure of document.querySelectorAll("figure.code")) {
  const button = element("button", "Copy", "copy");
  button.type = "button";
  const code = figure.querySelector("code");
  button.setAttribute("aria-label", `Copy ${figure.dataset.file ?? "this code"}`);
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(code.textContent);
    button.textContent = "Copied";
    setTimeout(() => (button.textContent = "Copy"), 2_000);
  });
  figure.append(button);
}
