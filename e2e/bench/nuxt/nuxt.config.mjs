// The form in Nuxt, for comparison (e2e/bench/waiting.ts): rendered on the server, as small as Nuxt's own settings make it.

export default {
  compatibilityDate: "2026-11-01",
  telemetry: false,
  pages: false,
  ssr: true,
  app: {
    head: { title: "Card", meta: [{ name: "viewport", content: "width=device-width, initial-scale=1" }] },
  },
  // It needs a newer Node than the product.
  postcss: { plugins: { cssnano: false } },
  nitro: { compressPublicAssets: { brotli: true } },
};
