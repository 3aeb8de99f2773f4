// Signs one sample with a test certificate: Content Credentials that record AI, and the anchor that would vouch for them.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { openCertificateShop } from '../test/support/certificates.js';
import { signImage, sourceType } from '../test/support/sign.js';

const at = (name: string): string => fileURLToPath(new URL(name, import.meta.url));
const shop = openCertificateShop();
try {
  const root = shop.makeRoot('Telltale sample root, trust it for nothing');
  const signer = shop.issue(root, { organization: 'Telltale Samples', commonName: 'Sample signer' });
  const signed = await signImage(
    { buffer: readFileSync(at('scene.jpg')), mimeType: 'image/jpeg' },
    {
      signer,
      actions: [
        {
          action: 'c2pa.created',
          softwareAgent: { name: 'Example Image Generator' },
          digitalSourceType: sourceType('trainedAlgorithmicMedia'),
        },
      ],
    },
  );
  mkdirSync(at('trust'), { recursive: true });
  writeFileSync(at('scene-signed-ai.jpg'), signed);
  writeFileSync(at('trust/sample-root.pem'), root.certificate.toString());
} finally {
  shop.close();
}
