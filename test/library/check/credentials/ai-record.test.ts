// Tests how records of AI are read from manifests: where they are, how they are spelled, and which counts
// most.
import assert from 'node:assert/strict';
import { nameClaimGenerator, readAiRecord } from '../../../../src/library/check/credentials/ai-record.js';
import type {
  Assertion,
  Manifest,
  ManifestStore,
} from '../../../../src/library/check/credentials/find-credentials.js';

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

describe('readAiRecord (reads from a manifest whether AI was used)', () => {
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
    [`${IPTC}TrainedAlgorithmicMedia`, 'generated'],
    [`${AI}/`, 'generated'],
    ['digsrctype:trainedAlgorithmicMedia', 'generated'],
    ['HTTPS://CV.IPTC.ORG/newscodes/digitalsourcetype/compositeSynthetic//', 'contains'],
    ['other:trainedAlgorithmicMedia', null],
    ['http://example.org/newscodes/digitalsourcetype/trainedAlgorithmicMedia', null],
    ['http://c2pa.org/digitalsourcetype/trainedAlgorithmicData', null],
  ];
  for (const [type, claim] of spellings) {
    it(`reads source type ${type} as ${claim ?? 'no AI'}`, () => assert.equal(claimOf(type), claim));
  }

  it("applies a parent ingredient's source type to the whole image, and another ingredient's to a part of the image", () => {
    const claimBy = (relationship: 'parentOf' | 'componentOf' | 'inputTo') => {
      const manifest = { ingredients: [{ relationship, digital_source_type: AI }] };
      return readAiRecord({ active_manifest: 'a', manifests: { a: manifest } }, () => true);
    };
    assert.deepEqual(
      [claimBy('parentOf').claim, claimBy('componentOf').claim, claimBy('inputTo').claim],
      ['generated', 'contains', 'contains'],
    );
    assert.deepEqual(claimBy('parentOf').digitalSourceTypes, [AI]);
  });

  it('reads the source type that Adobe programs write into the parameters of an action', () => {
    const parameters = { 'com.adobe.digitalSourceType': AI };
    assert.equal(
      readAiRecord(storeOf(actions({ action: 'c2pa.opened', parameters })), () => true).claim,
      'generated',
    );
  });

  it('uses only metadata that the signer created; metadata that the signer gathered is reported but not used', () => {
    const label = 'cawg.metadata';
    const judge = (data: object, created: boolean) => {
      const manifest = { claim_version: 2, assertions: [{ label, data, created }] };
      const store = { active_manifest: 'a', manifests: { a: manifest } };
      const counting = readAiRecord(store, () => true);
      return [counting.claim, counting.digitalSourceTypes, readAiRecord(store, null).claim];
    };
    const typed = { 'Iptc4xmpExt:DigitalSourceType': { '@id': AI } };
    assert.deepEqual(judge(typed, false), [null, [AI], 'generated']);
    assert.deepEqual(judge(typed, true), ['generated', [AI], 'generated']);
    assert.deepEqual(judge({ 'Iptc4xmpExt:AISystemUsed': 'Model' }, true), ['generated', [], 'generated']);
    assert.deepEqual(judge({ '@graph': [typed] }, true), ['generated', [AI], 'generated']);
  });

  it('counts a generated source as the whole image if the source was opened, as a part if placed, and otherwise as an edit', () => {
    assert.equal(claimOf(AI, 'c2pa.opened'), 'generated');
    assert.equal(claimOf(AI, 'c2pa.placed'), 'contains');
    assert.equal(claimOf(AI, 'c2pa.edited'), 'edited');
    assert.equal(claimOf(AI, 'com.example.outpainted'), 'edited');
  });

  it('reads both versions of the list of actions, and several lists in one manifest', () => {
    for (const label of ['c2pa.actions', 'c2pa.actions__1', 'c2pa.actions.v2', 'c2pa.actions.v2__12']) {
      const data = { actions: [{ action: 'c2pa.created', digitalSourceType: AI }] };
      assert.equal(readAiRecord(storeOf({ label, data }), null).claim, 'generated', label);
    }
  });

  it('reads the source type in metadata about the whole image', () => {
    for (const name of ['digitalSourceType', 'Iptc4xmpExt:DigitalSourceType']) {
      assert.equal(
        readAiRecord(storeOf({ label: 'c2pa.metadata', data: { [name]: AI } }), null).claim,
        'generated',
        name,
      );
    }
  });

  it('ignores entries about AI training and data mining', () => {
    const data = { entries: { 'c2pa.ai_generative_training': { use: 'allowed' } } };
    assert.equal(readAiRecord(storeOf({ label: 'c2pa.training-mining', data }), null).claim, null);
  });

  it('uses the action template for fields that are missing in an action', () => {
    const data = {
      actions: [{ action: 'c2pa.edited' }],
      templates: [{ action: 'c2pa.edited', digitalSourceType: AI, softwareAgent: { name: 'Filler' } }],
    };
    const record = readAiRecord(storeOf({ label: 'c2pa.actions.v2', data }), null);
    assert.deepEqual([record.claim, record.tool], ['edited', 'Filler']);
  });

  it('takes the tool’s name from the action’s softwareAgent field or softwareAgentIndex, otherwise from the claim generator', () => {
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

  it('returns the strongest claim with its tool, and every source type', () => {
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

  it('keeps the first of equally strong claims', () => {
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

  it('names the claim generator by the first field that contains a name', () => {
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

  it('names a generator that created the image without stating a source type, but records no AI', () => {
    // Structure that Bing Image Creator (2024) and Dreamina (2025) write.
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

  it('never throws, whatever the structure of the data', () => {
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
