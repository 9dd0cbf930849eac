// Compresses the document, as the server in front of Nuxt would.

import { gzipSync } from "node:zlib";

export default (nitro) => {
  nitro.hooks.hook("render:response", (response) => {
    response.headers["content-encoding"] = "gzip";
    response.body = gzipSync(response.body);
  });
};
