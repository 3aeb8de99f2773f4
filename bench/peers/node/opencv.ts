// Pictures by @u4/opencv4nodejs on Debian's OpenCV, where `bench/peers/build-opencv.sh` has built it.
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { root } from '../../paths.js';
import type { PixelLibrary, Pixels } from './pixels.js';
import { SHARP } from './sharp.js';

const FOLDER = join(root, 'bench/peers/opencv');
const PACKAGE = '@u4/opencv4nodejs';

type Constant =
  | 'IMREAD_COLOR'
  | 'COLOR_BGR2RGB'
  | 'INTER_AREA'
  | 'INTER_LINEAR'
  | 'BORDER_CONSTANT'
  | 'BORDER_REFLECT_101'
  | 'BORDER_REPLICATE'
  | 'CV_8UC3'
  | 'CV_64F';

/** What is used of the package, which brings no part of the project's own set-up. */
interface OpenCv extends Readonly<Record<Constant, number>> {
  readonly Mat: new (data: Buffer | readonly (readonly number[])[], ...shape: readonly number[]) => Mat;
  readonly Size: new (width: number, height: number) => object;
  readonly Rect: new (x: number, y: number, width: number, height: number) => object;
  readonly Vec3: new (x: number, y: number, z: number) => object;
  imdecodeAsync(bytes: Buffer, flags: number): Promise<Mat>;
}

interface Mat {
  readonly rows: number;
  readonly cols: number;
  cvtColorAsync(code: number): Promise<Mat>;
  getRegion(part: object): Mat;
  resizeAsync(rows: number, cols: number, fx: number, fy: number, interpolation: number): Promise<Mat>;
  copyMakeBorderAsync(
    top: number,
    bottom: number,
    left: number,
    right: number,
    border: number,
    value?: object,
  ): Promise<Mat>;
  warpAffineAsync(matrix: Mat, size: object, flags: number, border: number): Promise<Mat>;
  getDataAsync(): Promise<Buffer>;
}

/** Why this peer can't be had here; null if it can. */
export function whyNoOpenCv(): string | null {
  const addon = join(FOLDER, 'node_modules', PACKAGE, 'build/Release/opencv4nodejs.node');
  return existsSync(addon) ? null : `${PACKAGE} is not built here (bench/peers/build-opencv.sh)`;
}

/** OpenCV as the peer uses it. Throws if it is not built. */
export function loadOpenCv(): PixelLibrary {
  // It is to take the addon that is there, and to build no OpenCV of its own.
  process.env['OPENCV4NODEJS_DISABLE_AUTOBUILD'] = '1';
  const cv = createRequire(join(FOLDER, 'package.json'))(PACKAGE) as OpenCv;
  const open = ({ data, width, height }: Pixels): Mat => new cv.Mat(data, height, width, cv.CV_8UC3);
  const close = async (mat: Mat): Promise<Pixels> => ({
    data: await mat.getDataAsync(),
    width: mat.cols,
    height: mat.rows,
  });
  const resize = (mat: Mat, width: number, height: number): Promise<Mat> => {
    const grows = width > mat.cols || height > mat.rows;
    return mat.resizeAsync(height, width, 0, 0, grows ? cv.INTER_LINEAR : cv.INTER_AREA);
  };
  return {
    async decode(bytes) {
      // OpenCV 4.6 reads no AVIF and no GIF.
      const mat = await cv.imdecodeAsync(Buffer.from(bytes), cv.IMREAD_COLOR).catch(() => null);
      return mat === null ? SHARP.decode(bytes) : close(await mat.cvtColorAsync(cv.COLOR_BGR2RGB));
    },
    shrink: async (pixels, width, height) => close(await resize(open(pixels), width, height)),
    async scale(pixels, { part, width, height, right = 0, bottom = 0 }) {
      const whole = open(pixels);
      const mat = part ? whole.getRegion(new cv.Rect(part.left, part.top, part.width, part.height)) : whole;
      const scaled = await resize(mat, width, height);
      const black = new cv.Vec3(0, 0, 0);
      return close(await scaled.copyMakeBorderAsync(0, bottom, 0, right, cv.BORDER_CONSTANT, black));
    },
    mirror: async (pixels, right, bottom) =>
      close(await open(pixels).copyMakeBorderAsync(0, bottom, 0, right, cv.BORDER_REFLECT_101)),
    async warp(pixels, { a, b, tx, ty }, size) {
      const matrix = new cv.Mat(
        [
          [a, -b, tx],
          [b, a, ty],
        ],
        cv.CV_64F,
      );
      const square = new cv.Size(size, size);
      const mat = await open(pixels).warpAffineAsync(matrix, square, cv.INTER_LINEAR, cv.BORDER_REPLICATE);
      return mat.getDataAsync();
    },
  };
}
