// The C++ addon, by cmake-js; for tests also the GoogleTest binary, from the same build.
import { existsSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { announce, fingerprint, isDone, markDone, root, run } from './run.mjs';

const SOURCES = ['native', 'cmake', 'CMakeLists.txt', 'node_modules/onnxruntime-node/package.json'];

/** Builds where a native source, or the ONNX Runtime in use, changed since the last build. */
export function buildNative({ withTests }) {
  const runtime = process.env.ONNXRUNTIME_ROOT ?? '';
  const digest = fingerprint(SOURCES, `${process.arch} ${runtime}`);
  const step = withTests ? 'native-tests' : 'native';
  const product = join(root, 'build', withTests ? 'telltale_tests' : 'Release/telltale.node');
  if (existsSync(product) && isDone(step, digest)) return;
  announce('building the native engine (a minute or two)');
  // Two commands: on its own, the second keeps the options of an earlier configuration.
  const cmakeJs = (...args) =>
    run('npx', ['--no-install', 'cmake-js', ...args, '--silent', '--log-level', 'error']);
  const options = [`--CDTELLTALE_TESTS=${withTests ? 'ON' : 'OFF'}`, `--CDONNXRUNTIME_ROOT=${runtime}`];
  cmakeJs('configure', '--prefer-make', ...options);
  cmakeJs('build', '--prefer-make', '--parallel', String(availableParallelism()), ...options);
  announce(`built with ONNX Runtime from ${readCache('OnnxRuntime_LIBRARY')}`);
  markDone(step, digest);
  if (withTests) markDone('native', digest);
}

/** A variable of CMake's cache. */
function readCache(name) {
  const cache = readFileSync(join(root, 'build/CMakeCache.txt'), 'utf8');
  return cache.match(new RegExp(`^${name}:[A-Z]+=(.*)$`, 'm'))?.[1];
}
