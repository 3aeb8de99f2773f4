// Checks a list of addresses in the background (JSON lines, or CSV with a column url):
//   TELLTALE_URL=http://127.0.0.1:8080 TELLTALE_KEY=tt_live_... node examples/node/scan.mjs list.csv
import { headlineOf, Telltale } from '../../client/dist/index.js';

const telltale = new Telltale({ baseUrl: process.env.TELLTALE_URL, apiKey: process.env.TELLTALE_KEY });

const scan = await telltale.scans.create(process.argv[2]);
for await (const entry of telltale.scans.results(scan.id)) {
  if ('error' in entry) console.log(`line ${entry.line}: refused (${entry.error.code})`);
  else console.log(`line ${entry.line}: ${headlineOf(entry)}`);
}
const { state, counts } = await telltale.scans.get(scan.id);
console.log(`${state}: ${counts.checked} checked, ${counts.failed} refused`);
