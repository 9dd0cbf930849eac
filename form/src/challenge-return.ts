// The script of the page to which a challenge returns. It tells the page that framed it, or opened its window, that the
// challenge is over. The server knows how it ended; this message is not trusted. If there is no such page, this one shows the
// outcome, with the theme of the payment page if this browser has kept it.

export {};

/** `CHALLENGE_SOURCE`, which a test compares: importing it would have the browser load a second file. */
const MESSAGE = { source: "cardform-challenge", result: "completed" };

for (const holder of [window.parent, window.opener as Window | null]) {
  if (holder !== null && holder !== window) {
    // The message has nothing that another page could use, so it may go to any origin.
    holder.postMessage(MESSAGE, "*");
  }
}
if (window.opener !== null) {
  window.close();
} else if (window.parent === window && !location.search.includes("customStyle=")) {
  try {
    // `LOOK_KEY`, which a test compares.
    const look = localStorage.getItem("cardform-look");
    if (look) {
      location.search += `&customStyle=${encodeURIComponent(look)}`;
    }
  } catch {
    // Without storage the page has the default theme.
  }
}
