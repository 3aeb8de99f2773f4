// What marks an image that crashes a worker under `test/preload/poison.ts`.

/** Follows the image's own end, where decoders read no more. */
export const POISON = Buffer.from('poison of test/service/scans/poison.test.ts');
