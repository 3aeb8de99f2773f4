// Preload that makes Telltale's engine return a fixed result immediately, to measure only the code around the engine.
import { basename } from 'node:path';
import type { NativeBinding, NativeInspection } from '../../src/library/engine/native/binding.js';

const INSPECTION: NativeInspection = {
  width: 1024,
  height: 1024,
  fullImageScore: 0.01,
  drawn: 0.01,
  isBlank: false,
  isTransparent: false,
  colours: [],
  part: null,
  panels: [],
  panel: null,
  views: 5,
  faces: [],
  patches: new Float64Array(),
  preview: null,
  scene: null,
  timings: { queue: 0, decode: 0, faces: 0, inference: 0 },
};

const load = process.dlopen.bind(process);

process.dlopen = (module: { exports: unknown }, path, ...rest) => {
  load(module, path, ...rest);
  if (basename(path) !== 'telltale.node') return;
  const binding = module.exports as { -readonly [Name in keyof NativeBinding]: NativeBinding[Name] };
  binding.NativeEngine = class extends binding.NativeEngine {
    override inspect(): Promise<NativeInspection> {
      return Promise.resolve(INSPECTION);
    }
  };
};
