// Lists which tests check each module of src/, for mutation testing.

/**
 * For each module, `tests` lists folders or files of test/, and `without` lists exceptions. Exceptions are
 * tests that run models, browsers or many processes, because they would take seconds for each mutant.
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
  // Also runs the test of the reader of trust lists, because it covers the code that updates the lists.
  'src/service/outbound': {
    tests: ['test/service/outbound', 'test/library/check/credentials/trust.test.ts'],
    without: [],
  },
};
