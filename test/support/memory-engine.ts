// An engine for tests of a check's decisions. It counts calls and returns given results.
import type { Engine, Inspection, InspectOptions, SniffedImage } from '../../src/library/engine/types.js';

export interface MemoryEngine extends Engine {
  /** Names of the calls so far. */
  readonly calls: string[];
  /** Options of the last inspection. */
  lastOptions: InspectOptions | undefined;
}

export function createMemoryEngine(image: SniffedImage, inspection: Inspection): MemoryEngine {
  const calls: string[] = [];
  const unused = (): never => {
    throw new Error('not a part of this test');
  };
  const engine: MemoryEngine = {
    model: 'telltale-1.0.0',
    views: 1,
    earlyExits: [],
    files: [],
    calls,
    lastOptions: undefined,
    sniff: () => {
      calls.push('sniff');
      return Promise.resolve(image);
    },
    readMetadata: () => Promise.resolve([]),
    searchPixels: () => {
      calls.push('searchPixels');
      return Promise.resolve({
        visible: [{ generator: 'Google Gemini', sign: 'four-pointed star', box: [944, 944, 48, 48] }],
        watermarks: [{ generator: 'Stable Diffusion XL', matchingBits: 47, bits: 48 }],
      });
    },
    inspect: (_bytes, options) => {
      calls.push('inspect');
      engine.lastOptions = options;
      return Promise.resolve(inspection);
    },
    makePreview: unused,
    hashScene: unused,
    locateScene: unused,
    compareScenes: unused,
    annotate: unused,
    recompress: unused,
    stats: unused,
    close: () => Promise.resolve(),
  };
  return engine;
}
