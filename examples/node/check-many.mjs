// Checks the named images, four at a time:
//   TELLTALE_URL=http://127.0.0.1:8080 TELLTALE_KEY=tt_live_... node examples/node/check-many.mjs photo.jpg https://...
import { headlineOf, Telltale } from '../../client/dist/index.js';

const telltale = new Telltale({ baseUrl: process.env.TELLTALE_URL, apiKey: process.env.TELLTALE_KEY });

for await (const { image, result, error } of telltale.checkMany(process.argv.slice(2))) {
  if (error) console.log(`${image}: refused (${error.code})`);
  else console.log(`${image}: ${headlineOf(result)}`);
}
const { checks } = await telltale.usage();
console.log(`${checks.used} checks used this month`);
