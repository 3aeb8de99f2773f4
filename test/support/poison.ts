// What marks a picture that crashes a worker under `test/preload/poison.ts`.

/** Follows the picture's own end, where decoders read no more. */
export const POISON = Buffer.from('poison of test/service/scans/poison.test.ts');
