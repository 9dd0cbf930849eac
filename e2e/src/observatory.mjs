// Has MDN's HTTP Observatory scan the https page that the first argument names, and prints what it found as JSON. A
// process of its own, because Node reads the certificate to trust (NODE_EXTRA_CA_CERTS) only when it starts.

import fs from "node:fs";

import { ALL_TESTS } from "@mdn/mdn-http-observatory/src/constants.js";
import { getScoreModifier } from "@mdn/mdn-http-observatory/src/grader/grader.js";
import { retrieve } from "@mdn/mdn-http-observatory/src/retriever/retriever.js";

// The scanner's installation would download the list of hosts that browsers preload. A host of a test is not on it.
const PRELOADED = /mdn-http-observatory\/conf\/hsts-preload\.json$/;
const { readFileSync } = fs;
fs.readFileSync = (file, ...rest) => (PRELOADED.test(String(file)) ? "{}" : readFileSync(file, ...rest));

const page = new URL(process.argv[2] ?? "");
const requests = await retrieve(page.hostname, {
  // Nothing listens for plain http: the port that speaks https does not.
  httpPort: page.port,
  httpsPort: page.port,
  path: page.pathname + page.search,
});
const findings = ALL_TESTS.map((test) => test(requests)).map((output) => ({
  rule: output.constructor.name,
  result: output.result,
  passed: output.pass,
  score: output.result === null ? null : getScoreModifier(output.result),
}));
const { status, verified } = requests.responses.https ?? {};
process.stdout.write(JSON.stringify({ status, verified, findings }));
