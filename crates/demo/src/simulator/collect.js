// Tells the page that holds this frame how the collection of device data ended. A JSON string, as such services do.

window.parent.postMessage(document.body.dataset.message, "*");
