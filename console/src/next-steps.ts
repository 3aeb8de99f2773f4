// Advice for a person who should look closer at an image.
import type { Attention } from '../../src/library/check/types.js';

/** Advice for each reason to look closer. */
export const NEXT_STEPS: Readonly<Record<Attention, string>> = {
  visible:
    'A sign can be drawn on any image, so it decides nothing. Look at the corner at full size, and ask the sender where it was made.',
  watermark:
    'A watermark can be copied from another image, so it decides nothing. Ask the sender for the original and where it was made.',
  mark: 'Anybody can write such a mark, so it decides nothing. Read it below, and ask the sender who made the image, and how.',
  credentials:
    'Nobody vouches for who signed them, or the file was changed since. Read the chain below, and get the file from the signer.',
  blank: 'Check that this is the file that you meant; a blank image can be judged by nobody.',
  part: 'Look at the outlined region at full size, and compare it with other images of the same scene.',
  face: 'Look at each face at full size: one fake among several is seldom detected. Check a crop of the one that scores highest.',
  score:
    'The profile sensitive says AI. Look at the heat map, get the original file, and search for earlier copies of the image.',
};
