// The whole script of the page that a challenge leads back to: tells who holds its frame, or opened its window, that the
// challenge is over. How it ended is asked of the server; nothing that is said here is believed.

/** `source` and `result` of the message. */
const MESSAGE = { source: "cardform-challenge", result: "completed" };

for (const holder of [window.parent, window.opener as Window | null]) {
  if (holder !== null && holder !== window) {
    // It says nothing that another page could use, so it may go to whoever is there.
    holder.postMessage(MESSAGE, "*");
  }
}
if (window.opener !== null) {
  window.close();
}
