// A browser driven by the W3C WebDriver protocol: Firefox through geckodriver, WebKit through WebKitWebDriver.

import { type ChildProcess, spawn } from "node:child_process";
import type { AddressInfo } from "node:net";
import { createServer } from "node:net";

/** A busy machine takes its time to start a browser. */
const START_TIMEOUT_MS = 60_000;
const START_POLL_MS = 100;
/** How long a test waits for the page to do something. */
const WAIT_TIMEOUT_MS = 20_000;
/** The protocol's name of an element in an answer. */
const ELEMENT = "element-6066-11e4-a52e-4f735466cecf";

/** Keys that are no characters, as the protocol writes them. */
export const KEYS = {
  backspace: "\ue003",
  tab: "\ue004",
  enter: "\ue007",
  shift: "\ue008",
  control: "\ue009",
  escape: "\ue00c",
  end: "\ue010",
  home: "\ue011",
  left: "\ue012",
  delete: "\ue017",
} as const;

/** A browser's window. */
export interface Window {
  readonly open: (url: string) => Promise<void>;
  /** Clicks at the middle of the element as a mouse does. */
  readonly click: (selector: string) => Promise<void>;
  /** Types into whatever has the focus. */
  readonly type: (text: string) => Promise<void>;
  /** Holds a key down while another is pressed. */
  readonly chord: (held: string, key: string) => Promise<void>;
  /** Runs the body of a function in the page and returns what it returns. */
  readonly run: <T>(body: string, ...args: readonly unknown[]) => Promise<T>;
  /** Waits until the body of a function returns something that is true. */
  readonly until: (body: string, ...args: readonly unknown[]) => Promise<void>;
}

export interface DrivenBrowser {
  readonly window: Window;
  readonly stop: () => Promise<void>;
}

/** How a driver is started and what it is asked for. */
interface Driver {
  readonly command: (port: number) => readonly [string, ...string[]];
  readonly capabilities: object;
  readonly environment?: Readonly<Record<string, string>>;
}

/** Firefox, without a screen. */
export function startFirefox(): Promise<DrivenBrowser> {
  return start({
    command: (port) => [named("GECKODRIVER", "geckodriver"), "--port", String(port)],
    capabilities: {
      browserName: "firefox",
      "moz:firefoxOptions": { args: ["-headless"], binary: named("FIREFOX", "/usr/bin/firefox-esr") },
    },
  });
}

/** WebKit in its own small browser, on a screen that nobody sees. */
export async function startWebKit(): Promise<DrivenBrowser> {
  const screen = await startScreen();
  const browser = await start({
    command: (port) => [named("WEBKIT_DRIVER", "WebKitWebDriver"), `--port=${port}`],
    capabilities: { browserName: "MiniBrowser" },
    environment: { DISPLAY: screen.display, GDK_BACKEND: "x11", LIBGL_ALWAYS_SOFTWARE: "1" },
  }).catch(async (error: unknown) => {
    await screen.stop();
    throw error;
  });
  return {
    window: browser.window,
    stop: async () => {
      await browser.stop();
      await screen.stop();
    },
  };
}

function named(variable: string, otherwise: string): string {
  const value = process.env[variable];
  return value === undefined || value === "" ? otherwise : value;
}

async function startScreen() {
  const child = spawn("Xvfb", ["-displayfd", "1", "-screen", "0", "1280x900x24", "-nolisten", "tcp"], {
    stdio: ["ignore", "pipe", "ignore"],
  });
  const number = await new Promise<string>((resolve, reject) => {
    child.stdout.setEncoding("utf8").once("data", resolve);
    child.once("error", reject);
    child.once("exit", (code) => reject(new Error(`Xvfb ended with ${code}`)));
  });
  return { display: `:${number.trim()}`, stop: () => end(child) };
}

async function start({ command, capabilities, environment }: Driver): Promise<DrivenBrowser> {
  const port = await freePort();
  const [program, ...args] = command(port);
  // A group of its own, so that the browser ends with its driver.
  const child = spawn(program, args, {
    stdio: "ignore",
    detached: true,
    env: { ...process.env, ...environment },
  });
  const failed = new Promise<never>((_, reject) => {
    child.once("error", reject);
    child.once("exit", (code) => reject(new Error(`${program} ended with ${code}`)));
  });
  failed.catch(() => {});
  const driver = `http://127.0.0.1:${port}`;
  try {
    await Promise.race([failed, untilReady(driver)]);
    const { sessionId } = await send<{ sessionId: string }>("POST", `${driver}/session`, {
      capabilities: { alwaysMatch: capabilities },
    });
    const session = `${driver}/session/${sessionId}`;
    return {
      window: windowOf(session),
      stop: async () => {
        await send("DELETE", session).catch(() => {});
        await end(child);
      },
    };
  } catch (error) {
    await end(child);
    throw error;
  }
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer().once("error", reject);
    probe.listen(0, "127.0.0.1", () => {
      const { port } = probe.address() as AddressInfo;
      probe.close(() => resolve(port));
    });
  });
}

async function untilReady(driver: string): Promise<void> {
  const isReady = async () => {
    const response = await fetch(`${driver}/status`).catch(() => null);
    return response?.ok === true;
  };
  await poll(isReady, START_TIMEOUT_MS, "the driver does not answer");
}

async function poll(condition: () => Promise<boolean>, timeoutMs: number, failure: string): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  while (!(await condition())) {
    if (Date.now() > deadline) {
      throw new Error(failure);
    }
    // tidy-allow sleep: a driver that is starting says nothing; it can only be asked again.
    await new Promise((resolve) => setTimeout(resolve, START_POLL_MS));
  }
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) {
    return;
  }
  const ended = new Promise((resolve) => child.once("exit", resolve));
  child.kill("SIGTERM");
  await ended;
}

async function send<T>(method: "GET" | "POST" | "DELETE", url: string, body?: object): Promise<T> {
  const response = await fetch(url, {
    method,
    headers: { "content-type": "application/json" },
    ...(body && { body: JSON.stringify(body) }),
  });
  const { value } = (await response.json()) as { value: T & { error?: string; message?: string } };
  if (!response.ok) {
    throw new Error(`the driver refused: ${value.error}: ${value.message}`);
  }
  return value;
}

function windowOf(session: string): Window {
  const run = <T>(body: string, ...args: readonly unknown[]) =>
    send<T>("POST", `${session}/execute/sync`, { script: body, args });
  const act = (...sources: readonly object[]) => send("POST", `${session}/actions`, { actions: sources });
  return {
    open: async (url) => {
      await send("POST", `${session}/url`, { url });
    },
    click: async (selector) => {
      const found = await send<Record<string, string>>("POST", `${session}/element`, {
        using: "css selector",
        value: selector,
      });
      await send("POST", `${session}/element/${found[ELEMENT]}/click`, {});
    },
    type: async (text) => {
      const actions = Array.from(text).flatMap((value) => [
        { type: "keyDown", value },
        { type: "keyUp", value },
      ]);
      await act({ type: "key", id: "keyboard", actions });
    },
    chord: async (held, key) => {
      const actions = [
        { type: "keyDown", value: held },
        { type: "keyDown", value: key },
        { type: "keyUp", value: key },
        { type: "keyUp", value: held },
      ];
      await act({ type: "key", id: "keyboard", actions });
    },
    run,
    until: (body, ...args) =>
      poll(async () => Boolean(await run(body, ...args)), WAIT_TIMEOUT_MS, `not within time: ${body}`),
  };
}
