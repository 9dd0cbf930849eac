// The package's types name its folders as `selenium-webdriver/http`; Node's own imports need the file in the folder.

declare module "selenium-webdriver/http/index.js" {
  export * from "selenium-webdriver/http";
}
declare module "selenium-webdriver/remote/index.js" {
  export * from "selenium-webdriver/remote";
}
