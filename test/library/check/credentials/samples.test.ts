// Tests every public sample file with the shipped trust lists. The expected results come from the publishers'
// descriptions (images.csv next to the files) and from the manifests, read by hand.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  createCredentialReader,
  type ManagedCredentialReader,
} from '../../../../src/library/check/credentials/credentials.js';
import type { AiClaim, CredentialState } from '../../../../src/library/check/types.js';
import { PACKAGE_TRUST_DIR } from '../../../../src/library/base/package-paths.js';

const SAMPLES = fileURLToPath(new URL('../../../../../shared/data/c2pa/', import.meta.url));

/**
 * Expected state of a file. `none`: no manifest is embedded. `remote`: the file contains only the address of
 * a manifest.
 */
interface Expectation {
  readonly state: CredentialState | 'none' | 'remote';
  readonly signer?: string;
  readonly claim?: AiClaim;
  readonly tool?: string;
  /** Validation errors that the result must contain. */
  readonly codes?: readonly string[];
}

const TEST_SIGNER = 'C2PA Test Signing Cert';
const UNKNOWN = { state: 'untrusted', signer: TEST_SIGNER, codes: ['signingCredential.untrusted'] } as const;
const ADOBE = { ...UNKNOWN, signer: 'Adobe Inc.' } as const;
const GOOGLE = {
  state: 'verified',
  signer: 'Google LLC',
  claim: 'generated',
  tool: 'Google C2PA Core Generator Library',
} as const;
const NONE = { state: 'none' } as const;
const REMOTE = { state: 'remote' } as const;

function tampered(...codes: string[]): Expectation {
  return { state: 'tampered', signer: TEST_SIGNER, codes };
}

function group(
  prefix: string,
  rows: Readonly<Record<string, Expectation>>,
): readonly (readonly [string, Expectation])[] {
  return Object.entries(rows).map(([name, expected]) => [prefix + name, expected]);
}

const EXPECTED = new Map<string, Expectation>([
  ...group('awesome-nanobanana2__cases__', { '84__case.jpg': GOOGLE, '85__case.jpg': GOOGLE }),
  ...group('c2pa-js__packages__c2pa-web__test__assets__', {
    'PirateShip_save_credentials_to_cloud.jpg': REMOTE,
  }),
  ...group('c2pa-node__', {
    'CAICAI.jpg': UNKNOWN,
    'XCA.jpg': tampered('assertion.dataHash.mismatch'),
    'cloud-only-firefly.jpg': REMOTE,
    'ingredient-with-data-types.jpg': { ...ADOBE, claim: 'generated', tool: 'Adobe Firefly' },
  }),
  ...group('c2pa-rs__', {
    'C.jpg': UNKNOWN,
    'CA.jpg': UNKNOWN,
    'CACA.jpg': UNKNOWN,
    // Two signers used this image after the error occurred and recorded the error. Their own signatures are
    // intact.
    'CACAE-uri-CA.jpg': UNKNOWN,
    'CA_ct.jpg': UNKNOWN,
    'CIE-sig-CA.jpg': UNKNOWN,
    'C_with_CAWG_data.jpg': UNKNOWN,
    'E-sig-CA.jpg': tampered('claimSignature.mismatch'),
    'XCA.jpg': tampered('assertion.dataHash.mismatch'),
    'boxhash.jpg': UNKNOWN,
    'cloud.jpg': REMOTE,
    'cloudx.jpg': REMOTE,
    'earth_apollo17.jpg': NONE,
    'legacy_ingredient_hash.jpg': UNKNOWN,
    'libpng-test_with_url.png': REMOTE,
    'no_alg.jpg': { state: 'unreadable' },
    'no_manifest.jpg': NONE,
    'ocsp.jpg': { ...ADOBE, claim: 'edited', tool: 'Adobe Photoshop' },
    'ocsp_with_assertion.jpg': ADOBE,
    'prerelease.jpg': { state: 'unreadable' },
    'update_manifest.jpg': UNKNOWN,
  }),
  ...group('c2pa-rs__claim_aggregation__', {
    'adobe_connected_identities.jpg': ADOBE,
    // Only the identity assertions in these files are invalid, and Telltale does not check identities.
    'ica_validation__invalid_cose_sign1.jpg': UNKNOWN,
    'ica_validation__invalid_vc.jpg': UNKNOWN,
    'ica_validation__signature_mismatch.jpg': UNKNOWN,
    'ica_validation__success.jpg': UNKNOWN,
    'ica_validation__unresolvable_did.jpg': UNKNOWN,
    'ica_validation__valid_from_in_future.jpg': UNKNOWN,
    'ims_multiple_manifests.jpg': ADOBE,
  }),
  ...group('c2pa-rs__validation_method__', {
    'duplicate_assertion_reference.jpg': UNKNOWN,
    'extra_assertion_claim_v1.jpg': UNKNOWN,
    'extra_field.jpg': UNKNOWN,
    'invalid_sig_type.jpg': UNKNOWN,
    'malformed_cbor.jpg': UNKNOWN,
    'no_hard_binding.jpg': UNKNOWN,
    'pad1_invalid.jpg': UNKNOWN,
    'pad2_invalid.jpg': UNKNOWN,
  }),
  ...group('example-assets__images__', {
    'ChatGPT_Image.png': {
      state: 'untrusted',
      signer: 'OpenAI',
      claim: 'generated',
      tool: 'GPT-4o',
      codes: ['signingCredential.expired', 'signingCredential.untrusted'],
    },
    'Firefly_tabby_cat.jpg': { ...ADOBE, claim: 'generated', tool: 'Adobe Firefly' },
    'car-es-Ps-Cr.jpg': ADOBE,
    'cloudscape-ACA-Cr.jpeg': { ...ADOBE, codes: ['signingCredential.expired'] },
    'crater-lake-cr.jpg': REMOTE,
    'crater-lake.jpeg': NONE,
  }),
  ...group('public-testfiles__image__jpeg__adobe-20220124-', {
    'A.jpg': NONE,
    'C.jpg': UNKNOWN,
    'CA.jpg': UNKNOWN,
    'CACA.jpg': UNKNOWN,
    'CACAICAICICA.jpg': UNKNOWN,
    'CAI.jpg': UNKNOWN,
    'CAICA.jpg': UNKNOWN,
    'CAICAI.jpg': UNKNOWN,
    'CI.jpg': UNKNOWN,
    'CICA.jpg': UNKNOWN,
    'CICACACA.jpg': UNKNOWN,
    'CIE-sig-CA.jpg': UNKNOWN,
    'CII.jpg': UNKNOWN,
    'E-clm-CAICAI.jpg': tampered('ingredient.manifest.missing'),
    'E-dat-CA.jpg': tampered('assertion.dataHash.mismatch'),
    'E-sig-CA.jpg': tampered('claimSignature.mismatch'),
    'E-uri-CA.jpg': tampered('assertion.hashedURI.mismatch'),
    'E-uri-CIE-sig-CA.jpg': tampered('assertion.hashedURI.mismatch'),
    'I.jpg': NONE,
    'XCA.jpg': tampered('assertion.dataHash.mismatch'),
    'XCI.jpg': tampered('assertion.dataHash.mismatch'),
  }),
]);

describe('the public C2PA sample files', () => {
  let reader: ManagedCredentialReader | null = null;

  before(function () {
    if (!existsSync(SAMPLES)) {
      console.error(`the public sample files are not at hand (${SAMPLES}): their tests are left out`);
      this.skip();
    }
    reader = createCredentialReader({ shippedTrustDir: PACKAGE_TRUST_DIR, timeoutMs: 60_000 });
  });

  after(() => reader?.close());

  it('are all in this test’s table of expected results', async () => {
    assert.deepEqual([...EXPECTED.keys()].sort(), (await readdir(join(SAMPLES, 'images'))).sort());
  });

  for (const [name, expected] of EXPECTED) {
    it(`include ${name}, whose state is ${expected.state}`, async () => {
      const bytes = await readFile(join(SAMPLES, 'images', name));
      const found = await reader?.read(bytes, { format: name.endsWith('.png') ? 'png' : 'jpeg' });
      if (expected.state === 'none') {
        assert.equal(found, null);
        return;
      }
      assert.ok(found);
      if (expected.state === 'remote') {
        // A check does not read this file, because its header shows no manifest.
        assert.equal(found.state, 'unreadable');
        return;
      }
      assert.equal(found.state, expected.state);
      assert.equal(found.verified, expected.state === 'verified');
      assert.equal(found.trustTier, expected.state === 'verified' ? 'official' : null);
      assert.equal(found.signer, expected.signer ?? null);
      assert.equal(found.aiClaim, expected.claim ?? null);
      assert.equal(found.ai, expected.claim !== undefined);
      assert.equal(found.tool, expected.tool ?? null);
      for (const code of expected.codes ?? []) assert.ok(found.validationCodes.includes(code), `no ${code}`);
    });
  }
});
