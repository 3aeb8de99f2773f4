// Throws where Node is older than package.json's `engines` says, and loads nothing that an older one could fail on. Every
// way in imports it before all else.
import { readFileSync } from 'node:fs';

const { engines } = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')) as {
  engines: { node: string };
};
const least = engines.node.replace('>=', '');
const { node } = process.versions;
if (least.localeCompare(node, 'en', { numeric: true }) > 0)
  throw new Error(`Telltale needs Node ${least} or newer; this is ${node}`);
