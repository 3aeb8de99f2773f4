// Prints the models of a folder as JSON, as the engine takes them, for programs in C++: with all crops of every image, and
// without the fields that are null. Runs with `--import tsx`.
import { loadModels } from '../src/library/engine/manifests/manifest.js';

const [folder] = process.argv.slice(2);
const { views } = await loadModels(folder, null);
const { models } = await loadModels(folder, views);
process.stdout.write(JSON.stringify(models, (_, value) => value ?? undefined));
