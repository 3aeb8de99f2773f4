// Prints the models of a folder as JSON in the engine's format, for C++ programs. Includes all crops of each
// image and leaves out fields that are null. Run with `--import tsx`.
import { loadModels } from '../src/library/engine/manifests/manifest.js';

const [folder] = process.argv.slice(2);
const { views } = await loadModels(folder, null);
const { models } = await loadModels(folder, views);
process.stdout.write(JSON.stringify(models, (_, value) => value ?? undefined));
