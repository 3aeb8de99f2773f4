// Advice for a person who should look closer at an image.
import type { Attention } from '../../src/library/check/types.js';

/** Advice for each reason to look closer. */
export const NEXT_STEPS: Readonly<Record<Attention, string>> = {
  known:
    'Another image of the same scene also matches, so this does not decide. Compare it with the known image below.',
  visible:
    'Anybody can draw such a mark on an image, so it does not decide. Look at the corner at full size, and ask the sender where the image was made.',
  watermark:
    'A watermark can be copied from another image, so it does not decide. Ask the sender for the original and where it was made.',
  mark: 'Anybody can write such data, so it does not decide. Read it below, and ask the sender who made the image, and how.',
  credentials:
    'The signer is not trusted, or the file was changed after signing. Read the chain below, and get the file from the signer.',
  tampered:
    'Its Content Credentials no longer describe this file. Get the signed file from the sender, and compare both.',
  blank: 'Check that this is the right file. A blank image can’t be judged.',
  part: 'Look at the outlined region at full size, and compare it with other images of the same scene.',
  face: 'Look at each face at full size, because one fake face among several is seldom detected. Check a crop of the face with the highest score.',
  score:
    'The detectors are uncertain. Look at the heat map, get the original file, and search for earlier copies of the image.',
};
