// Which tests hold which module of src/ for the mutants.

/**
 * By module: `tests`, folders or files of test/, and `without`, those of them that are left out. Left out is what runs
 * models, browsers or many processes: it would take seconds for each mutant.
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
  // What updates the trust lists is held beside what reads them.
  'src/service/outbound': {
    tests: ['test/service/outbound', 'test/library/check/credentials/trust.test.ts'],
    without: [],
  },
};
