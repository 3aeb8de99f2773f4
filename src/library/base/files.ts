// Creating folders, and reading files whose names come from outside. A file name may contain bytes that are not UTF-8. Each such
// byte becomes a lone surrogate, U+DC80 to U+DCFF, as in Python.
import { Buffer, isUtf8 } from 'node:buffer';
import { readFileSync, constants } from 'node:fs';
import { open, opendir, stat, type FileHandle, mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { invalidRequest } from './errors.js';

const ESCAPE_BASE = 0xdc00;
/** Possible numbers of bytes of a UTF-8 character. */
const SEQUENCE_BYTES = [4, 3, 2, 1];

/** Converts the bytes of a file name to text. `toFilePath` reverses it. */
export function toFileName(bytes: Buffer): string {
  if (isUtf8(bytes)) return bytes.toString();
  let name = '';
  for (let at = 0; at < bytes.byteLength;) {
    const length = SEQUENCE_BYTES.find((size) => isCharacter(bytes.subarray(at, at + size), size));
    name +=
      length === undefined
        ? String.fromCharCode(ESCAPE_BASE + (bytes[at] ?? 0))
        : bytes.toString('utf8', at, at + length);
    at += length ?? 1;
  }
  return name;
}

/** Converts a name from `toFileName` to a path for Node's file system, with the original bytes. */
export function toFilePath(name: string): string | Buffer {
  if (!/[\udc80-\udcff]/.test(name)) return name;
  const parts = name.split(/(\p{Cs})/u).map((part) => {
    const isByte = /^[\udc80-\udcff]$/.test(part);
    return isByte ? Buffer.from([part.charCodeAt(0) - ESCAPE_BASE]) : Buffer.from(part);
  });
  return Buffer.concat(parts);
}

/**
 * Returns the command-line arguments in the encoding of `toFileName`. `args` are the last arguments as Node
 * passes them, with U+FFFD in place of invalid bytes.
 */
export function readArguments(args: readonly string[]): readonly string[] {
  if (!args.some((arg) => arg.includes('\uFFFD'))) return args;
  const bytes = readFileSync('/proc/self/cmdline');
  const given: string[] = [];
  for (let from = 0; from < bytes.byteLength;) {
    const end = bytes.indexOf(0, from);
    given.push(toFileName(bytes.subarray(from, end === -1 ? undefined : end)));
    from = end === -1 ? bytes.byteLength : end + 1;
  }
  return given.slice(-args.length);
}

function isCharacter(bytes: Buffer, size: number): boolean {
  return bytes.byteLength === size && isUtf8(bytes) && [...bytes.toString()].length === 1;
}

/**
 * Opens a regular file for reading. Rejects with CheckError `invalid_request` for a folder, a pipe, a socket
 * or a device, and otherwise with the errors of `open`.
 */
export async function openRegular(path: string): Promise<FileHandle> {
  // Checked before opening, which may activate a device, and afterwards, because the file may have been
  // replaced.
  const found = await stat(toFilePath(path));
  if (found.isDirectory()) await requireReadable(path);
  refuseOthers(found);
  const file = await open(toFilePath(path), constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    refuseOthers(await file.stat());
    return file;
  } catch (error) {
    await file.close();
    throw error;
  }
}

/**
 * Throws the reason why a folder can't be read, because that helps users more than the message that the path
 * is a folder.
 */
async function requireReadable(folder: string): Promise<void> {
  try {
    await (await opendir(toFilePath(folder))).close();
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    throw invalidRequest(`the folder can't be read (${code})`, { cause });
  }
}

function refuseOthers(found: { isFile(): boolean; isDirectory(): boolean }): void {
  if (found.isFile()) return;
  const kind = found.isDirectory()
    ? 'a folder (EISDIR)'
    : 'a pipe, a socket or a device instead of a regular file';
  throw invalidRequest(`the file can't be read: it is ${kind}`);
}

/**
 * Creates a folder and its missing parents. Existing folders are no error, even if another process creates
 * them concurrently. Rejects with the errors of `mkdir`.
 */
export async function makeFolder(path: string, mode = 0o777): Promise<void> {
  try {
    await makeOne(path, mode);
  } catch (error) {
    const parent = dirname(path);
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || parent === path) throw error;
    await makeFolder(parent, mode);
    await makeOne(path, mode);
  }
}

/** Creates one folder, whose parent must exist. */
async function makeOne(path: string, mode: number): Promise<void> {
  try {
    await mkdir(toFilePath(path), { mode });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST' || !(await isFolder(path))) throw error;
  }
}

/** Returns whether `path` is a folder or a link to one. */
export async function isFolder(path: string): Promise<boolean> {
  return (await stat(toFilePath(path)).catch(() => null))?.isDirectory() ?? false;
}

/** Throws CheckError `invalid_request` with the reason why a folder, or a file in it, can't be written. */
export function refuseToWrite(cause: NodeJS.ErrnoException): never {
  throw invalidRequest(`the folder can't be written (${cause.code})`, { cause });
}
