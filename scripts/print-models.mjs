// Prints the models of a folder as JSON for C++ programs, in the engine's format. Includes all crops of every image
// and omits fields that are null. Runs with `--import tsx`.
import { loadModels } from '../src/library/engine/manifests/manifest.js';

const [folder] = process.argv.slice(2);
const { views } = await loadModels(folder, null);
const { models } = await loadModels(folder, views);
process.stdout.write(JSON.stringify(models, (_, value) => value ?? undefined));
