// `node compress.mjs FOLDER…` writes FILE.br and FILE.gz beside each text file below the folders, if they are smaller than the
// file. The server sends these files and compresses none of them itself.
import { readdir, readFile, writeFile } from "node:fs/promises";
import { extname, join } from "node:path";
import { argv } from "node:process";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";

/** Files that compress well. The formats of images and fonts are compressed already. */
const TEXT = new Set(".js .mjs .css .html .svg .json .map .txt .webmanifest".split(" "));

for (const folder of argv.slice(2)) {
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (entry.isFile() && TEXT.has(extname(entry.name))) {
      await compress(join(entry.parentPath, entry.name));
    }
  }
}

/** Compresses with the highest quality, because a file is compressed once and sent often. */
async function compress(file) {
  const content = await readFile(file);
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
    [constants.BROTLI_PARAM_SIZE_HINT]: content.length,
  };
  const compressed = {
    br: promisify(brotliCompress)(content, { params }),
    gz: promisify(gzip)(content, { level: constants.Z_BEST_COMPRESSION }),
  };
  for (const [suffix, bytes] of Object.entries(compressed)) {
    if ((await bytes).length < content.length) {
      await writeFile(`${file}.${suffix}`, await bytes);
    }
  }
}
