// Makes prebuilds/linux-<arch>/ for machines without a compiler: the addon, its shared libraries, and C2PA's
// library. Also tests whether the prebuild of a package works here. A prebuild needs a glibc that is at least
// as new as on the machine that made it.
import { spawnSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { announce, outputOf, root, run, SetupError } from './run.mjs';

const FOLDER = `prebuilds/linux-${process.arch}`;

/** Matches libraries that every Debian system with Node has: glibc and the C++ runtime. */
const BASE = /^(ld-linux.*|lib(c|m|dl|rt|pthread|stdc\+\+|gcc_s))\.so/;

/** Matches the library from the npm package onnxruntime-node, which contains no licence. */
const ONNX_RUNTIME = /^libonnxruntime\.so/;

/**
 * Matches libraries that the engine links but never uses. libavif, libtiff and OpenCV need them for encoding
 * AV1, for decoders other than dav1d, for JBIG (GPL; such files are rejected earlier), for drawing by OpenGL
 * and for LAPACK.
 */
const UNUSED = /^lib(aom|rav1e|SvtAv1Enc|gav1|jbig|GLX|lapack|blas)\.so/;
const STAND_IN = 'telltale-unused.so';

/** Name of C2PA's library in the folder of the addon. */
const C2PA = 'c2pa.node';
const nativeRequire = createRequire(join(root, 'native/package.json'));

/** Makes the prebuild from build/Release/telltale.node. Replaces an existing one. */
export async function makePrebuild() {
  // A GPU build can't become a prebuild, because it loads CUDA and further libraries when it runs.
  if (process.env.ONNXRUNTIME_ROOT)
    throw new SetupError(
      `${FOLDER} must contain the ONNX Runtime of the package onnxruntime-node: unset ONNXRUNTIME_ROOT`,
    );
  const step = announce(`making ${FOLDER}`);
  // Builds outside prebuilds/, because npm would also pack an unfinished folder.
  const made = join(root, '.setup/prebuild');
  rmSync(made, { recursive: true, force: true });
  mkdirSync(made, { recursive: true });
  const addon = join(root, 'build/Release/telltale.node');
  const { libraries, unused } = findLibraries(addon);
  const files = [{ name: basename(addon), path: addon }, ...libraries];
  await makeStandIn(join(made, STAND_IN), files, unused, step);
  for (const { name, path } of files) {
    const copy = join(made, nameInside(name));
    copyFileSync(path, copy);
    if (path === addon) await run('strip', ['--strip-unneeded', copy], { step });
    // Renames the libraries, so that another addon in the process that has its own libjpeg does not get ours.
    const edits = neededBy(path)
      .map((needed) => ['--replace-needed', needed, nameInside(needed)])
      .filter(([, from, to]) => from !== to);
    if (path !== addon) edits.push(['--set-soname', nameInside(name)]);
    edits.push(['--set-rpath', '$ORIGIN']);
    // Makes one change at a time, because patchelf 0.14 damages strings if several are combined.
    for (const edit of edits) await run('patchelf', [...edit, copy], { step });
  }
  const c2pa = join(root, 'build/Release', C2PA);
  await run('strip', ['--strip-unneeded', c2pa, '-o', join(made, C2PA)], { step });
  writeFileSync(join(made, 'THIRD_PARTY_NOTICES'), noticesOf(libraries));
  const names = [...files.map(({ name }) => nameInside(name)), STAND_IN, C2PA];
  const sizes = names.map((name) => [name, statSync(join(made, name)).size]);
  writeFileSync(join(made, 'sizes.json'), JSON.stringify(Object.fromEntries(sizes), null, 2));
  rmSync(join(root, FOLDER), { recursive: true, force: true });
  mkdirSync(join(root, 'prebuilds'), { recursive: true });
  renameSync(made, join(root, FOLDER));
  const megabytes = sizes.reduce((sum, [, size]) => sum + size, 0) / 1e6;
  const { glibcVersionRuntime } = process.report.getReport().header;
  announce(
    `${libraries.length} libraries, ${megabytes.toFixed(1)} MB, for glibc ${glibcVersionRuntime} or newer`,
  );
}

/**
 * Returns whether the prebuilt engine of the package loads. Returns false in a checkout, which is built from
 * source, and after `npm install --build-from-source`. Loads the engine in a separate process, because a
 * damaged one may crash.
 */
export function hasPrebuild() {
  const { npm_config_build_from_source: fromSource = 'false' } = process.env;
  if (existsSync(join(root, 'package-lock.json')) || !['', 'false'].includes(fromSource)) return false;
  if (!existsSync(join(root, FOLDER))) return false;
  const loader = JSON.stringify(pathToFileURL(join(root, 'dist/engine/native/binding.js')).href);
  const program = `try { (await import(${loader})).loadBinding(); }
    catch ({ message }) { process.exitCode = 1; console.error(message); }`;
  const { status, signal, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', program], {
    encoding: 'utf8',
  });
  if (status === 0) return true;
  announce(`the packaged engine can't be used, so it is built here: ${signal ?? stderr.trim()}`);
  return false;
}

function nameInside(name) {
  if (name.endsWith('.node') || BASE.test(name)) return name;
  return UNUSED.test(name) ? STAND_IN : `telltale-${name}`;
}

const linesOf = (text) => text.split('\n').filter(Boolean);

/** Returns the lines that a command prints. Throws SetupError if the command fails. */
function ask(command, ...args) {
  const output = outputOf(command, args);
  if (output === null) throw new SetupError(`'${command} ${args.join(' ')}' failed`);
  return linesOf(output);
}

const neededBy = (path) => ask('patchelf', '--print-needed', path);

/** Returns the libraries that `addon` needs directly or indirectly, each as { name, path }. */
function findLibraries(addon) {
  const paths = new Map(
    ask('ldd', addon).map((line) => {
      const [, name, path] = /^\s*(\S+)(?: => (.+?))?(?: \(0x\w+\))?$/.exec(line);
      if (path === 'not found') throw new SetupError(`${addon} needs ${name}, which is not found`);
      return [name, path];
    }),
  );
  const found = new Map();
  const collect = (path) => {
    for (const name of neededBy(path)) {
      if (BASE.test(name) || found.has(name)) continue;
      found.set(name, paths.get(name));
      if (!UNUSED.test(name)) collect(paths.get(name));
    }
  };
  collect(addon);
  const all = [...found].map(([name, path]) => ({ name, path }));
  return {
    libraries: all.filter(({ name }) => !UNUSED.test(name)),
    unused: all.filter(({ name }) => UNUSED.test(name)),
  };
}

/**
 * Makes a library that replaces the `unused` libraries, without which `files` could not be loaded. It
 * contains their functions to which `files` refer; each function aborts the process.
 */
async function makeStandIn(target, files, unused, step) {
  const symbolsOf = (path, which) =>
    ask('nm', '-D', '--format=posix', which, path).map((line) => line.split(/[ @]/)[0]);
  const defined = new Set(unused.flatMap(({ path }) => symbolsOf(path, '--defined-only')));
  const referred = new Set(files.flatMap(({ path }) => symbolsOf(path, '--undefined-only')));
  const functions = [...referred].filter((name) => defined.has(name));
  const source = `${target}.c`;
  writeFileSync(source, functions.map((name) => `void ${name}(void) { __builtin_trap(); }\n`).join(''));
  const options = ['-shared', '-fPIC', '-w', '-fno-builtin', '-s', `-Wl,-soname,${STAND_IN}`];
  await run('gcc', [...options, source, '-o', target], { step });
  rmSync(source);
}

/**
 * Returns the licence notices of ONNX Runtime, of C2PA's library, and of the Debian packages that contain the
 * other `libraries`.
 */
function noticesOf(libraries) {
  const debian = libraries.filter(({ name }) => !ONNX_RUNTIME.test(name));
  const packages = [...new Set(debian.map(({ path }) => packageOf(realpathSync(path))))].sort();
  const copyrights = packages.map((name) => {
    const show = '${source:Package} ${source:Version}';
    const [source, version] = ask('dpkg-query', '-W', `-f=${show}`, name)[0].split(' ');
    const address = `https://snapshot.debian.org/package/${source}/${version}/`;
    const copyright = readFileSync(`/usr/share/doc/${name.split(':')[0]}/copyright`, 'utf8');
    return { title: `${name}, of Debian's ${source} ${version}; source: ${address}`, text: copyright };
  });
  const referred = copyrights.flatMap(({ text }) =>
    [...text.matchAll(/common-licenses\/([\w.-]*\w)/g)].map(([, name]) => name),
  );
  const licences = [...new Set(referred)].sort().flatMap((name) => {
    const path = `/usr/share/common-licenses/${name}`;
    return existsSync(path) ? [{ title: path, text: readFileSync(path, 'utf8') }] : [];
  });
  const head = `This folder holds ONNX Runtime, C2PA's library, and shared libraries of Debian packages, with changed names and run paths.\n\n`;
  const rule = '='.repeat(80);
  return (
    head +
    [onnxRuntimeNotice(), c2paNotice(), ...copyrights, ...licences]
      .map(({ title, text }) => `${rule}\n${title}\n${rule}\n\n${text}\n`)
      .join('')
  );
}

/**
 * Returns the licence notices of ONNX Runtime and the libraries linked into it. Throws SetupError if they
 * belong to another release.
 */
function onnxRuntimeNotice() {
  const { version } = nativeRequire('onnxruntime-node/package.json');
  const file = `scripts/setup/onnxruntime-${version}-notices.txt`;
  if (!existsSync(join(root, file)))
    throw new SetupError(
      `${file} is missing: put LICENSE and ThirdPartyNotices.txt of ONNX Runtime ${version} (its wheel on PyPI holds them) there, in place of the previous release's`,
    );
  return { title: `ONNX Runtime ${version}`, text: readFileSync(join(root, file), 'utf8') };
}

/**
 * Returns the licence of c2pa-node and a list of the Rust crates in its library. Finds the crates by source
 * paths in the binary, because the npm package does not list them.
 */
function c2paNotice() {
  const path = realpathSync(join(root, 'build/Release', C2PA));
  const folder = dirname(dirname(path));
  const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const library = readFileSync(path, 'latin1');
  const paths = library.matchAll(/\/registry\/src\/[^/]+\/([\w-]+)-(\d+\.\d+\.\d+[\w.+-]*)\//g);
  const crates = new Set(
    [...paths].map(([, name, release]) => `https://crates.io/crates/${name}/${release}`),
  );
  const list = `Contains these Rust crates, each under the license that its page names:\n${[...crates].sort().join('\n')}`;
  return {
    title: `c2pa-node ${version}`,
    text: `${readFileSync(join(folder, 'LICENSE'), 'utf8')}\n${list}`,
  };
}

/** dpkg knows a file by its path in the Debian package, with or without /usr. */
function packageOf(path) {
  for (const known of [path, path.replace(/^\/usr/, '')]) {
    const owner = outputOf('dpkg', ['-S', known]);
    if (owner !== null) return owner.split(': ')[0];
  }
  throw new SetupError(`no Debian package owns ${path}: its licence is unknown`);
}
