// Mocha's spec reporter, which also leaves the counts in a file (reporter option `output`) for scripts/test.mjs.
'use strict';
const { writeFileSync } = require('node:fs');
const { reporters } = require('mocha');

module.exports = class CountingReporter extends reporters.Spec {
  constructor(runner, options) {
    super(runner, options);
    runner.once('end', () => writeFileSync(options.reporterOptions.output, JSON.stringify(runner.stats)));
  }
};
