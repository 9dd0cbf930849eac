// Stands in for a fraud prevention's script: makes a token for the site that it is of, and tells it as such scripts do.

(({ src }) => {
  const site = new URL(src).pathname.split("/").at(-2);
  const detail = `sim_${site}_${crypto.randomUUID()}`;
  document.dispatchEvent(new CustomEvent("ftr:tokenReady", { detail }));
})(document.currentScript);
