// Throws if Node is older than `engines` in package.json requires. Every entry point imports this file first.
// It loads only code that older versions can run, so that they show the message.
import { readPackage } from './package-paths.js';

const least = readPackage().engines.node.replace('>=', '');
const { node } = process.versions;
if (least.localeCompare(node, 'en', { numeric: true }) > 0)
  throw new Error(`Telltale needs Node ${least} or newer; this is ${node}`);
