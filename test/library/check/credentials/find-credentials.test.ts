// Tests which credentials a check reads: embedded ones, remote ones if allowed, and the time limit for both.
import assert from 'node:assert/strict';
import { mock } from 'node:test';
import {
  findCredentials,
  type CredentialSources,
  type FetchManifest,
  type FoundCredentials,
} from '../../../../src/library/check/credentials/find-credentials.js';
import { startDeadline, type Deadline } from '../../../../src/library/check/deadline.js';
import type { ReadOptions } from '../../../../src/library/check/types.js';
import type { MetadataText } from '../../../../src/library/engine/types.js';
import { CREDENTIALS, IMAGE } from '../../../support/evidence.js';

const ADDRESS = 'https://example.org/m.c2pa';
const PACKET =
  '<x xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:dcterms="http://purl.org/dc/terms/">' +
  `<dcterms:provenance>${ADDRESS}</dcterms:provenance></x>`;
const POINTING: readonly MetadataText[] = [{ where: 'xmp', name: '', text: PACKET }];
const MANIFEST = new Uint8Array([7]);

/** Creates a credential reader that records the options of each read. */
function setUp(fetchManifest?: FetchManifest) {
  const asked: ReadOptions[] = [];
  const sources: CredentialSources = {
    credentials: {
      read: (_bytes, _image, options = {}) => {
        asked.push(options);
        return Promise.resolve(CREDENTIALS);
      },
    },
    fetchManifest,
  };
  return { sources, asked };
}

function find(
  sources: CredentialSources,
  hasManifest: boolean,
  declared = POINTING,
  deadline: Deadline = startDeadline({}),
): Promise<FoundCredentials> {
  const image = { ...IMAGE, hasManifest };
  return findCredentials(
    sources,
    { bytes: new Uint8Array(1), image, declared, accountId: 'acc_1' },
    deadline,
  );
}

describe('reading the Content Credentials of an image', () => {
  it('uses embedded credentials, reads them on behalf of the account, and ignores the address of a remote manifest', async () => {
    const { sources, asked } = setUp(() => assert.fail('nothing is to be fetched'));
    assert.deepEqual(await find(sources, true), { credentials: CREDENTIALS, remoteManifest: null });
    assert.deepEqual(
      asked.map(({ accountId, manifest }) => [accountId, manifest]),
      [['acc_1', undefined]],
    );
  });

  it('finds no credentials without a manifest, and reports the address of a remote manifest if fetching is disabled', async () => {
    const { sources, asked } = setUp();
    assert.deepEqual(await find(sources, false), { credentials: null, remoteManifest: ADDRESS });
    const { sources: fetching } = setUp(() => assert.fail('there is no address'));
    assert.deepEqual(await find(fetching, false, []), { credentials: null, remoteManifest: null });
    assert.deepEqual(asked, []);
  });

  it('fetches a remote manifest if fetching is enabled, and continues if the manifest is unavailable', async () => {
    const fetched: unknown[] = [];
    const { sources, asked } = setUp((address, signal, accountId) => {
      fetched.push([address, signal instanceof AbortSignal, accountId]);
      return Promise.resolve(MANIFEST);
    });
    assert.deepEqual(await find(sources, false), { credentials: CREDENTIALS, remoteManifest: ADDRESS });
    assert.deepEqual(fetched, [[ADDRESS, true, 'acc_1']]);
    assert.equal(asked[0]?.manifest, MANIFEST);
    const away = setUp(() => Promise.reject(new Error('no such host')));
    assert.deepEqual(await find(away.sources, false), { credentials: null, remoteManifest: ADDRESS });
    assert.deepEqual(away.asked, []);
  });

  it('stops reading and fetching after half of the time limit, and never if there is no limit', async () => {
    mock.timers.enable({ apis: ['setTimeout'] });
    try {
      for (const [deadlineMs, isLeft] of [
        [1000, true],
        [undefined, false],
      ] as const) {
        // prettier-ignore
        let signal: AbortSignal | undefined;
        let answer: (found: null) => void = () => undefined;
        const credentials: CredentialSources['credentials'] = {
          read: (_bytes, _image, options = {}) => {
            signal = options.signal;
            return new Promise((resolve) => (answer = resolve));
          },
        };
        const remaining = () => (deadlineMs === undefined ? {} : { deadlineMs });
        const deadline: Deadline = { elapsedMs: () => 0, remaining, race: (work) => work };
        const finding = find({ credentials }, true, POINTING, deadline);
        mock.timers.tick(499);
        assert.equal(signal?.aborted, false);
        mock.timers.tick(1);
        assert.equal(signal.aborted, isLeft);
        answer(null);
        assert.equal((await finding).credentials, null);
      }
    } finally {
      mock.timers.reset();
    }
  });

  it('is cancelled if the caller disconnects while the image waits for a reader process', async () => {
    let signal: AbortSignal | undefined;
    const credentials: CredentialSources['credentials'] = {
      read: (_bytes, _image, options = {}) => {
        signal = options.signal;
        return new Promise(() => undefined);
      },
    };
    const gone = new Error('called off');
    const deadline: Deadline = {
      elapsedMs: () => 0,
      remaining: () => ({}),
      race: () => Promise.reject(gone),
    };
    await assert.rejects(find({ credentials }, true, POINTING, deadline), gone);
    assert.equal(signal?.aborted, true);
  });
});
