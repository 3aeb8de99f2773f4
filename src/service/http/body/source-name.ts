// What the history calls a picture that was sent.
import { nameOfAddress, nameOfFile } from '../../../accounts/history/picture-name.js';
import type { ImageSource } from './image-input.js';

/** The name of its file, or what is left of its address; null where it has neither. */
export function nameOfSource(image: ImageSource | undefined): string | null {
  if (image?.kind === 'url') return nameOfAddress(image.url);
  return image?.kind === 'bytes' && image.fileName !== null ? nameOfFile(image.fileName) : null;
}
