// Mocha's spec reporter, which also leaves the counts, each test's time and what failed in a file (reporter option
// `output`) for scripts/test.mjs.
'use strict';
const { writeFileSync } = require('node:fs');
const { relative } = require('node:path');
const { reporters } = require('mocha');

module.exports = class CountingReporter extends reporters.Spec {
  constructor(runner, options) {
    super(runner, options);
    const tests = [];
    const failed = [];
    runner.on('test end', (test) =>
      tests.push({
        title: test.fullTitle(),
        file: relative(process.cwd(), test.file ?? ''),
        seconds: (test.duration ?? 0) / 1000,
      }),
    );
    // A hook that fails is no test, so it has no 'test end'.
    runner.on('fail', (test, error) =>
      failed.push({
        title: test.fullTitle(),
        file: relative(process.cwd(), test.file ?? ''),
        message: String(error?.message ?? error),
      }),
    );
    runner.once('end', () => {
      writeFileSync(options.reporterOptions.output, JSON.stringify({ ...runner.stats, tests, failed }));
    });
  }
};
