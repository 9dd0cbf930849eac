// Starts Firefox and WebKit with their WebDriver programs and selenium-webdriver. Both programs are named here, because
// selenium-webdriver would otherwise look for them and download them.

import { type ChildProcess, spawn } from "node:child_process";
import { By, Capabilities, Key, WebDriver } from "selenium-webdriver";
import firefox from "selenium-webdriver/firefox.js";
import { Executor, HttpClient } from "selenium-webdriver/http/index.js";
import { DriverService } from "selenium-webdriver/remote/index.js";

/** Starting a browser takes long on a busy machine. */
const START_TIMEOUT_MS = 60_000;
/** How long a test waits for the page to do something. */
const WAIT_TIMEOUT_MS = 20_000;

export { Key };

/** A browser's window. */
export interface BrowserWindow {
  readonly driver: WebDriver;
  readonly open: (url: string) => Promise<void>;
  /** Clicks the middle of the element with the mouse. */
  readonly click: (selector: string) => Promise<void>;
  /** Presses the keys of `text` in the element that has the focus. */
  readonly type: (text: string) => Promise<void>;
  /** Presses `key` while `held` is held down. */
  readonly chord: (held: string, key: string) => Promise<void>;
  /** Runs the body of a function in the page and returns its result. */
  readonly run: <T>(body: string, ...args: readonly unknown[]) => Promise<T>;
  /** Waits until the body of a function returns something that is true. */
  readonly until: (body: string, ...args: readonly unknown[]) => Promise<void>;
}

export interface DrivenBrowser {
  readonly window: BrowserWindow;
  readonly stop: () => Promise<void>;
}

/** Firefox, without a screen. */
export async function startFirefox(): Promise<DrivenBrowser> {
  const options = new firefox.Options();
  options.addArguments("-headless");
  options.setBinary(fromEnvironment("FIREFOX", "/usr/bin/firefox-esr"));
  const service = new firefox.ServiceBuilder(fromEnvironment("GECKODRIVER", "geckodriver"));
  return start(service.setStdio("ignore").build(), options);
}

/** WebKit's MiniBrowser, on a virtual screen. */
export async function startWebKit(): Promise<DrivenBrowser> {
  const screen = await startScreen();
  const environment = { DISPLAY: screen.display, GDK_BACKEND: "x11", LIBGL_ALWAYS_SOFTWARE: "1" };
  const service = new DriverService.Builder(fromEnvironment("WEBKIT_DRIVER", "WebKitWebDriver"))
    .setLoopback(true)
    .setStdio("ignore")
    .setEnvironment({ ...(process.env as Record<string, string>), ...environment })
    .build();
  try {
    const browser = await start(service, new Capabilities({ browserName: "MiniBrowser" }));
    return {
      window: browser.window,
      stop: async () => {
        await browser.stop();
        await screen.stop();
      },
    };
  } catch (error) {
    await screen.stop();
    throw error;
  }
}

function fromEnvironment(variable: string, fallback: string): string {
  return process.env[variable] || fallback;
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

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) {
    return;
  }
  const ended = new Promise((resolve) => child.once("exit", resolve));
  child.kill("SIGTERM");
  await ended;
}

/** Starts the driver's program and, through it, a browser. */
async function start(service: DriverService, capabilities: Capabilities): Promise<DrivenBrowser> {
  try {
    const url = await service.start(START_TIMEOUT_MS);
    const driver = WebDriver.createSession(new Executor(new HttpClient(url)), capabilities);
    // The browser has started once it has a session.
    await driver.getSession();
    return {
      window: windowOf(driver),
      stop: async () => {
        await driver.quit();
        await service.kill();
      },
    };
  } catch (error) {
    await service.kill();
    throw error;
  }
}

function windowOf(driver: WebDriver): BrowserWindow {
  const run = <T>(body: string, ...args: readonly unknown[]) => driver.executeScript<T>(body, ...args);
  return {
    driver,
    open: (url) => driver.get(url),
    click: (selector) => driver.findElement(By.css(selector)).click(),
    type: (text) => driver.actions().sendKeys(text).perform(),
    chord: (held, key) => driver.actions().keyDown(held).sendKeys(key).keyUp(held).perform(),
    run,
    until: async (body, ...args) => {
      const condition = async () => Boolean(await run(body, ...args));
      await driver.wait(condition, WAIT_TIMEOUT_MS, `not within time: ${body}`);
    },
  };
}
