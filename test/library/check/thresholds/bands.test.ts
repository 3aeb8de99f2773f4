// Tests the thresholds file: valid files, all errors of invalid ones, and flagged scores.
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { loadBands, parseBands } from '../../../../src/library/check/thresholds/bands.js';
import { applyBands } from '../../../../src/library/check/thresholds/image-bands.js';
import { StartError } from '../../../../src/library/base/errors.js';
import { BANDS } from '../../../support/evidence.js';
import { makeFolder } from '../../../support/folders.js';

const band = (threshold: number): object => ({
  threshold,
  false_alarm_rate: 0.01,
  recall: { clean: 0.5, web: 0.4, hard: 0.25 },
});
const profile = (threshold: number, drawn = threshold): object => ({
  full_image_specialist: { photographed: band(threshold), drawn: band(drawn) },
  face_specialist: band(threshold),
});
const file = {
  version: '2026-11-21.1',
  model: 'telltale-1.0.0',
  profiles: { strict: profile(0.9), balanced: profile(0.8), sensitive: profile(0.6) },
};

const share = { rate: 0.5, low: 0.4, high: 0.6 };
const rates = { images: 9, sources: 3, of_ai: 0.5, of_genuine: 0.1, at_1_in_10: share, at_1_in_2: share };
const assessment = {
  lower_edges: { full_image_specialist: { photographed: 0.6, drawn: 0.2 }, face_specialist: 0.3 },
  rates: { likely_ai: rates, unclear: rates, no_ai_detected: rates },
};

const NONE_MEASURED = { clean: null, web: null, hard: null };

const faultsOf = (value: unknown): string => {
  try {
    parseBands(value, 'bands.json');
  } catch (error) {
    assert.ok(error instanceof StartError);
    assert.equal(error.code, 'model_invalid');
    return error.message;
  }
  return '';
};

describe('the contents of a thresholds file (bands.json)', () => {
  it('are accepted if valid', () => {
    const bands = parseBands(file, 'bands.json');
    assert.equal(bands.version, '2026-11-21.1');
    assert.equal(bands.model, 'telltale-1.0.0');
    assert.deepEqual(bands.profiles.strict.face, {
      threshold: 0.9,
      falseAlarmRate: 0.01,
      recall: { clean: 0.5, web: 0.4, hard: 0.25 },
    });
  });

  it('may include a section for the assessment', () => {
    assert.equal(parseBands(file, 'bands.json').assessment, undefined);
    const read = parseBands({ ...file, assessment }, 'bands.json').assessment;
    assert.deepEqual(read?.lowerEdges, { fullImage: { photographed: 0.6, drawn: 0.2 }, face: 0.3 });
    const { images, sources } = rates;
    const expected = { images, sources, ofAi: 0.5, ofGenuine: 0.1, at1In10: share, at1In2: share };
    assert.deepEqual(read.rates.unclear, expected);
    const some = { ...assessment, rates: { ...assessment.rates, unclear: null } };
    assert.match(faultsOf({ ...file, assessment: some }), /'assessment\.rates\.unclear' but received null/);
  });

  it('are refused with a list of all errors at once', () => {
    const faults = faultsOf({
      ...file,
      model: 'other',
      profiles: { ...file.profiles, strict: profile(1.5), balanced: 3 },
    });
    assert.match(faults, /'model' but received 'other'/);
    assert.match(
      faults,
      /a number from 0 to 1 for 'profiles\.strict\.full_image_specialist\.photographed\.threshold' but received 1\.5/,
    );
    assert.match(faults, /profiles\.strict\.face_specialist\.threshold/);
    assert.match(
      faults,
      /an object with full_image_specialist, face_specialist for 'profiles\.balanced' but received 3/,
    );
    assert.match(faults, /profiles\.strict\.full_image_specialist\.drawn\.threshold' but received 1\.5/);
    assert.equal(faults.split('\n').length, 6, 'a heading and five faults, none of them told twice');
  });

  it('may have null (and no other non-number) in place of an unmeasured recall', () => {
    const none = { ...profile(0.9), face_specialist: { ...band(0.9), recall: NONE_MEASURED } };
    const read = parseBands({ ...file, profiles: { ...file.profiles, strict: none } }, 'bands.json');
    assert.deepEqual(read.profiles.strict.face.recall, NONE_MEASURED);
    const unmeasured = { clean: 0.5, web: 0.4, hard: null };
    const strict = { ...profile(0.9), face_specialist: { ...band(0.9), recall: unmeasured } };
    const bands = parseBands({ ...file, profiles: { ...file.profiles, strict } }, 'bands.json');
    assert.deepEqual(bands.profiles.strict.face.recall, unmeasured);
    const missing = { ...profile(0.9), face_specialist: { ...band(0.9), recall: { clean: 0.5, web: 0.4 } } };
    assert.match(
      faultsOf({ ...file, profiles: { ...file.profiles, strict: missing } }),
      /a number from 0 to 1, or null, for '\S+recall\.hard' but received nothing/,
    );
  });

  it('must have higher thresholds for stricter profiles', () => {
    const mixed = { ...file, profiles: { ...file.profiles, balanced: profile(0.95) } };
    const rise = /rise from sensitive over balanced to strict for (\S+)/g;
    assert.deepEqual(
      [...faultsOf(mixed).matchAll(rise)].map(([, name]) => name),
      ['full_image_specialist.photographed', 'full_image_specialist.drawn', 'face_specialist'],
    );
    const paintings = { ...file, profiles: { ...file.profiles, balanced: profile(0.8, 0.95) } };
    assert.deepEqual(
      [...faultsOf(paintings).matchAll(rise)].map(([, name]) => name),
      ['full_image_specialist.drawn'],
    );
    const lax = { ...file, profiles: { ...file.profiles, sensitive: profile(0.85) } };
    assert.equal([...faultsOf(lax).matchAll(rise)].length, 3);
    assert.equal(faultsOf({ ...file, profiles: { ...file.profiles, strict: profile(0.8) } }), '');
    assert.equal(faultsOf({ ...file, profiles: { ...file.profiles, sensitive: profile(0.8) } }), '');
  });

  it('must have one threshold for photographs and one for drawings', () => {
    const single = { full_image_specialist: band(0.9), face_specialist: band(0.9) };
    const faults = faultsOf({ ...file, profiles: { ...file.profiles, strict: single } });
    assert.match(
      faults,
      /an object with .+ for 'profiles\.strict\.full_image_specialist\.photographed' but received nothing/,
    );
    assert.match(
      faults,
      /an object with .+ for 'profiles\.strict\.full_image_specialist\.drawn' but received nothing/,
    );
  });

  it('must not contain an unknown field at any level', () => {
    const { strict, ...others } = file.profiles;
    const { recall, ...numbers } = band(0.9) as { recall: object };
    const whole = { photographed: band(0.9), drawn: band(0.9) };
    const withStrict = (changes: object): object => ({
      ...file,
      profiles: { ...others, strict: { ...strict, ...changes } },
    });
    const cases: readonly [value: object, member: string][] = [
      [{ ...file, extra: 1 }, 'extra'],
      [{ ...file, profiles: { ...file.profiles, lax: profile(0.5) } }, 'profiles.lax'],
      [withStrict({ video: 1 }), 'profiles.strict.video'],
      [
        withStrict({ full_image_specialist: { ...whole, woven: band(0.9) } }),
        'profiles.strict.full_image_specialist.woven',
      ],
      [
        withStrict({ face_specialist: { ...numbers, recall, limit: 1 } }),
        'profiles.strict.face_specialist.limit',
      ],
      [
        withStrict({ face_specialist: { ...numbers, recall: { ...recall, old: 1 } } }),
        'profiles.strict.face_specialist.recall.old',
      ],
    ];
    for (const [value, member] of cases)
      assert.ok(
        faultsOf(value).startsWith(`the bands file bands.json is not valid: '${member}' is not known here; `),
        faultsOf(value),
      );
    const lax = { ...file, profiles: { ...file.profiles, strickt: profile(0.9) } };
    assert.match(
      faultsOf(lax),
      /'profiles\.strickt' is not known here; did you mean 'strict'\? Known are strict, /,
    );
  });

  it('must have rates and thresholds from 0 to 1', () => {
    const withStrict = (threshold: unknown): object => ({
      ...file,
      profiles: {
        ...file.profiles,
        strict: { ...profile(1), face_specialist: { ...band(1), threshold } },
      },
    });
    assert.equal(faultsOf(withStrict(1)), '');
    assert.equal(faultsOf({ ...file, profiles: { ...file.profiles, sensitive: profile(0) } }), '');
    for (const value of ['0.95', true, null, -0.1, 1.1, [0.95]])
      assert.match(
        faultsOf(withStrict(value)),
        /a number from 0 to 1 for 'profiles\.strict\.face_specialist/,
      );
  });

  it('must have a version, which is a string without spaces', () => {
    for (const version of ['a b', ' a', 'a ', '', 20261121])
      assert.match(
        faultsOf({ ...file, version }),
        /Expected text without spaces for 'version'/,
        String(version),
      );
  });

  it('are quoted only in part in error messages if a value is long', () => {
    const fault = faultsOf({ ...file, model: 'x'.repeat(1000) });
    assert.ok(fault.endsWith(`received '${'x'.repeat(64)}...'`), fault);
  });

  it('must not have null in place of an object, and must not lack one', () => {
    const { strict } = file.profiles;
    const cases: readonly [profile: unknown, told: RegExp][] = [
      [null, /an object with .+ for 'profiles\.strict' but received null/],
      [
        { ...strict, full_image_specialist: null },
        /an object with .+ for 'profiles\.strict\.full_image_specialist' but received null/,
      ],
      [
        { ...strict, face_specialist: { ...band(0.9), recall: null } },
        /an object with .+ for 'profiles\.strict\.face_specialist\.recall' but received null/,
      ],
    ];
    for (const [value, told] of cases)
      assert.match(faultsOf({ ...file, profiles: { ...file.profiles, strict: value } }), told);
  });

  for (const value of [null, [], 'text', {}]) {
    it(`must not be ${JSON.stringify(value)} instead of an object`, () => {
      assert.notEqual(faultsOf(value), '');
    });
  }
});

describe('loading a thresholds file', () => {
  const folder = makeFolder('bands');

  it('returns its contents', async () => {
    const path = join(folder, 'bands.json');
    await writeFile(path, JSON.stringify(file));
    assert.equal((await loadBands(path, 'telltale-1.0.0')).model, 'telltale-1.0.0');
  });

  it('fails if the thresholds belong to another model', async () => {
    const path = join(folder, 'other.json');
    await writeFile(path, JSON.stringify(file));
    await assert.rejects(loadBands(path, 'telltale-1.1.0'), {
      name: 'StartError',
      code: 'model_invalid',
      message: `the bands file ${path} is for telltale-1.0.0, but the models are telltale-1.1.0`,
    });
  });

  it("fails if a threshold is outside the limits of the network's early exit", async () => {
    const path = join(folder, 'early-exit.json');
    await writeFile(path, JSON.stringify(file));
    const wide = { photographed: { below: 0.6, above: 0.9 }, drawn: { below: 0.1, above: 0.95 } };
    await loadBands(path, 'telltale-1.0.0', [wide]);
    const narrow = { ...wide, photographed: { below: 0.61, above: 0.95 } };
    await assert.rejects(loadBands(path, 'telltale-1.0.0', [wide, narrow]), {
      name: 'StartError',
      code: 'model_invalid',
      message:
        `the bands file ${path} has the threshold 0.6 for photographed images in the profile sensitive, ` +
        'but the models end a check early below 0.61 and above 0.95',
    });
    const low = { ...wide, drawn: { below: 0.1, above: 0.89 } };
    await assert.rejects(loadBands(path, 'telltale-1.0.0', [low]), {
      message: /the threshold 0.9 for drawn images in the profile strict/,
    });
    const edges = join(folder, 'edges.json');
    await writeFile(edges, JSON.stringify({ ...file, assessment }));
    await loadBands(edges, 'telltale-1.0.0', [wide]);
    await assert.rejects(
      loadBands(edges, 'telltale-1.0.0', [{ ...wide, drawn: { below: 0.21, above: 0.95 } }]),
      {
        message: /the threshold 0.2 for drawn images in the assessment/,
      },
    );
  });

  it('fails with the path if the file is missing or not JSON', async () => {
    await assert.rejects(loadBands(join(folder, 'none.json'), 'telltale-1.0.0'), {
      code: 'model_invalid',
      message: /none\.json can't be read: .*ENOENT/,
    });
    await writeFile(join(folder, 'broken.json'), '{');
    await assert.rejects(loadBands(join(folder, 'broken.json'), 'telltale-1.0.0'), {
      code: 'model_invalid',
      message: /broken\.json can't be read: SyntaxError/,
    });
  });
});

describe('comparing scores with thresholds', () => {
  const rows: [fullImage: number | null, face: number | null, fired: string[]][] = [
    [0.79, 0.59, []],
    [0.8, 0.59, ['full_image_specialist']],
    [0.79, 0.6, ['face_specialist']],
    [1, 1, ['full_image_specialist', 'face_specialist']],
    [0.5, null, []],
    [null, null, []],
  ];
  for (const [fullImage, face, fired] of rows) {
    it(`flags ${fired.join(', ') || 'nothing'} for scores ${fullImage} and ${face} at thresholds 0.8 and 0.6`, () => {
      assert.deepEqual(applyBands({ fullImage, face }, BANDS), fired);
    });
  }

  it('never flags an image by a detector that did not run, even at a threshold of 0', () => {
    const zero = { ...BANDS.face, threshold: 0 };
    assert.deepEqual(applyBands({ fullImage: null, face: null }, { fullImage: zero, face: zero }), []);
  });
});
