// Builds the gallery of demo mode, dist/gallery: the page's own components in every state they can be in.

import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

export default defineConfig({
  base: "/demo/gallery/",
  publicDir: false,
  plugins: [react()],
  build: {
    target: "es2022",
    outDir: "../dist/gallery",
    emptyOutDir: true,
    modulePreload: false,
    assetsInlineLimit: 0,
    rolldownOptions: { input: "gallery.html" },
  },
});
