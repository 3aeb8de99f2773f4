// Verdicts that a member reported as wrong, with their pictures kept: what corrections are learned from.
import assert from 'node:assert/strict';
import type { Corrections, ShownCorrection } from '../../src/service/console/learned-shapes.js';
import type { ConsoleClient } from './console.js';
import { drawBmp } from './pictures.js';

const SIDE_PX = 320;

/** In which a process follows what another one put in force. It takes seconds; how loaded a machine is decides no test. */
export const FOLLOW_MS = 120_000;

/** Waves of colour that melt into each other, each picture another: a "generator" that nobody trained on. */
export function drawPlasma(count: number): Buffer[] {
  return Array.from({ length: count }, (_, number) =>
    drawBmp(SIDE_PX, SIDE_PX, (column, row) => {
      const [x, y] = [column / SIDE_PX, 1 - row / SIDE_PX];
      return [4, 2, 0].map(
        (phase) =>
          128 + 60 * Math.sin(9 * x + number + phase) + 60 * Math.sin(7 * y + 5 * x * y + 2 * number - phase),
      );
    }),
  );
}

/** Checks each, keeps it, and reports that it is generated. */
export async function reportAsGenerated(client: ConsoleClient, pictures: readonly Buffer[]): Promise<void> {
  for (const picture of pictures) {
    const checked = await client.check(picture, '?store=true');
    assert.equal(checked.status, 200, checked.text);
    const report = { label: 'generated', note: '' };
    const reported = await client.call('PUT', `/checks/${checked.body.id}/report`, report);
    assert.ok(reported.status < 300, reported.text);
  }
}

/** Asks for a correction and waits until it is no longer at work. */
export async function learn(client: ConsoleClient, name: string): Promise<ShownCorrection> {
  const asked = await client.call<{ id: string }>('POST', '/operator/corrections', { name });
  assert.equal(asked.status, 201, asked.text);
  return waitForEnd(client, asked.body.id);
}

/** Waits until the correction is no longer at work. */
export async function waitForEnd(client: ConsoleClient, id: string): Promise<ShownCorrection> {
  for (;;) {
    const found = (await readCorrections(client)).corrections.find((correction) => correction.id === id);
    assert.ok(found);
    if (found.state !== 'waiting' && found.state !== 'learning') return found;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

/** All of them, and what is in force. */
export async function readCorrections(client: ConsoleClient): Promise<Corrections> {
  const { status, text, body } = await client.call<Corrections>('GET', '/operator/corrections');
  assert.equal(status, 200, text);
  return body;
}

/** Puts one in force; null: what shipped. */
export async function putInForce(client: ConsoleClient, id: string | null): Promise<void> {
  const { status, text } = await client.call('PUT', '/operator/corrections/in-force', { id });
  assert.equal(status, 204, text);
}
