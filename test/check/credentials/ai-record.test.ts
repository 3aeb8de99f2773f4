// What counts as a record of AI: places, spellings, strength and ingredients, on manifest stores written out here.
import assert from 'node:assert/strict';
import { nameClaimGenerator, readAiRecord } from '../../../src/check/credentials/ai-record.js';
import type {
  Assertion,
  Ingredient,
  Manifest,
  ManifestStore,
} from '../../../src/check/credentials/manifest-store.js';

const IPTC = 'http://cv.iptc.org/newscodes/digitalsourcetype/';
const AI = `${IPTC}trainedAlgorithmicMedia`;

function storeOf(...assertions: Assertion[]): ManifestStore {
  return {
    active_manifest: 'outer',
    manifests: { outer: { assertions, claim_generator_info: [{ name: 'Maker' }] } },
  };
}

function actions(...list: object[]): Assertion {
  return { label: 'c2pa.actions.v2', data: { actions: list } };
}

function claimOf(type: string, action = 'c2pa.created'): string | null {
  return readAiRecord(storeOf(actions({ action, digitalSourceType: type })), null).claim;
}

describe('readAiRecord', () => {
  const spellings: readonly [type: string, claim: string | null][] = [
    [AI, 'generated'],
    ['trainedAlgorithmicMedia', 'generated'],
    ['https://cv.iptc.org/newscodes/digitalsourcetype/trainedAlgorithmicMedia', 'generated'],
    [`${IPTC}compositeWithTrainedAlgorithmicMedia`, 'edited'],
    ['compositeWithTrainedAlgorithmicMedia', 'edited'],
    [`${IPTC}compositeSynthetic`, 'contains'],
    ['compositeSynthetic', 'contains'],
    [`${IPTC}algorithmicMedia`, null],
    [`${IPTC}algorithmicallyEnhanced`, null],
    [`${IPTC}composite`, null],
    [`${IPTC}digitalCapture`, null],
    [`${IPTC}trainedAlgorithmicMedia2`, null],
    [`${IPTC}TrainedAlgorithmicMedia`, null],
    ['http://example.org/newscodes/digitalsourcetype/trainedAlgorithmicMedia', null],
    ['http://c2pa.org/digitalsourcetype/trainedAlgorithmicData', null],
  ];
  for (const [type, claim] of spellings) {
    it(`takes ${type} for ${claim ?? 'no AI'}`, () => assert.equal(claimOf(type), claim));
  }

  it('takes a generated source for the whole picture where it begins, a part where it is placed, else an edit', () => {
    assert.equal(claimOf(AI, 'c2pa.opened'), 'generated');
    assert.equal(claimOf(AI, 'c2pa.placed'), 'contains');
    assert.equal(claimOf(AI, 'c2pa.edited'), 'edited');
    assert.equal(claimOf(AI, 'com.example.outpainted'), 'edited');
  });

  it('reads both kinds of actions, with the numbers of repeated assertions', () => {
    for (const label of ['c2pa.actions', 'c2pa.actions__1', 'c2pa.actions.v2', 'c2pa.actions.v2__12']) {
      const data = { actions: [{ action: 'c2pa.created', digitalSourceType: AI }] };
      assert.equal(readAiRecord(storeOf({ label, data }), null).claim, 'generated', label);
    }
  });

  it('reads metadata about the whole picture', () => {
    for (const name of ['digitalSourceType', 'Iptc4xmpExt:DigitalSourceType']) {
      assert.equal(
        readAiRecord(storeOf({ label: 'c2pa.metadata', data: { [name]: AI } }), null).claim,
        'generated',
        name,
      );
    }
  });

  it('does not count entries about training and mining', () => {
    const data = { entries: { 'c2pa.ai_generative_training': { use: 'allowed' } } };
    assert.equal(readAiRecord(storeOf({ label: 'c2pa.training-mining', data }), null).claim, null);
  });

  it('takes from a template what an action leaves out', () => {
    const data = {
      actions: [{ action: 'c2pa.edited' }],
      templates: [{ action: 'c2pa.edited', digitalSourceType: AI, softwareAgent: { name: 'Filler' } }],
    };
    const record = readAiRecord(storeOf({ label: 'c2pa.actions.v2', data }), null);
    assert.deepEqual([record.claim, record.tool], ['edited', 'Filler']);
  });

  it('names the tool by text, object or index, else the claim generator', () => {
    const tool = (fields: object, data: object = {}): string | null => {
      const list = [{ action: 'c2pa.created', digitalSourceType: AI, ...fields }];
      return readAiRecord(storeOf({ label: 'c2pa.actions.v2', data: { actions: list, ...data } }), null).tool;
    };
    assert.equal(tool({ softwareAgent: 'Dreamer' }), 'Dreamer');
    assert.equal(tool({ softwareAgent: { name: 'Dreamer', version: '2' } }), 'Dreamer');
    assert.equal(tool({ softwareAgentIndex: 1 }, { softwareAgents: [{ name: 'A' }, { name: 'B' }] }), 'B');
    assert.equal(tool({ softwareAgentIndex: 7 }, { softwareAgents: [] }), 'Maker');
    assert.equal(tool({}), 'Maker');
    const old: ManifestStore = {
      active_manifest: 'outer',
      manifests: {
        outer: {
          claim_generator: 'Adobe_Firefly/1.0 c2pa-rs/0.32',
          assertions: [actions({ action: 'c2pa.created', digitalSourceType: AI })],
        },
      },
    };
    assert.equal(readAiRecord(old, null).tool, 'Adobe_Firefly');
  });

  it('gives the strongest claim, its tool and every source type', () => {
    const record = readAiRecord(
      storeOf(
        actions(
          { action: 'c2pa.created', digitalSourceType: `${IPTC}digitalCapture`, softwareAgent: 'Camera' },
          { action: 'c2pa.placed', digitalSourceType: AI, softwareAgent: 'Paster' },
          { action: 'c2pa.edited', digitalSourceType: AI, softwareAgent: 'Filler' },
        ),
      ),
      null,
    );
    assert.deepEqual(record, {
      claim: 'edited',
      tool: 'Filler',
      digitalSourceTypes: [`${IPTC}digitalCapture`, AI],
      generator: null,
    });
  });

  it('keeps the strongest claim whatever comes after it, and of two as strong the first', () => {
    const camera = { action: 'c2pa.created', digitalSourceType: `${IPTC}digitalCapture` };
    const made = (softwareAgent: string, action = 'c2pa.created') => ({
      action,
      softwareAgent,
      digitalSourceType: AI,
    });
    const judge = (...list: object[]) => {
      const { claim, tool } = readAiRecord(storeOf(actions(...list)), null);
      return [claim, tool];
    };
    const weaker = [made('Filler', 'c2pa.edited'), made('Paster', 'c2pa.placed'), camera];
    assert.deepEqual(judge(made('First'), ...weaker), ['generated', 'First']);
    assert.deepEqual(judge(...weaker), ['edited', 'Filler']);
    assert.deepEqual(judge(made('First'), made('Second')), ['generated', 'First']);
  });

  it('names who wrote the claim by the first name there is, if there is one', () => {
    const name = (manifest: Manifest): string | null => nameClaimGenerator(manifest);
    assert.equal(
      name({ claim_generator_info: [{}, { name: 'Named' }], claim_generator: 'Old/1.0' }),
      'Named',
    );
    assert.equal(name({ claim_generator_info: [{}], claim_generator: 'Old/1.0 library/2' }), 'Old');
    assert.equal(name({ claim_generator_info: [], claim_generator: 'Spaced Out' }), 'Spaced');
    for (const manifest of [{}, { claim_generator: '' }, { claim_generator: '/1.0' }])
      assert.equal(name(manifest), null);
  });

  it('names a generator that created the picture without a source type, which is no record of AI', () => {
    // As Bing Image Creator (2024) and Dreamina (2025) write it.
    const bing = {
      action: 'c2pa.created',
      softwareAgent: 'Bing Image Creator',
      description: 'AI Generated Image',
    };
    const dreamina = { action: 'c2pa.created', softwareAgent: { name: 'Dreamina Web', version: '' } };
    for (const [action, name] of [
      [bing, 'Bing Image Creator'],
      [dreamina, 'Dreamina Web'],
      [{ ...bing, softwareAgent: 'Adobe Photoshop' }, null],
      [{ ...bing, action: 'c2pa.edited' }, null],
      [{ ...bing, digitalSourceType: `${IPTC}digitalCapture` }, null],
    ] as const) {
      const { claim, generator } = readAiRecord(storeOf(actions(action)), null);
      assert.deepEqual([claim, generator], [null, name]);
    }
  });

  it('survives data of any shape', () => {
    for (const data of [
      null,
      7,
      'text',
      [],
      { actions: 7 },
      { actions: [null, 7] },
      { actions: [{ digitalSourceType: 7 }] },
    ]) {
      assert.equal(readAiRecord(storeOf({ label: 'c2pa.actions', data }), null).claim, null);
    }
    assert.equal(readAiRecord({}, null).claim, null);
    assert.equal(readAiRecord({ active_manifest: 'missing', manifests: {} }, null).claim, null);
    assert.equal(readAiRecord({ active_manifest: 'missing' }, null).claim, null);
  });
});

describe('readAiRecord through ingredients', () => {
  const generated: Manifest = { assertions: [actions({ action: 'c2pa.created', digitalSourceType: AI })] };
  const address = 'self#jumbf=/c2pa/outer/c2pa.assertions/c2pa.ingredient.v3';
  const always = (): boolean => true;

  function storeWith(
    ingredient: Ingredient,
    inner: Manifest = generated,
    more: Partial<ManifestStore> = {},
  ): ManifestStore {
    const outer = { ingredients: [{ label: 'c2pa.ingredient.v3', active_manifest: 'inner', ...ingredient }] };
    return { active_manifest: 'outer', manifests: { outer, inner }, ...more };
  }

  function delta(code: string): Partial<ManifestStore> {
    const validationDeltas = { failure: [{ code }] };
    return {
      validation_results: { ingredientDeltas: [{ ingredientAssertionURI: address, validationDeltas }] },
    };
  }

  it('takes a parent for the picture, and other ingredients for parts', () => {
    assert.equal(readAiRecord(storeWith({ relationship: 'parentOf' }), always).claim, 'generated');
    assert.equal(readAiRecord(storeWith({ relationship: 'componentOf' }), always).claim, 'contains');
    assert.equal(readAiRecord(storeWith({ relationship: 'inputTo' }), always).claim, 'contains');
  });

  it('takes a part that no AI made for none, and a generator for that of the picture alone', () => {
    const captured = {
      assertions: [actions({ action: 'c2pa.created', digitalSourceType: `${IPTC}digitalCapture` })],
    };
    assert.equal(readAiRecord(storeWith({ relationship: 'componentOf' }, captured), always).claim, null);
    const created = { assertions: [actions({ action: 'c2pa.created', softwareAgent: 'Midjourney' })] };
    const generatorOf = (relationship: 'parentOf' | 'componentOf') =>
      readAiRecord(storeWith({ relationship }, created), always).generator;
    assert.deepEqual([generatorOf('parentOf'), generatorOf('componentOf')], ['Midjourney', null]);
  });

  it('asks for the signer of an ingredient that has a manifest, and of no other', () => {
    const inner = {
      label: 'c2pa.ingredient.v3',
      active_manifest: 'inner',
      relationship: 'parentOf',
    } as const;
    const outer = { ingredients: [{ relationship: 'parentOf' as const }, inner] };
    const asked: string[] = [];
    const isTrusted = (label: string) => asked.push(label) > 0;
    const store = { active_manifest: 'outer', manifests: { outer, inner: generated } };
    assert.equal(readAiRecord(store, isTrusted).claim, 'generated');
    assert.deepEqual(asked, ['inner']);
  });

  it('takes successes and time stamps that C2PA 1.x listed among faults for none', () => {
    const codes = [
      'claimSignature.validated',
      'signingCredential.trusted',
      'assertion.dataHash.match',
      'assertion.accessible',
      'timeStamp.mismatch',
    ];
    const validation_status = codes.map((code) => ({ code }));
    for (const isTrusted of [always, null]) {
      const judge = (ingredient: Ingredient): string | null =>
        readAiRecord(storeWith({ relationship: 'parentOf', ...ingredient }), isTrusted).claim;
      assert.equal(judge({ validation_status }), 'generated');
      assert.equal(judge({ validation_status, validation_results: {} }), 'generated');
      assert.equal(judge({ validation_status: [...validation_status, { code: 'claim.malformed' }] }), null);
    }
  });

  it('does not count a manifest that no ingredient leads to', () => {
    const store = { active_manifest: 'outer', manifests: { outer: {}, inner: generated } };
    assert.equal(readAiRecord(store, always).claim, null);
    assert.deepEqual(readAiRecord(store, always).digitalSourceTypes, []);
  });

  it('does not count an ingredient that was changed, found now or when it was taken in', () => {
    const failure = [{ code: 'assertion.dataHash.mismatch' }];
    const recorded: Ingredient[] = [
      { validation_results: { activeManifest: { failure } } },
      { validation_status: failure },
    ];
    for (const isTrusted of [always, null]) {
      for (const ingredient of recorded) {
        assert.equal(
          readAiRecord(storeWith({ relationship: 'parentOf', ...ingredient }), isTrusted).claim,
          null,
        );
      }
      const now = storeWith({ relationship: 'parentOf' }, generated, delta('claimSignature.mismatch'));
      assert.equal(readAiRecord(now, isTrusted).claim, null);
    }
  });

  it('asks for a trusted signer where the picture is verified, and for none elsewhere', () => {
    const store = storeWith({ relationship: 'parentOf' });
    assert.equal(readAiRecord(store, () => false).claim, null);
    assert.equal(readAiRecord(store, null).claim, 'generated');
    const doubted = storeWith({ relationship: 'parentOf' }, generated, delta('signingCredential.untrusted'));
    assert.equal(readAiRecord(doubted, always).claim, null);
    assert.equal(readAiRecord(doubted, null).claim, 'generated');
  });

  it('overrules a record that the signer was unknown where it is trusted now, and no other', () => {
    const trustedNow: Partial<ManifestStore> = {
      validation_results: {
        ingredientDeltas: [
          {
            ingredientAssertionURI: address,
            validationDeltas: { success: [{ code: 'signingCredential.trusted' }] },
          },
        ],
      },
    };
    const recorded = (code: string): ManifestStore =>
      storeWith({ relationship: 'parentOf', validation_status: [{ code }] }, generated, trustedNow);
    assert.equal(readAiRecord(recorded('signingCredential.untrusted'), always).claim, 'generated');
    assert.equal(readAiRecord(recorded('signingCredential.ocsp.revoked'), always).claim, null);
    const stillUnknown = storeWith({
      relationship: 'parentOf',
      validation_status: [{ code: 'signingCredential.untrusted' }],
    });
    assert.equal(readAiRecord(stillUnknown, always).claim, null);
  });

  it('overrules one of a signer further up, too, where whoever took the ingredient in first knew its signer', () => {
    const doubtedLater = (success: readonly string[]): ManifestStore => {
      const results = { activeManifest: { success: success.map((code) => ({ code })) } };
      const store = storeWith({ relationship: 'parentOf', validation_results: results }, generated);
      const doubt = {
        ingredientAssertionURI: address,
        validationDeltas: { failure: [{ code: 'signingCredential.untrusted' }] },
      };
      const last = { ingredients: [{ validation_results: { ingredientDeltas: [doubt] } }] };
      return { ...store, manifests: { ...store.manifests, last } };
    };
    assert.equal(readAiRecord(doubtedLater(['signingCredential.trusted']), always).claim, 'generated');
    assert.equal(readAiRecord(doubtedLater(['signingCredential.trusted']), () => false).claim, null);
    assert.equal(readAiRecord(doubtedLater([]), always).claim, null);
  });

  it('ends on ingredients that refer to each other', () => {
    const back: Ingredient = {
      label: 'c2pa.ingredient.v3',
      relationship: 'parentOf',
      active_manifest: 'outer',
    };
    const store = storeWith({ relationship: 'parentOf' }, { ...generated, ingredients: [back, back] });
    assert.equal(readAiRecord(store, always).claim, 'generated');
  });
});
