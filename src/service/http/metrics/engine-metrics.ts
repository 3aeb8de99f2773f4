// What an operator watches of an engine: what runs in it, and the memory of its decodes.
import { Counter, Gauge, type Registry } from 'prom-client';
import type { Engine } from '../../../engine/types.js';

/** Adds what is at work in the engine, its memory budget, what is taken of it, and who had to wait for it. */
export function addEngine(registry: Registry, engine: Pick<Engine, 'stats'>): void {
  const readings: readonly [string, string, () => number][] = [
    ['telltale_engine_running', 'Pictures in the engine', () => engine.stats().running],
    [
      'telltale_engine_memory_budget_bytes',
      'What all decodes at once may take (TELLTALE_MEMORY_MB)',
      () => engine.stats().memory.budgetBytes,
    ],
    [
      'telltale_engine_memory_bytes',
      'What the pictures at work take of the memory budget, as their headers tell',
      () => engine.stats().memory.takenBytes,
    ],
  ];
  for (const [name, help, read] of readings) {
    new Gauge({
      name,
      help,
      registers: [registry],
      collect() {
        this.set(read());
      },
    });
  }
  new Counter({
    name: 'telltale_engine_memory_waits_total',
    help: 'Pictures that waited because they did not fit into the memory budget beside those at work',
    registers: [registry],
    collect() {
      this.reset();
      this.inc(engine.stats().memory.waits);
    },
  });
}
