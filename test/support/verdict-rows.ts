// Verdicts with the lines that explain them, one for each kind of reason.
import type { composeReport } from '../../src/library/check/check.js';
import { BANDS, CREDENTIALS, IMAGE, MARK, face, inspection, within } from './evidence.js';

/** Everything from which a report is composed. */
type Evidence = Parameters<typeof composeReport>[0];

/** Data of a photograph with low scores, without credentials and marks. The rows below change parts of it. */
export const EVIDENCE: Evidence = { image: IMAGE, credentials: null, marks: [], inspection: inspection(0.1) };
const proofClause = 'this is no proof, because the detectors miss some AI images';
/** Changes to EVIDENCE, the detectors that flag the image, and the exact reason. */
export interface VerdictRow {
  readonly name: string;
  readonly given: Partial<Evidence>;
  readonly fired: readonly string[];
  readonly reason: string;
}

export const VERDICT_ROWS: readonly VerdictRow[] = [
  {
    name: 'nothing fires, no face',
    given: {},
    fired: [],
    reason: `No AI detected: the image as a whole scores far below its threshold; no photographed face of 64 px or more was found; ${proofClause}`,
  },
  {
    name: 'nothing fires, the file says that a program made it',
    given: { marks: [MARK] },
    fired: [],
    reason: `Unclear: the file declares that Stable Diffusion (web UI) made the image; this declaration is unsigned, so it does not decide the verdict; the image as a whole scores far below its threshold; no photographed face of 64 px or more was found; the profile balanced does not flag the image; ${proofClause}`,
  },
  {
    name: 'nothing fires, the file says that AI edited it',
    given: { marks: [{ ...MARK, says: 'edited', kind: 'credit', generator: null }] },
    fired: [],
    reason: `Unclear: the file declares that AI edited the image; this declaration is unsigned, so it does not decide the verdict; the image as a whole scores far below its threshold; no photographed face of 64 px or more was found; the profile balanced does not flag the image; ${proofClause}`,
  },
  {
    name: 'nothing fires, the file says that a service may have made it with AI',
    given: {
      marks: [{ ...MARK, says: 'possibly_generated', kind: 'aigc_label', generator: 'Example Studio' }],
    },
    fired: [],
    reason: `Unclear: the file declares that AI may have made the image (Example Studio); this declaration is unsigned, so it does not decide the verdict; the image as a whole scores far below its threshold; no photographed face of 64 px or more was found; the profile balanced does not flag the image; ${proofClause}`,
  },
  {
    name: 'nothing fires, the file says that AI may have made it, without a name',
    given: { marks: [{ ...MARK, says: 'possibly_generated', kind: 'aigc_label', generator: null }] },
    fired: [],
    reason: `Unclear: the file declares that AI may have made the image; this declaration is unsigned, so it does not decide the verdict; the image as a whole scores far below its threshold; no photographed face of 64 px or more was found; the profile balanced does not flag the image; ${proofClause}`,
  },
  {
    name: 'nothing fires, the file names the tool of AI that edited it',
    given: { marks: [{ ...MARK, says: 'edited', kind: 'credit', generator: 'Example Eraser' }] },
    fired: [],
    reason: `Unclear: the file declares that the image was edited with Example Eraser; this declaration is unsigned, so it does not decide the verdict; the image as a whole scores far below its threshold; no photographed face of 64 px or more was found; the profile balanced does not flag the image; ${proofClause}`,
  },
  {
    name: 'a face at the threshold itself',
    given: { inspection: inspection(0.1, [face(BANDS.face.threshold)]) },
    fired: ['face_specialist'],
    reason:
      'Unclear: the face in the upper left scores just above its threshold as a face that was swapped or edited; the image as a whole stays far below its own; the profile balanced flags the image',
  },
  {
    name: 'nothing fires, a visible sign',
    given: {
      marks: [
        { ...MARK, kind: 'visible', generator: 'Google Gemini', value: 'four-pointed star, 48 x 48 px' },
        MARK,
      ],
    },
    fired: [],
    reason: `Unclear: the image shows the visible sign of Google Gemini (four-pointed star, 48 x 48 px); anybody can draw this sign, so it does not decide the verdict; the image as a whole scores far below its threshold; no photographed face of 64 px or more was found; the profile balanced does not flag the image; ${proofClause}`,
  },
  {
    name: 'nothing fires, an open watermark',
    given: { marks: [{ ...MARK, kind: 'watermark', generator: 'Stable Diffusion XL' }, MARK] },
    fired: [],
    reason: `Unclear: the pixels contain the open watermark of Stable Diffusion XL; anybody can copy this watermark, so it does not decide the verdict; the image as a whole scores far below its threshold; no photographed face of 64 px or more was found; the profile balanced does not flag the image; ${proofClause}`,
  },
  {
    name: 'nothing fires, the file names a camera and an editor',
    given: {
      marks: [
        { ...MARK, says: 'camera', kind: 'camera' },
        { ...MARK, says: 'edited', kind: 'editor' },
      ],
    },
    fired: [],
    reason: `No AI detected: the image as a whole scores far below its threshold; no photographed face of 64 px or more was found; ${proofClause}`,
  },
  {
    name: 'nothing fires, a face',
    given: { inspection: inspection(0.75, [face(0.3)]) },
    fired: [],
    reason: `Unclear: the image as a whole scores just below its threshold and the face in the upper left scores clearly below its own; the profile balanced does not flag the image; ${proofClause}`,
  },
  {
    name: 'nothing fires, several faces',
    given: { inspection: inspection(0.1, [face(0.1), face(0.5, [700, 400, 90, 90])]) },
    fired: [],
    reason: `No AI detected: the image as a whole scores far below its threshold and the highest-scoring of 2 faces, in the lower right, scores just below its own; ${proofClause}`,
  },
  {
    name: 'the whole image, no face',
    given: { inspection: inspection(0.99) },
    fired: ['full_image_specialist'],
    reason:
      'AI detected: the image as a whole scores far above its threshold; no photographed face of 64 px or more was found',
  },
  {
    name: 'the whole image, not the face',
    given: { inspection: inspection(0.8, [face(0.01)]) },
    fired: ['full_image_specialist'],
    reason:
      'Unclear: the image as a whole scores just above its threshold; the face in the upper left stays far below its own; the profile balanced flags the image',
  },
  {
    name: 'a drawing, by its own threshold',
    given: { inspection: inspection(0.95, [face(0.01)], 0.5) },
    fired: ['full_image_specialist'],
    reason:
      'AI detected: the image as a whole, judged as a drawing or painting, scores clearly above its threshold; the face in the upper left stays far below its own',
  },
  {
    name: 'an image that is rather a photograph',
    given: { inspection: inspection(0.95, [], 0.4999) },
    fired: ['full_image_specialist'],
    reason:
      'AI detected: the image as a whole scores clearly above its threshold; no photographed face of 64 px or more was found',
  },
  {
    name: 'a part that looks generated',
    given: { inspection: { ...inspection(0.1), part: { box: [650, 0, 200, 150], score: 0.8 } } },
    fired: [],
    reason: `Unclear: a region in the upper right looks generated, which does not decide the verdict; the image as a whole scores far below its threshold; no photographed face of 64 px or more was found; the profile balanced does not flag the image; ${proofClause}`,
  },
  {
    name: 'a part that does not reach the threshold',
    given: { inspection: { ...inspection(0.1), part: { box: [650, 0, 200, 150], score: 0.79 } } },
    fired: [],
    reason: `No AI detected: the image as a whole scores far below its threshold; no photographed face of 64 px or more was found; ${proofClause}`,
  },
  {
    name: 'a part of an image that fires as a whole',
    given: { inspection: { ...inspection(0.95), part: { box: [650, 0, 200, 150], score: 0.99 } } },
    fired: ['full_image_specialist'],
    reason:
      'AI detected: the image as a whole scores clearly above its threshold; no photographed face of 64 px or more was found',
  },
  {
    name: 'one of two images in the image',
    given: { inspection: within(0.95, 0, [500, 0, 400, 600], [0, 0, 496, 600]) },
    fired: ['full_image_specialist'],
    reason:
      'AI detected: the embedded image on the right (one of 2) scores clearly above its threshold; no photographed face of 64 px or more was found',
  },
  {
    name: 'the larger of two images in the image, a drawing',
    given: { inspection: within(0.95, 1, [0, 0, 600, 600], [604, 0, 296, 600]) },
    fired: ['full_image_specialist'],
    reason:
      'AI detected: the largest of 2 embedded images, judged as a drawing or painting, scores clearly above its threshold; no photographed face of 64 px or more was found',
  },
  {
    name: 'what a frame surrounds, which may be a block of text',
    given: { inspection: within(0.1, 0, [20, 100, 860, 480]) },
    fired: [],
    reason: `No AI detected: the image scores far below its threshold; no photographed face of 64 px or more was found; ${proofClause}`,
  },
  {
    name: 'the face of a drawing, not the drawing',
    given: { inspection: inspection(0.2, [face(0.85, [400, 250, 100, 100])], 1) },
    fired: ['face_specialist'],
    reason:
      'AI detected: the face at the centre scores clearly above its threshold as a face that was swapped or edited; the image as a whole, judged as a drawing or painting, stays far below its own',
  },
  {
    name: 'the face, not the whole image',
    given: { inspection: inspection(0.2, [face(0.85, [400, 250, 100, 100])]) },
    fired: ['face_specialist'],
    reason:
      'AI detected: the face at the centre scores clearly above its threshold as a face that was swapped or edited; the image as a whole stays far below its own',
  },
  {
    name: 'a generated face',
    given: {
      inspection: inspection(0.2, [
        { ...face(0.85, [400, 250, 100, 100]), manipulated: 0.3, generated: 0.79 },
      ]),
    },
    fired: ['face_specialist'],
    reason:
      'AI detected: the face at the centre scores clearly above its threshold as a generated face; the image as a whole stays far below its own',
  },
  {
    name: 'one face of three',
    given: { inspection: inspection(0.2, [face(0.1), face(0.85, [700, 250, 100, 100]), face(0.2)]) },
    fired: ['face_specialist'],
    reason:
      'AI detected: one of 3 faces, on the right, scores clearly above its threshold as a face that was swapped or edited; the image as a whole stays far below its own',
  },
  {
    name: 'both, several faces',
    given: { inspection: inspection(0.9, [face(0.99, [10, 10, 850, 580]), face(0.9)]) },
    fired: ['full_image_specialist', 'face_specialist'],
    reason:
      'AI detected: the image as a whole scores clearly above its threshold and the highest-scoring of 2 faces, which fills the image, scores far above its own as a face that was swapped or edited',
  },
  {
    name: 'verified credentials that record AI',
    given: { credentials: CREDENTIALS, inspection: null },
    fired: ['content_credentials'],
    reason:
      'AI detected: verified Content Credentials signed by Example Studios record that AI generated this image (tool: Example Imaginer); the detectors were not run',
  },
  {
    name: 'verified credentials of an edit without a tool, by a signer that tries to forge the line',
    given: {
      credentials: { ...CREDENTIALS, aiClaim: 'edited', tool: null, signer: 'A\u001b[2J\n\u202eB' },
      inspection: null,
    },
    fired: ['content_credentials'],
    reason:
      'AI detected: verified Content Credentials signed by A [2J B record that AI edited this image; the detectors were not run',
  },
  {
    name: 'verified credentials whose signer has no name',
    given: { credentials: { ...CREDENTIALS, signer: null }, inspection: null },
    fired: ['content_credentials'],
    reason:
      'AI detected: verified Content Credentials record that AI generated this image (tool: Example Imaginer); the detectors were not run',
  },
  {
    name: 'verified credentials without AI',
    given: { credentials: { ...CREDENTIALS, ai: false, aiClaim: null, aiCounts: false } },
    fired: [],
    reason: `No AI detected: the image as a whole scores far below its threshold; no photographed face of 64 px or more was found; verified Content Credentials signed by Example Studios do not record AI; ${proofClause}`,
  },
  {
    name: 'verified credentials that record AI only in gathered metadata or in an unverified ingredient',
    given: { credentials: { ...CREDENTIALS, aiCounts: false } },
    fired: [],
    reason: `Unclear: verified Content Credentials signed by Example Studios record AI only in metadata that its signer does not vouch for, or in an ingredient whose signer could not be verified, so they do not decide the verdict; the image as a whole scores far below its threshold; no photographed face of 64 px or more was found; the profile balanced does not flag the image; ${proofClause}`,
  },
  {
    name: 'untrusted credentials that record AI do not decide',
    given: {
      credentials: { ...CREDENTIALS, state: 'untrusted', verified: false, signer: 'Forged\r\nSigner' },
    },
    fired: [],
    reason: `Unclear: the Content Credentials of the image record AI; their signer (Forged Signer) could not be verified, so they do not decide the verdict; the image as a whole scores far below its threshold; no photographed face of 64 px or more was found; the profile balanced does not flag the image; ${proofClause}`,
  },
  {
    name: 'tampered credentials that record AI do not decide',
    given: {
      credentials: { ...CREDENTIALS, state: 'tampered', verified: false },
    },
    fired: [],
    reason: `Unclear: the Content Credentials of the image record AI; the file was changed after it was signed, so they do not decide the verdict; the image as a whole scores far below its threshold; no photographed face of 64 px or more was found; the profile balanced does not flag the image; ${proofClause}`,
  },
  {
    name: 'unreadable credentials beside a detector that fires',
    given: {
      credentials: { ...CREDENTIALS, state: 'unreadable', verified: false, ai: false, signer: null },
      inspection: inspection(0.99),
    },
    fired: ['full_image_specialist'],
    reason:
      'AI detected: the image as a whole scores far above its threshold; no photographed face of 64 px or more was found; the Content Credentials of the image could not be read, so they do not decide the verdict',
  },
  {
    name: 'tampered credentials that do not record AI',
    given: { credentials: { ...CREDENTIALS, state: 'tampered', verified: false, ai: false } },
    fired: [],
    reason: `Unclear: the Content Credentials of the image do not record AI; the file was changed after it was signed, so they do not decide the verdict; the image as a whole scores far below its threshold; no photographed face of 64 px or more was found; the profile balanced does not flag the image; ${proofClause}`,
  },
  {
    name: 'what limits a negative verdict',
    given: {
      image: { ...IMAGE, width: 300, jpegQuality: 55 },
      inspection: inspection(0.1, [face(0.1, [0, 0, 70, 70])]),
    },
    fired: [],
    reason: `No AI detected: the image as a whole scores far below its threshold and the face in the upper left scores far below its own; ${proofClause} (the image is small, its JPEG quality is low, the face is small)`,
  },
  {
    name: 'several faces, which limit a negative verdict',
    given: { inspection: inspection(0.1, [face(0.1), face(0.05), face(0.01)]) },
    fired: [],
    reason: `No AI detected: the image as a whole scores far below its threshold and the highest-scoring of 3 faces, in the upper left, scores far below its own; ${proofClause} (one fake among several faces is rarely detected)`,
  },
];
