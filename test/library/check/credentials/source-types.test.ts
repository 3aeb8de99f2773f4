// Tests reading source types and creating programs from a manifest.
import assert from 'node:assert/strict';
import type { Assertion } from '../../../../src/library/check/credentials/find-credentials.js';
import {
  readCreators,
  readSourceStatements,
} from '../../../../src/library/check/credentials/source-types.js';

const TYPE = 'trainedAlgorithmicMedia';
const listed = (data: object, label = 'c2pa.actions.v2'): { assertions: Assertion[] } => ({
  assertions: [{ label, data }],
});

describe('the source types stated in a manifest', () => {
  it('come from an action’s template only if the template is for the same action or for all actions', () => {
    const read = (template: object) =>
      readSourceStatements(
        listed({
          actions: [{ action: 'c2pa.edited' }],
          templates: [{ digitalSourceType: TYPE, softwareAgent: 'Templated', ...template }],
        }),
      );
    const statement = { type: TYPE, action: 'c2pa.edited', tool: 'Templated', counts: true };
    assert.deepEqual(read({ action: 'c2pa.edited' }), [statement]);
    assert.deepEqual(read({ action: '*' }), [statement]);
    assert.deepEqual(read({ action: 'c2pa.cropped' }), []);
  });

  it('come from an action’s own values before its template', () => {
    const action = { action: 'c2pa.edited', digitalSourceType: 'own', softwareAgent: { name: 'Own' } };
    const template = { action: '*', digitalSourceType: TYPE, softwareAgent: 'Templated' };
    assert.deepEqual(readSourceStatements(listed({ actions: [action], templates: [template] })), [
      { type: 'own', action: 'c2pa.edited', tool: 'Own', counts: true },
    ]);
  });

  it('leave out an empty string and an index that is not a number', () => {
    const read = (fields: object) =>
      readSourceStatements(
        listed({
          actions: [{ action: 'c2pa.created', digitalSourceType: TYPE, ...fields }],
          softwareAgents: [{ name: 'First' }],
        }),
      );
    assert.deepEqual(read({ digitalSourceType: '' }), []);
    for (const fields of [
      { softwareAgent: '' },
      { softwareAgentIndex: '0' },
      { softwareAgent: { name: '' } },
    ])
      assert.deepEqual(read(fields), [{ type: TYPE, action: 'c2pa.created', tool: null, counts: true }]);
    assert.equal(read({ softwareAgentIndex: 0 })[0]?.tool, 'First');
    assert.deepEqual(read({ action: 7 }), [{ type: TYPE, action: '', tool: null, counts: true }]);
  });

  it('include statements about the whole image under each of their property names', () => {
    const data = {
      digitalSourceType: 'a',
      'Iptc4xmpExt:DigitalSourceType': 'b',
      'iptcExt:DigitalSourceType': 'c',
    };
    assert.deepEqual(
      readSourceStatements(listed(data, 'c2pa.metadata')),
      ['a', 'b', 'c'].map((type) => ({ type, action: null, tool: null, counts: true })),
    );
    assert.deepEqual(readSourceStatements({}), []);
  });
});

describe('the programs that a manifest names as creators', () => {
  it('come only from actions that create an image', () => {
    const actions = [
      { action: 'c2pa.created' },
      { action: 'c2pa.created', softwareAgent: 'Maker' },
      { action: 'c2pa.created', softwareAgentIndex: 1 },
      { action: 'c2pa.created', softwareAgent: 'Camera', digitalSourceType: TYPE },
      { action: 'c2pa.edited', softwareAgent: 'Editor' },
    ];
    const data = { actions, softwareAgents: ['A', { name: 'B' }] };
    assert.deepEqual(readCreators(listed(data)), ['Maker', 'B']);
    assert.deepEqual(readCreators(listed(data, 'c2pa.actions__2')), ['Maker', 'B']);
    assert.deepEqual(readCreators(listed(data, 'com.example.actions')), []);
    assert.deepEqual(readCreators({}), []);
  });
});
