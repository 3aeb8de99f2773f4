// Tests the description of program and machine in a record, and the comparison of two machines.
import assert from 'node:assert/strict';
import type { EngineStats } from '../../src/library/engine/types.js';
import { describeProvenance, isSameKind, readProvenance } from '../../src/record/content/provenance.js';
import { makeFolder } from '../support/folders.js';
import { bandsOf, makeSetting } from '../support/record-parts.js';

describe('the description of program and machine in a record', () => {
  it('lists program, networks, thresholds, trust lists and the arithmetic of the processor', async () => {
    const updated = new Date('2026-03-04T05:06:07Z');
    const anchor = { subject: 'Root', expires: updated, pem: '' };
    const list = { name: 'own.pem', tier: 'operator', purpose: 'signing', shipped: false, updated } as const;
    const trust = { dir: null, files: [{ ...list, anchors: [anchor, anchor], unreadable: 1 }] };
    const setting = makeSetting({ trust: () => Promise.resolve(trust) });
    assert.deepEqual(await describeProvenance(setting, bandsOf('own')), {
      telltale: '1.2.3',
      model: 'telltale-1.0.0',
      bands_version: 'own',
      views: 1,
      files: [{ name: 'encoder/weights.bin', sha256: 'a'.repeat(64) }],
      trust_lists: [
        { name: 'own.pem', tier: 'operator', purpose: 'signing', anchors: 2, date: '2026-03-04' },
      ],
      arithmetic: setting.arithmetic,
      score_tolerance: 0.2,
    });
  });
});

describe('the comparison of two kinds of processors', () => {
  it('considers the features by which programs choose their arithmetic, and ignores the processor name', () => {
    const { arithmetic } = makeSetting();
    assert.equal(isSameKind(arithmetic, { ...arithmetic, processor: 'Another' }), true);
    for (const change of [
      { device: 'cuda' },
      { precision: 'fp16' as const },
      { onnxruntime: '2.0' },
      { architecture: 'arm64' },
      { features: ['avx2'] },
    ])
      assert.equal(isSameKind(arithmetic, { ...arithmetic, ...change }), false, JSON.stringify(change));
  });
});

describe('the program and machine of a check', () => {
  it('include the arithmetic precision of the device and the processor, and no rates that were not measured', async () => {
    const empty = makeFolder('provenance');
    const { engine, calibration, trust } = makeSetting();
    const list = await trust();
    const credentials = {
      read: () => Promise.resolve(null),
      start: () => Promise.resolve(),
      trust: () => Promise.resolve(list),
      close: () => Promise.resolve(),
    };
    const readWith = (device: EngineStats['device']) => {
      const stats = () => ({ device, onnxRuntimeVersion: '1.2' }) as EngineStats;
      return readProvenance({ engine: { ...engine, stats }, calibration, credentials }, empty, '9.9.9');
    };
    const read = await readWith('cpu');
    const { arithmetic, measured, version } = read;
    assert.deepEqual([version, measured], ['9.9.9', { fullImage: null, face: null }]);
    assert.deepEqual(
      [arithmetic.device, arithmetic.precision, arithmetic.onnxruntime],
      ['cpu', 'int8', '1.2'],
    );
    assert.equal((await readWith('cuda')).arithmetic.precision, 'fp16');
    assert.equal(arithmetic.architecture, process.arch);
    assert.equal(arithmetic.processor, arithmetic.processor.trim());
    assert.notEqual(arithmetic.processor, 'unknown');
    assert.equal(await read.trust(), list);
    const { features } = arithmetic;
    assert.deepEqual(features, [...features].sort());
    // Linux lists the features. Every 64-bit processor that ONNX Runtime supports has one of these two.
    if (process.platform === 'linux') assert.ok(features.some((name) => /^(sse4_1|asimd)$/.test(name)));
    assert.ok(features.every((name) => !/^(fpu|lm|fp|rdrand|)$/.test(name)));
  });
});
