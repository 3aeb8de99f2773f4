// Tests that a process, worker thread or garbage collection may end an engine at any time without a crash or
// hang.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';

// Paths of the compiled modules, because compiling the sources would take longer than the tests.
const engineModule = new URL('../../../src/library/dist/engine/native/engine.js', import.meta.url).href;
const bindingModule = new URL('../../../src/library/dist/engine/native/binding.js', import.meta.url).href;
const image = new URL('../../fixtures/images/jpeg/scene.jpg', import.meta.url).href;
const largeImage = new URL('../../../samples/scene.jpg', import.meta.url).href;

/** Code with which every program in this file starts. */
const PROLOGUE = `
  import { readFileSync } from 'node:fs';
  import { createEngine } from ${JSON.stringify(engineModule)};
  const bytes = readFileSync(new URL(${JSON.stringify(image)}));
  const options = { modelsDir: process.env.TELLTALE_MODELS_DIR, device: 'cpu', threads: 2 };
`;

/**
 * Runs a program in its own process and returns how it ended. If it hangs, mocha's time limit ends the test.
 */
async function run(
  program: string,
  flags: readonly string[] = [],
): Promise<{ code: number | null; signal: string | null; output: string }> {
  const child = spawn(process.execPath, [...flags, '--input-type=module', '--eval', PROLOGUE + program], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => resolve({ code, signal, output: output.trim() }));
  });
}

describe('a process with an engine', function () {
  this.timeout(120_000);

  it('exits by itself if the engine is idle, even if the engine was not closed', async () => {
    const { code, signal, output } = await run(`
      const engine = await createEngine(options);
      const { width } = await engine.inspect(bytes);
      console.log(width);
    `);
    assert.deepEqual({ code, signal, output }, { code: 0, signal: null, output: '288' });
  });

  it('stays alive until pending inspections are done', async () => {
    const { code, output } = await run(`
      const engine = await createEngine(options);
      engine.inspect(bytes).then(({ height }) => console.log(height));
    `);
    assert.deepEqual({ code, output }, { code: 0, output: '256' });
  });

  it('exits cleanly on process.exit while inspections are pending', async () => {
    const { code, signal, output } = await run(`
      const engine = await createEngine(options);
      for (let i = 0; i < 40; ++i) engine.inspect(bytes).catch(() => {});
      setTimeout(() => process.exit(7), 20);
    `);
    assert.deepEqual({ code, signal, output }, { code: 7, signal: null, output: '' });
  });

  it('exits cleanly on process.exit while the engine starts', async () => {
    const { code, signal } = await run(`
      createEngine(options);
      setTimeout(() => process.exit(7), 10);
    `);
    assert.deepEqual({ code, signal }, { code: 7, signal: null });
  });

  it('exits cleanly on process.exit while the engine closes', async () => {
    const { code, signal } = await run(`
      const engine = await createEngine(options);
      for (let i = 0; i < 10; ++i) engine.inspect(bytes).catch(() => {});
      engine.close();
      setImmediate(() => process.exit(7));
    `);
    assert.deepEqual({ code, signal }, { code: 7, signal: null });
  });

  it("exits with Node's usual error code on an uncaught error", async () => {
    const { code, signal, output } = await run(`
      const engine = await createEngine(options);
      engine.inspect(bytes);
      throw new Error('a fault of the program');
    `);
    assert.deepEqual({ code, signal }, { code: 1, signal: null });
    assert.match(output, /a fault of the program/);
  });

  it('ends the engine’s threads when the engine object is garbage-collected', async () => {
    const { code, signal, output } = await run(
      `
      import { readdirSync } from 'node:fs';
      const countThreads = () => readdirSync('/proc/self/task').length;
      await (async () => (await createEngine(options)).inspect(bytes))();
      const most = countThreads();
      // Waits at least 40 s, because threads end late on a busy machine.
      for (let i = 0; i < 2000 && countThreads() > most - 2; ++i) {
        gc();
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
      console.log(most - countThreads());
    `,
      ['--expose-gc'],
    );
    assert.deepEqual({ code, signal }, { code: 0, signal: null });
    assert.ok(Number(output) >= 2, output);
  });

  const worker = (body: string, then: string) => `
    import { Worker } from 'node:worker_threads';
    const source = ${JSON.stringify(`
      import { readFileSync } from 'node:fs';
      import { parentPort } from 'node:worker_threads';
      import { createEngine } from ${JSON.stringify(engineModule)};
      const bytes = readFileSync(new URL(${JSON.stringify(image)}));
      const engine = await createEngine({ modelsDir: process.env.TELLTALE_MODELS_DIR, device: 'cpu', threads: 2 });
      ${body}
    `)};
    const startWorker = () => new Worker(source, { eval: true, execArgv: ['--input-type=module'] });
    ${then}
  `;

  it('keeps running after a worker thread ends, if the main thread also uses an engine', async () => {
    const { code, signal, output } = await run(
      worker(
        `parentPort.postMessage((await engine.inspect(bytes)).fullImageScore);`,
        `const engine = await createEngine(options);
         const { fullImageScore } = await engine.inspect(bytes);
         for (let i = 0; i < 3; ++i) {
           const worker = startWorker();
           const score = await new Promise((resolve, reject) => worker.once('message', resolve).once('error', reject));
           await new Promise((resolve) => worker.once('exit', resolve));
           if (score !== fullImageScore) console.log('another score', score, fullImageScore);
         }
         await engine.inspect(bytes);
         console.log('fine');`,
      ),
    );
    assert.deepEqual({ code, signal, output }, { code: 0, signal: null, output: 'fine' });
  });

  it('keeps running if a worker thread is terminated while its engine inspects images', async () => {
    const { code, signal, output } = await run(
      worker(
        `for (let i = 0; i < 40; ++i) engine.inspect(bytes).catch(() => {});
         parentPort.postMessage('busy');`,
        `for (let i = 0; i < 3; ++i) {
           const worker = startWorker();
           await new Promise((resolve, reject) => worker.once('message', resolve).once('error', reject));
           await worker.terminate();
         }
         console.log('fine');`,
      ),
    );
    assert.deepEqual({ code, signal, output }, { code: 0, signal: null, output: 'fine' });
  });

  // After process.exit a worker thread runs no JavaScript, and most Node-API calls fail.
  const endOfWorker = (body: string): string =>
    worker(
      body,
      `const worker = startWorker();
       const code = await new Promise((resolve, reject) => worker.once('exit', resolve).once('error', reject));
       console.log('the worker ended with', code);`,
    );
  const workerEnded = { code: 0, signal: null, output: 'the worker ended with 3' };

  it('keeps running if a worker thread exits between two results', async () => {
    const { code, signal, output } = await run(
      endOfWorker(`
        const { inspected } = engine.stats();
        for (let i = 0; i < 12; ++i) engine.inspect(bytes).then(() => process.exit(3));
        // The loop blocks the event loop until twelve images are inspected, so that several results are
        // delivered at once.
        while (engine.stats().inspected < inspected + 12);
      `),
    );
    assert.deepEqual({ code, signal, output }, workerEnded);
  });

  it('keeps running if a worker thread exits between two failures', async () => {
    const { code, signal, output } = await run(
      endOfWorker(`
        const last = engine.inspect(bytes);
        for (let i = 0; i < 12; ++i) engine.sniff(bytes.subarray(0, i)).catch(() => process.exit(3));
        while (engine.stats().inspected === 0);
        await last;
      `),
    );
    assert.deepEqual({ code, signal, output }, workerEnded);
  });

  const READ_OF_JOB = ['id', 'bytes', 'deadlineMs', 'isBackground', 'hashScene'];
  const READ_OF_CONFIG = ['encoder', 'device', 'cudaGraphs'];
  for (const field of [...READ_OF_CONFIG, ...READ_OF_JOB]) {
    it(`keeps running if a worker thread exits while the engine reads the option '${field}'`, async () => {
      const { code, signal, output } = await run(
        endOfWorker(`
          const { loadBinding } = await import(${JSON.stringify(bindingModule)});
          const binding = loadBinding();
          const exitAt = (object) =>
            '${field}' in object ? Object.defineProperty(object, '${field}', { get: () => process.exit(3) }) : object;
          binding.NativeEngine = class extends binding.NativeEngine {
            constructor(config) { super(exitAt(config)); }
            inspect(job) { return super.inspect(exitAt(job)); }
          };
          const watched = await createEngine({ modelsDir: process.env.TELLTALE_MODELS_DIR, device: 'cpu', threads: 2 });
          await watched.inspect(bytes);
        `),
      );
      assert.deepEqual({ code, signal, output }, workerEnded);
    });
  }
});

describe('the memory used by an engine', () => {
  it('does not grow after the first checks', async () => {
    const { code, output } = await run(
      `
      const engine = await createEngine({ ...options, views: 1 });
      const large = readFileSync(new URL(${JSON.stringify(largeImage)}));
      const work = async (rounds) => {
        for (let i = 0; i < rounds; ++i) {
          await Promise.allSettled([engine.inspect(large), engine.inspect(large), engine.inspect(large.subarray(0, 5000))]);
        }
        gc();
        return process.memoryUsage().rss / 2 ** 20;
      };
      // The first inspections release memory that the start used.
      await work(10);
      const first = await work(10);
      console.log((await work(20)) - first);
    `,
      ['--expose-gc'],
    );
    assert.equal(code, 0, output);
    // Between both measurements 40 images with 0.7 MB of pixels each were decoded. If only their pixels
    // leaked, it would be 29 MB.
    assert.ok(Number(output) < 16, `${output} MiB more`);
  });
});
