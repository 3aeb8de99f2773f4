// Loaded before telltale: the image that ends with these bytes crashes the process in the engine, as a fault of a codec would.
import { basename } from 'node:path';
import type { NativeBinding, NativeEngine, NativeInspection } from '../../src/engine/native/binding.js';
import { POISON } from '../support/poison.js';

const load = process.dlopen.bind(process);

process.dlopen = (module: { exports: unknown }, path, ...rest) => {
  load(module, path, ...rest);
  if (basename(path) !== 'telltale.node') return;
  const binding = module.exports as { -readonly [Name in keyof NativeBinding]: NativeBinding[Name] };
  binding.NativeEngine = class extends binding.NativeEngine {
    override inspect(job: Parameters<NativeEngine['inspect']>[0]): Promise<NativeInspection> {
      if (Buffer.from(job.bytes).subarray(-POISON.length).equals(POISON)) process.abort();
      return super.inspect(job);
    }
  };
};
