// Packs files with Node's own zlib. `node compress.mjs beside FILE…` writes FILE.br and FILE.gz where they are the smaller
// ones; `node compress.mjs sizes FILE…` prints a line for each file: its bytes in Brotli, a space, its bytes in gzip.
import { readFile, writeFile } from "node:fs/promises";
import { argv } from "node:process";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";

/** The highest quality: it is paid once for a build and saves on every answer. */
const QUALITY = constants.BROTLI_MAX_QUALITY;
/** The whole window of the format (4 MiB), more than any file here. */
const WINDOW_BITS = 22;
/** No time is written, so that the same content gives the same bytes. */
const GZIP_LEVEL = constants.Z_BEST_COMPRESSION;

async function pack(file) {
  const content = await readFile(file);
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: QUALITY,
    [constants.BROTLI_PARAM_LGWIN]: WINDOW_BITS,
    [constants.BROTLI_PARAM_SIZE_HINT]: content.length,
  };
  const [br, gz] = await Promise.all([
    promisify(brotliCompress)(content, { params }),
    promisify(gzip)(content, { level: GZIP_LEVEL }),
  ]);
  return { content, br, gz };
}

const [command, ...files] = argv.slice(2);
for (const { file, packed } of files.map((file) => ({ file, packed: pack(file) }))) {
  const { content, br, gz } = await packed;
  if (command === "sizes") {
    console.info(`${br.length} ${gz.length}`);
    continue;
  }
  for (const [suffix, bytes] of [
    ["br", br],
    ["gz", gz],
  ]) {
    if (bytes.length < content.length) {
      await writeFile(`${file}.${suffix}`, bytes);
    }
  }
}
