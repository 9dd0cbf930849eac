// A document small enough to run React without a browser: elements in a tree, without layout and events.

class StandInNode {
  readonly nodeType: number = 1;
  readonly namespaceURI = "http://www.w3.org/1999/xhtml";
  readonly style = { setProperty: () => {} };
  readonly childNodes: StandInNode[] = [];
  parentNode: StandInNode | null = null;
  textContent = "";
  constructor(readonly nodeName: string) {}
  get tagName(): string {
    return this.nodeName;
  }
  get ownerDocument(): typeof standInDocument {
    return standInDocument;
  }
  appendChild(child: StandInNode): void {
    this.insertBefore(child, null);
  }
  insertBefore(child: StandInNode, next: StandInNode | null): void {
    const place = next === null ? this.childNodes.length : this.childNodes.indexOf(next);
    this.childNodes.splice(place, 0, child);
    child.parentNode = this;
  }
  removeChild(child: StandInNode): void {
    this.childNodes.splice(this.childNodes.indexOf(child), 1);
    child.parentNode = null;
  }
  addEventListener(): void {}
  removeEventListener(): void {}
  setAttribute(): void {}
  removeAttribute(): void {}
}

const standInDocument = {
  nodeType: 9,
  nodeName: "#document",
  activeElement: null,
  addEventListener: () => {},
  removeEventListener: () => {},
  createElement: (name: string) => new StandInNode(name.toUpperCase()),
  get defaultView() {
    return globalThis;
  },
};

Object.assign(globalThis, {
  window: globalThis,
  navigator: { userAgent: "", language: "de-AT", languages: ["de-AT", "en"] },
  document: standInDocument,
  HTMLIFrameElement: class {},
  IS_REACT_ACT_ENVIRONMENT: true,
});

/** An element into which React draws. */
export function standInRoot(): Element {
  return new StandInNode("DIV") as unknown as Element;
}
