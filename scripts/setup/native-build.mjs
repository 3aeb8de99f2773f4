// Builds the C++ addon with cmake-js. The same build can make the GoogleTest binary and the native program of
// the bench.
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { availableParallelism } from 'node:os';
import { dirname, join } from 'node:path';
import { announce, fingerprint, isDone, markDone, root, run } from './run.mjs';

const SOURCES = [
  'native',
  'bench/native',
  'cmake',
  'CMakeLists.txt',
  'node_modules/onnxruntime-node/package.json',
];

/**
 * Builds if a native source or the used ONNX Runtime changed since the last build. Tests also run the bench,
 * so `withTests` includes `withBench`.
 */
export async function buildNative({ withTests, withBench }) {
  const runtime = process.env.ONNXRUNTIME_ROOT ?? '';
  const digest = fingerprint(SOURCES, `${process.arch} ${runtime}`);
  const variants = [
    { step: 'native', product: 'Release/telltale.node', isWanted: true },
    { step: 'native-bench', product: 'telltale_bench', isWanted: withTests || withBench },
    { step: 'native-tests', product: 'telltale_tests', isWanted: withTests },
  ].filter(({ isWanted }) => isWanted);
  const isBuilt = ({ step, product }) => existsSync(join(root, 'build', product)) && isDone(step, digest);
  if (variants.every(isBuilt)) return;
  forgetMovedBuild(join(root, 'build'), root);
  const step = announce('building the native engine (a minute or two)');
  const program = createRequire(join(root, 'native/package.json')).resolve('cmake-js/bin/cmake-js');
  // cmake-js must run twice (configure, build), because building alone keeps the options of an earlier
  // configuration.
  const cmakeJs = (...args) =>
    run(process.execPath, [program, ...args, '--log-level', 'error'], {
      step,
      tellsProgress: true,
      // cmake-js looks for node-addon-api in the project's folder and the folders above it.
      env: { NODE_PATH: dirname(dirname(dirname(program))) },
    });
  const onOff = (isOn) => (isOn ? 'ON' : 'OFF');
  const options = [
    `--CDTELLTALE_TESTS=${onOff(withTests)}`,
    `--CDTELLTALE_BENCH=${onOff(withTests || withBench)}`,
    `--CDONNXRUNTIME_ROOT=${runtime}`,
  ];
  await cmakeJs('configure', '--prefer-make', ...options);
  await cmakeJs('build', '--prefer-make', '--parallel', String(availableParallelism()), ...options);
  announce(`built with ONNX Runtime from ${readCache('OnnxRuntime_LIBRARY')}`);
  for (const { step } of variants) markDone(step, digest);
}

/**
 * Deletes a build folder that was made for sources in another folder. CMake would refuse it, and cmake-js
 * does not print the reason.
 */
export function forgetMovedBuild(folder, sources) {
  const cache = join(folder, 'CMakeCache.txt');
  if (!existsSync(cache)) return;
  const madeFor = readFileSync(cache, 'utf8').match(/^CMAKE_HOME_DIRECTORY:[A-Z]+=(.*)$/m)?.[1];
  if (madeFor === sources.replace(/\/$/, '')) return;
  announce(`build/ was made for ${madeFor}; it is made anew for this folder`);
  for (const name of ['CMakeCache.txt', 'CMakeFiles', 'Makefile', 'cmake_install.cmake'])
    rmSync(join(folder, name), { recursive: true, force: true });
}

/** Returns a variable from CMake's cache. */
function readCache(name) {
  const cache = readFileSync(join(root, 'build/CMakeCache.txt'), 'utf8');
  return cache.match(new RegExp(`^${name}:[A-Z]+=(.*)$`, 'm'))?.[1];
}
