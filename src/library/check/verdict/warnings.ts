// Finding circumstances that make a verdict less reliable: an image near a limit, nothing to see, a
// suspicious region.
import type { Inspection, SniffedImage } from '../../engine/types.js';
import { MIN_FACE_PX, MIN_JPEG_QUALITY, MIN_SHORTER_SIDE_PX } from '../../base/limits.js';
import { positionOf, wordsOfPosition } from './position.js';
import type { ImageBands, Warning } from '../types.js';
import { findSuspiciousRegion, strongestFace } from './reasons.js';

/** Shorter side in pixels below which an image gets a warning: 1.25 times the minimum. */
const SMALL_SIDE_PX = 320;

/** JPEG quality up to which an image gets a warning: 10 above the minimum. */
const LOW_JPEG_QUALITY = 60;

/** Side in pixels below which a face gets a warning: 1.25 times the minimum. */
const SMALL_FACE_PX = 80;

/**
 * Number of faces from which an image gets a warning, because one fake among them is rarely detected. Source:
 * the face specialist's card.
 */
const MANY_FACES = 3;

/** Returns the warnings about an image, with a text for people. */
export function findWarnings(image: SniffedImage, inspection: Inspection, bands: ImageBands): Warning[] {
  const warnings: Warning[] = [];
  const shorterSide = Math.min(image.width, image.height);
  if (shorterSide < SMALL_SIDE_PX) {
    warnings.push({
      code: 'image_small',
      message: `the shorter side is ${shorterSide} px, near the minimum of ${MIN_SHORTER_SIDE_PX} px, so the detectors see little detail`,
    });
  }
  if (inspection.isBlank) {
    warnings.push({
      code: 'image_blank',
      message: 'all inspected crops have the same single colour, so there is nothing to judge',
    });
  }
  if (inspection.isTransparent) {
    warnings.push({
      code: 'image_transparent',
      message: 'the image is fully transparent, so viewers show nothing; its hidden colours were judged',
    });
  }
  if (image.jpegQuality !== null && image.jpegQuality <= LOW_JPEG_QUALITY) {
    warnings.push({
      code: 'jpeg_quality_low',
      message: `the JPEG quality is about ${image.jpegQuality}, near the minimum of ${MIN_JPEG_QUALITY}; strong compression hides traces of AI`,
    });
  }
  const face = strongestFace(inspection);
  const facePx = face === null ? Infinity : Math.min(face.box[2], face.box[3]);
  if (facePx < SMALL_FACE_PX) {
    warnings.push({
      code: 'face_small',
      message: `the shorter side of the face is ${facePx} px, near the minimum of ${MIN_FACE_PX} px, so the face specialist sees little detail`,
    });
  }
  const faceCount = inspection.faces.length;
  if (faceCount >= MANY_FACES) {
    warnings.push({
      code: 'faces_many',
      message: `${faceCount} faces were scored; each score is lowered because of their number, so a single fake among them is rarely detected`,
    });
  }
  const region = findSuspiciousRegion(inspection, bands);
  if (region !== null) {
    warnings.push({
      code: 'part_generated',
      message: `a region of ${region[2]} x ${region[3]} px ${wordsOfPosition(positionOf(region, image))} looks generated, but the image as a whole does not; this region may have been edited`,
    });
  }
  return warnings;
}
