// Makes prebuilds/linux-ARCH/ for machines without a compiler: the addon, its shared libraries, and C2PA's
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
import { basename, dirname, isAbsolute, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { C2PA_C_LIBRARY } from './npm-packages.mjs';
import { announce, outputOf, root, run, SetupError } from './run.mjs';
import { buildFolder, crossTriplet, toolFor } from './target.mjs';

const folderFor = (arch) => `prebuilds/linux-${arch}`;

/** Matches libraries that every Debian system with Node has: glibc and the C++ runtime. */
const BASE = /^(ld-linux.*|lib(c|m|dl|rt|pthread|stdc\+\+|gcc_s))\.so/;

/** Matches the libraries from registries of npm and Python, whose packages contain no licence. */
const OF_REGISTRIES = /^lib(onnxruntime|c2pa_c)\.so/;

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

/** Makes the prebuild for `arch` from Release/telltale.node in its build folder. Replaces an existing one. */
export async function makePrebuild(arch = process.arch) {
  const folder = folderFor(arch);
  // A GPU build can't become a prebuild, because it loads CUDA and further libraries when it runs.
  if (process.env.ONNXRUNTIME_ROOT)
    throw new SetupError(
      `${folder} must contain the ONNX Runtime of the package onnxruntime-node: unset ONNXRUNTIME_ROOT`,
    );
  const step = announce(`making ${folder}`);
  // Builds outside prebuilds/, because npm would also pack an unfinished folder.
  const made = join(root, '.setup/prebuild');
  rmSync(made, { recursive: true, force: true });
  mkdirSync(made, { recursive: true });
  const release = join(root, buildFolder(arch), 'Release');
  const c2pa = join(release, C2PA);
  // For arm64, this build made C2PA's addon over a shared library; for x64, the npm package has both in one file.
  const addons = [join(release, 'telltale.node'), ...(arch === 'arm64' ? [c2pa] : [])];
  const { libraries, unused } = findLibraries(addons, arch);
  const files = [...addons.map((path) => ({ name: basename(path), path })), ...libraries];
  await makeStandIn(join(made, STAND_IN), { files, unused, arch, step });
  const strip = (...args) => run(toolFor(arch, 'strip'), ['--strip-unneeded', ...args], { step });
  for (const { name, path } of files) {
    const copy = join(made, nameInside(name));
    copyFileSync(path, copy);
    if (addons.includes(path)) await strip(copy);
    // Renames the libraries, so that another addon in the process that has its own libjpeg does not get ours.
    const edits = neededBy(path)
      .map((needed) => ['--replace-needed', needed, nameInside(needed)])
      .filter(([, from, to]) => from !== to);
    if (!addons.includes(path)) edits.push(['--set-soname', nameInside(name)]);
    edits.push(['--set-rpath', '$ORIGIN']);
    // Makes one change at a time, because patchelf 0.14 damages strings if several are combined.
    for (const edit of edits) await run('patchelf', [...edit, copy], { step });
  }
  if (!addons.includes(c2pa)) await strip(c2pa, '-o', join(made, C2PA));
  writeFileSync(join(made, 'THIRD_PARTY_NOTICES'), noticesOf(libraries, arch));
  const names = new Set([...files.map(({ name }) => nameInside(name)), STAND_IN, C2PA]);
  const sizes = [...names].map((name) => [name, statSync(join(made, name)).size]);
  writeFileSync(join(made, 'sizes.json'), JSON.stringify(Object.fromEntries(sizes), null, 2));
  rmSync(join(root, folder), { recursive: true, force: true });
  mkdirSync(join(root, 'prebuilds'), { recursive: true });
  renameSync(made, join(root, folder));
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
  if (!existsSync(join(root, folderFor(process.arch)))) return false;
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

/** Returns the libraries that `addons` need directly or indirectly, each as { name, path }. */
function findLibraries(addons, arch) {
  const found = new Map();
  for (const addon of addons) {
    const find = crossTriplet(arch) === null ? loaderFinds(addon) : compilerFinds(addon, arch);
    const collect = (path) => {
      for (const name of neededBy(path)) {
        if (BASE.test(name) || found.has(name)) continue;
        const library = find(name);
        if (!library) throw new SetupError(`${addon} needs ${name}, which is not found`);
        found.set(name, library);
        if (!UNUSED.test(name)) collect(library);
      }
    };
    collect(addon);
  }
  const all = [...found].map(([name, path]) => ({ name, path }));
  return {
    libraries: all.filter(({ name }) => !UNUSED.test(name)),
    unused: all.filter(({ name }) => UNUSED.test(name)),
  };
}

/** Returns a function that finds the libraries of `addon` by name as the dynamic loader does. */
function loaderFinds(addon) {
  const paths = new Map(
    ask('ldd', addon).map((line) => {
      const [, name, path] = /^\s*(\S+)(?: => (.+?))?(?: \(0x\w+\))?$/.exec(line);
      return [name, path === 'not found' ? null : path];
    }),
  );
  return (name) => paths.get(name);
}

/**
 * Returns the same for another architecture, whose loader does not run here: searches the addon's run path,
 * then the folders of the cross compiler.
 */
function compilerFinds(addon, arch) {
  const runPath = ask('patchelf', '--print-rpath', addon).join().replaceAll('$ORIGIN', dirname(addon));
  return (name) => {
    const near = runPath.split(':').map((folder) => join(folder, name));
    const [path] = ask(toolFor(arch, 'gcc'), `-print-file-name=${name}`);
    return near.find((each) => existsSync(each)) ?? (isAbsolute(path) ? path : null);
  };
}

/**
 * Makes a library that replaces the `unused` libraries, without which `files` could not be loaded. It
 * contains their functions to which `files` refer; each function aborts the process.
 */
async function makeStandIn(target, { files, unused, arch, step }) {
  const symbolsOf = (path, which) =>
    ask(toolFor(arch, 'nm'), '-D', '--format=posix', which, path).map((line) => line.split(/[ @]/)[0]);
  const defined = new Set(unused.flatMap(({ path }) => symbolsOf(path, '--defined-only')));
  const referred = new Set(files.flatMap(({ path }) => symbolsOf(path, '--undefined-only')));
  const functions = [...referred].filter((name) => defined.has(name));
  const source = `${target}.c`;
  writeFileSync(source, functions.map((name) => `void ${name}(void) { __builtin_trap(); }\n`).join(''));
  const options = ['-shared', '-fPIC', '-w', '-fno-builtin', '-s', `-Wl,-soname,${STAND_IN}`];
  await run(toolFor(arch, 'gcc'), [...options, source, '-o', target], { step });
  rmSync(source);
}

/**
 * Returns the licence notices of ONNX Runtime, of C2PA's library, and of the Debian packages that contain the
 * other `libraries`.
 */
function noticesOf(libraries, arch) {
  const debian = libraries.filter(({ name }) => !OF_REGISTRIES.test(name));
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
    [onnxRuntimeNotice(), c2paNotice(arch), ...copyrights, ...licences]
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

/** Returns the licence of the package with C2PA's library and a list of the Rust crates in the library. */
function c2paNotice(arch) {
  if (arch === 'arm64') {
    const [requirement] = /^c2pa-python==\S+/m.exec(
      readFileSync(join(root, 'scripts/setup/c2pa/requirements.txt'), 'utf8'),
    );
    const licence = `License: MIT OR Apache-2.0\n\n${readFileSync('/usr/share/common-licenses/Apache-2.0', 'utf8')}`;
    return { title: requirement, text: `${licence}\n${listCrates(join(root, C2PA_C_LIBRARY))}` };
  }
  const path = realpathSync(join(root, 'build/Release', C2PA));
  const folder = dirname(dirname(path));
  const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  return {
    title: `c2pa-node ${version}`,
    text: `${readFileSync(join(folder, 'LICENSE'), 'utf8')}\n${listCrates(path)}`,
  };
}

/** Lists the Rust crates in a library by source paths in the binary, because its package does not list them. */
function listCrates(path) {
  const library = readFileSync(path, 'latin1');
  const paths = library.matchAll(/\/registry\/src\/[^/]+\/([\w-]+)-(\d+\.\d+\.\d+[\w.+-]*)\//g);
  const crates = new Set(
    [...paths].map(([, name, release]) => `https://crates.io/crates/${name}/${release}`),
  );
  return `Contains these Rust crates, each under the license that its page names:\n${[...crates].sort().join('\n')}`;
}

/** dpkg knows a file by its path in the Debian package, with or without /usr. */
function packageOf(path) {
  for (const known of [path, path.replace(/^\/usr/, '')]) {
    const owner = outputOf('dpkg', ['-S', known]);
    if (owner !== null) return owner.split(': ')[0];
  }
  throw new SetupError(`no Debian package owns ${path}: its licence is unknown`);
}
