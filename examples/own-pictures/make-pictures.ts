// Draws pictures for the worked example of docs/own-pictures.md: a "generator" that nobody trained on, and what a desk sees.
//   node --import tsx examples/own-pictures/make-pictures.ts FOLDER
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { crc32, deflateSync } from 'node:zlib';

const SIDE_PX = 320;
/** Of each kind. */
const PICTURES = 24;

type Color = readonly [red: number, green: number, blue: number];
/** The colour at a place, 0..1 across and down, of the picture with this number. */
type Paint = (x: number, y: number, number: number) => Color;

/** Waves of colour that melt into each other. */
const plasma: Paint = (x, y, number) => {
  const wave = (phase: number): number =>
    128 + 60 * Math.sin(9 * x + number + phase) + 60 * Math.sin(7 * y + 5 * x * y + 2 * number - phase);
  return [wave(0), wave(2), wave(4)];
};

/** Grainy blocks, as on a chart. */
const blocks: Paint = (x, y, number) => {
  const height = 0.5 + 0.4 * Math.sin(number + Math.floor(8 * x) * 1.7);
  const grain = 12 * (Math.abs(Math.sin((x * 1e4 + y * 3e5 + number) * 12.9898)) - 0.5);
  return y > 1 - height ? [40 + grain, 90 + grain, 160 + grain] : [240 + grain, 240 + grain, 235 + grain];
};

/** A PNG of `SIDE_PX` square. */
function drawPng(paint: Paint, number: number): Buffer {
  const rows = Buffer.alloc(SIDE_PX * (1 + 3 * SIDE_PX));
  for (let y = 0; y < SIDE_PX; y += 1)
    for (let x = 0; x < SIDE_PX; x += 1)
      rows.set(
        paint(x / SIDE_PX, y / SIDE_PX, number).map((value) => Math.min(255, Math.max(0, Math.round(value)))),
        y * (1 + 3 * SIDE_PX) + 1 + 3 * x,
      );
  const chunk = (name: string, data: Buffer): Buffer => {
    const content = Buffer.concat([Buffer.from(name), data]);
    const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)];
    length.writeUInt32BE(data.length);
    check.writeUInt32BE(crc32(content));
    return Buffer.concat([length, content, check]);
  };
  const header = Buffer.alloc(13);
  header.writeUInt32BE(SIDE_PX, 0);
  header.writeUInt32BE(SIDE_PX, 4);
  // Eight bits of red, green and blue.
  header.set([8, 2], 8);
  const parts = [chunk('IHDR', header), chunk('IDAT', deflateSync(rows)), chunk('IEND', Buffer.alloc(0))];
  return Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), ...parts]);
}

const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error('name the folder to write to');
for (const [name, paint] of Object.entries({ 'ai/plasma': plasma, 'real/charts': blocks })) {
  mkdirSync(join(folder, name), { recursive: true });
  for (let number = 0; number < PICTURES; number += 1)
    writeFileSync(join(folder, name, `${number}.png`), drawPng(paint, number));
}
