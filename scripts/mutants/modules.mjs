// Tests of each module of src/, for mutation testing.

/**
 * By module: `tests` lists folders or files of test/, and `without` lists exceptions. Exceptions are tests that run
 * models, browsers or many processes, which would take seconds for each mutant.
 */
export const MODULES = {
  'src/library/check': {
    tests: ['test/check'],
    without: [
      'test/library/check/checker.test.ts',
      'test/library/check/refusals.test.ts',
      'test/library/check/credentials/fuzz.whole.ts',
    ],
  },
  'src/accounts': { tests: ['test/accounts'], without: [] },
  'src/record': { tests: ['test/record'], without: ['test/record/page.test.ts'] },
  // The updater of trust lists is tested together with their reader.
  'src/service/outbound': {
    tests: ['test/service/outbound', 'test/library/check/credentials/trust.test.ts'],
    without: [],
  },
};
