// Builds the C++ addon with cmake-js. The same build can make the GoogleTest binary and the native program of
// the bench.
import { existsSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { availableParallelism } from 'node:os';
import { dirname, join } from 'node:path';
import { announce, fingerprint, isDone, markDone, root, run, SetupError } from './run.mjs';
import { C2PA_C_LIBRARY } from './npm-packages.mjs';
import { buildFolder, crossTriplet, toolFor } from './target.mjs';

const SOURCES = [
  'native',
  'bench/native',
  'cmake',
  'CMakeLists.txt',
  'node_modules/onnxruntime-node/package.json',
];

/**
 * Builds for `arch` if a native source or the used ONNX Runtime changed since the last build. Tests also run
 * the bench, so `withTests` includes `withBench`.
 */
export async function buildNative({ withTests, withBench, arch = process.arch }) {
  const runtime = process.env.ONNXRUNTIME_ROOT ?? '';
  const folder = join(root, buildFolder(arch));
  const triplet = crossTriplet(arch);
  const digest = fingerprint(SOURCES, `${arch} ${runtime}`);
  const variants = [
    { step: 'native', product: 'Release/telltale.node', isWanted: true },
    { step: 'native-bench', product: 'telltale_bench', isWanted: withTests || withBench },
    { step: 'native-tests', product: 'telltale_tests', isWanted: withTests },
  ]
    .filter(({ isWanted }) => isWanted)
    .map(({ step, product }) => ({ step: triplet === null ? step : `${step}-${arch}`, product }));
  const isBuilt = ({ step, product }) => existsSync(join(folder, product)) && isDone(step, digest);
  if (variants.every(isBuilt)) return;
  forgetMovedBuild(folder, root);
  const bin = join(root, 'node_modules/onnxruntime-node/bin');
  if (triplet !== null && !readdirSync(bin).some((version) => existsSync(join(bin, version, 'linux', arch))))
    throw new SetupError(
      `an earlier set-up deleted ONNX Runtime for ${arch}: delete node_modules and run again`,
    );
  const step = announce('building the native engine (a minute or two)');
  const program = createRequire(join(root, 'native/package.json')).resolve('cmake-js/bin/cmake-js');
  // cmake-js must run twice (configure, build), because building alone keeps the options of an earlier
  // configuration.
  const cmakeJs = (...args) =>
    run(process.execPath, [program, ...args, '--log-level', 'error'], {
      step,
      tellsProgress: true,
      // cmake-js looks for node-addon-api in the project's folder and the folders above it.
      env: {
        NODE_PATH: dirname(dirname(dirname(program))),
        ...(triplet !== null && { PKG_CONFIG_LIBDIR: `/usr/lib/${triplet}/pkgconfig:/usr/share/pkgconfig` }),
      },
    });
  const onOff = (isOn) => (isOn ? 'ON' : 'OFF');
  const options = [
    `--CDTELLTALE_TESTS=${onOff(withTests)}`,
    `--CDTELLTALE_BENCH=${onOff(withTests || withBench)}`,
    `--CDONNXRUNTIME_ROOT=${runtime}`,
    `--CDTELLTALE_C2PA_LIBRARY=${arch === 'arm64' ? join(root, C2PA_C_LIBRARY) : ''}`,
    ...(triplet === null ? [] : crossOptions(arch, folder)),
  ];
  await cmakeJs('configure', '--prefer-make', ...options);
  await cmakeJs('build', '--prefer-make', '--parallel', String(availableParallelism()), ...options);
  announce(`built with ONNX Runtime from ${readCache(folder, 'OnnxRuntime_LIBRARY')}`);
  for (const { step } of variants) markDone(step, digest);
}

/** Returns the options of cmake-js for Debian's cross compiler. */
function crossOptions(arch, folder) {
  const compilers = ['--cc', toolFor(arch, 'gcc'), '--cxx', toolFor(arch, 'g++')];
  const [processor] = crossTriplet(arch).split('-');
  const system = ['--CDCMAKE_SYSTEM_NAME=Linux', `--CDCMAKE_SYSTEM_PROCESSOR=${processor}`];
  return ['--out', folder, '--arch', arch, ...compilers, ...system];
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

/** Returns a variable from the CMake cache of a build folder. */
function readCache(folder, name) {
  const cache = readFileSync(join(folder, 'CMakeCache.txt'), 'utf8');
  return cache.match(new RegExp(`^${name}:[A-Z]+=(.*)$`, 'm'))?.[1];
}
