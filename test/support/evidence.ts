// Makes plain objects of the check's types, for tests of decisions without an engine.
import type { Credentials, Mark, ImageBands, ProfileBands } from '../../src/library/check/types.js';
import type { Box, InspectedFace, Inspection, SniffedImage } from '../../src/library/engine/types.js';

/** Thresholds for an image that is certainly a photograph. */
export const BANDS: ImageBands = {
  fullImage: { threshold: 0.8, falseAlarmRate: 0.01, recall: { clean: 0.5, web: 0.4, hard: 0.3 } },
  face: { threshold: 0.6, falseAlarmRate: 0.01, recall: { clean: 0.5, web: 0.4, hard: 0.3 } },
};

export const PROFILE_BANDS: ProfileBands = {
  fullImage: {
    photographed: BANDS.fullImage,
    drawn: { threshold: 0.9, falseAlarmRate: 0.02, recall: { clean: 0.3, web: 0.2, hard: null } },
  },
  face: BANDS.face,
};

export const IMAGE: SniffedImage = {
  format: 'jpeg',
  width: 900,
  height: 600,
  orientation: 1,
  frameCount: 1,
  jpegQuality: 90,
  hasManifest: false,
};

export const CREDENTIALS: Credentials = {
  found: true,
  state: 'verified',
  signer: 'Example Studios',
  verified: true,
  trustTier: 'official',
  signedAt: null,
  ai: true,
  aiClaim: 'generated',
  aiCounts: true,
  tool: 'Example Imaginer',
  claimGenerator: 'Example Imaginer',
  manifests: ['urn:c2pa:1'],
  validationCodes: ['signingCredential.trusted'],
  digitalSourceTypes: ['trainedAlgorithmicMedia'],
  softBindings: [],
  chain: [],
  generator: null,
};

export const MARK: Mark = {
  kind: 'generation_parameters',
  generator: 'Stable Diffusion (web UI)',
  says: 'generated',
  where: 'png:parameters',
  value: 'a harbour Steps: 20, Sampler: Euler a',
};

export function face(score: number, box: Box = [60, 60, 100, 120]): InspectedFace {
  return { box, score, manipulated: score, generated: 0, confidence: 0.95 };
}

export function inspection(
  fullImageScore: number,
  faces: readonly InspectedFace[] = [],
  drawn = 0,
): Inspection {
  return {
    width: IMAGE.width,
    height: IMAGE.height,
    fullImageScore,
    isBlank: false,
    isTransparent: false,
    colours: [],
    part: null,
    panels: [],
    panel: null,
    drawn,
    views: 5,
    faces,
    patches: [{ box: [0, 0, 224, 224], score: 0.123456 }],
    preview: null,
    scene: null,
    timings: { queue: 1.23, decode: 4.56, faces: 7.89, inference: 10.11 },
  };
}

/**
 * Returns an inspection in which the embedded image `panel` has the highest score, next to the embedded images
 * `others`.
 */
export const within = (score: number, drawn: number, panel: Box, ...others: Box[]): Inspection => ({
  ...inspection(score, [], drawn),
  panel,
  panels: [panel, ...others].map((box) => ({ box, score, drawn })),
});
