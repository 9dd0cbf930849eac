// Gives `selenium-webdriver/http/index.js`, which Node needs in an import, the types of `selenium-webdriver/http`; the same
// for `remote`.

declare module "selenium-webdriver/http/index.js" {
  export * from "selenium-webdriver/http";
}
declare module "selenium-webdriver/remote/index.js" {
  export * from "selenium-webdriver/remote";
}
