// Mocha's spec reporter, extended for scripts/test.mjs: also writes counts, durations, failures and skipped tests to the file in the
// reporter option `output`.
'use strict';
const { writeFileSync } = require('node:fs');
const { relative } = require('node:path');
const { reporters } = require('mocha');

module.exports = class CountingReporter extends reporters.Spec {
  constructor(runner, options) {
    super(runner, options);
    const tests = [];
    const failed = [];
    const skipped = [];
    runner.on('test end', (test) =>
      tests.push({
        title: test.fullTitle(),
        file: relative(process.cwd(), test.file ?? ''),
        seconds: (test.duration ?? 0) / 1000,
      }),
    );
    runner.on('pending', (test) => skipped.push(relative(process.cwd(), test.file ?? '')));
    // A failed hook isn't a test, so mocha emits no 'test end' for it.
    runner.on('fail', (test, error) =>
      failed.push({
        title: test.fullTitle(),
        file: relative(process.cwd(), test.file ?? ''),
        message: String(error?.message ?? error),
      }),
    );
    runner.once('end', () => {
      writeFileSync(
        options.reporterOptions.output,
        JSON.stringify({ ...runner.stats, tests, failed, skipped }),
      );
    });
  }
};
