// Runs the project's mocha for StrykerJS, whose own runner doesn't support this version of mocha.
import { join } from 'node:path';
import Mocha from 'mocha';
import { INSTRUMENTER_CONSTANTS } from '@stryker-mutator/api/core';
import { commonTokens, declareClassPlugin, PluginKind } from '@stryker-mutator/api/plugin';
import {
  determineHitLimitReached,
  DryRunStatus,
  TestStatus,
  toMutantRunResult,
} from '@stryker-mutator/api/test-runner';

/**
 * Object whose property names the active mutant (small change of the code). The changed code reads it
 * whenever it runs.
 */
const switches = (globalThis[INSTRUMENTER_CONSTANTS.NAMESPACE] ??= {});

/** Results of the tests in the current run. */
let results = [];

class Collector {
  constructor(runner) {
    results = [];
    const add = (test, status, more) => {
      const id = test.fullTitle();
      // StrykerJS needs the file of a test to know which earlier results a changed test makes invalid.
      results.push({ id, name: id, fileName: test.file, status, timeSpentMs: test.duration ?? 0, ...more });
    };
    runner.on('pass', (test) => add(test, TestStatus.Success));
    runner.on('pending', (test) => add(test, TestStatus.Skipped));
    runner.on('fail', (test, error) =>
      add(test, TestStatus.Failed, { failureMessage: String(error?.stack ?? error) }),
    );
  }
}

/** Returns one pattern that matches exactly these titles of tests. */
function onlyTests(titles) {
  const escaped = titles.map((title) => title.replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`));
  return new RegExp(`^(?:${escaped.join('|')})$`);
}

class MochaRunner {
  static inject = [commonTokens.options];
  #options;
  #mocha;
  #isLoaded = false;
  #onTest = () => undefined;

  constructor({ mocha }) {
    this.#options = mocha;
  }

  /** False, because modules that were imported once can't be loaded again. */
  capabilities() {
    return { reloadEnvironment: false };
  }

  async init() {
    // No time limit, because StrykerJS ends the process if a mutant hangs.
    this.#mocha = new Mocha({ reporter: Collector, timeout: 0 });
    this.#mocha.cleanReferencesAfterRun(false);
    for (const file of this.#options.files) this.#mocha.addFile(join(process.cwd(), file));
    const onTest = (test) => this.#onTest(test);
    this.#mocha.suite.beforeEach(function () {
      onTest(this.currentTest);
    });
  }

  async dryRun({ disableBail }) {
    this.#mocha.grep(this.#options.grep);
    this.#onTest = (test) => (switches.currentTestId = test?.fullTitle());
    const result = await this.#run(disableBail);
    this.#onTest = () => undefined;
    return result.status === DryRunStatus.Complete
      ? { ...result, mutantCoverage: switches.mutantCoverage }
      : result;
  }

  async mutantRun({ activeMutant, testFilter, disableBail, hitLimit, mutantActivation }) {
    switches.hitLimit = hitLimit;
    switches.hitCount = hitLimit ? 0 : undefined;
    this.#mocha.grep(testFilter ? onlyTests(testFilter) : this.#options.grep);
    return toMutantRunResult(await this.#run(disableBail, activeMutant.id, mutantActivation === 'static'));
  }

  async #run(disableBail, mutant, isStatic) {
    bail(this.#mocha.suite, !disableBail);
    try {
      switches.activeMutant = isStatic ? mutant : undefined;
      if (!this.#isLoaded) await this.#mocha.loadFilesAsync();
      this.#isLoaded = true;
      switches.activeMutant = mutant;
      await new Promise((resolve) => this.#mocha.run(resolve));
    } catch (error) {
      return { status: DryRunStatus.Error, errorMessage: String(error?.stack ?? error) };
    }
    const endless = determineHitLimitReached(switches.hitCount, switches.hitLimit);
    return endless ?? { status: DryRunStatus.Complete, tests: results };
  }
}

function bail(suite, isOn) {
  suite.bail(isOn);
  for (const child of suite.suites) bail(child, isOn);
}

export const strykerPlugins = [declareClassPlugin(PluginKind.TestRunner, 'telltale-mocha', MochaRunner)];
