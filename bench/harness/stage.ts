/** What every benchmark stands on: stores of its own in a temporary folder, the product built upon them, and how figures are said. */
import 'reflect-metadata'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Actor } from '#engine/actor/actor.ts'
import { build } from '#config/wiring/container.ts'
import { tokens, type Product } from '#config/wiring/tokens.ts'
import { connect, type Connections } from '#config/state/connect.ts'
import { startStores, type Stores } from '#config/embedded/stores.ts'
import { urlsOf } from '#config/product/product.ts'
import { root } from '#config/process/root.ts'
import { readSettings, type Settings } from '#config/settings/settings.ts'

export interface Stage {
  stores: Stores
  settings: Settings
  /** Clients of the stores; schemas and streams are made by the first. Close each. */
  open(): Promise<Connections>
  /** The product in this process on clients of its own, with these actors alone where any are given; `end` drains its engine, if it was started, and closes them. */
  product(own?: readonly Actor[]): Promise<{ connections: Connections; product: Product; end: () => Promise<void> }>
  /** Stops the servers and deletes what they kept. */
  close(): Promise<void>
}

/** Starts the three stores for one benchmark. `env` adds settings by the names of the operating guide; a store it names is used, not started. */
export async function stage({ lanes = 4, env = {} }: { lanes?: number; env?: Record<string, string> } = {}) {
  const folder = mkdtempSync(path.join(tmpdir(), 'tidemark-bench-'))
  const cache = path.join(root, '.cache')
  const settings = readSettings({
    TIDEMARK_LANES: String(lanes),
    TIDEMARK_DATA_DIR: folder,
    CLOUD_DRIVER: 'simulated',
    ...env,
  })
  const { postgresUrl, natsUrl, clickhouseUrl } = settings
  const own = { postgresUrl, natsUrl, clickhouseUrl }
  const stores = await startStores(folder, { cache, lanes, log: () => {}, path: process.env['PATH'], ...own })
  const quiet = { info: () => {}, warn: () => {}, error: () => {} }
  const open = () => connect(settings, urlsOf(stores), quiet)
  const made: Stage = {
    stores,
    settings,
    open,
    async product(own) {
      const connections = await open()
      const product = build(connections, own)
      return {
        connections,
        product,
        async end() {
          await product.get(tokens.engine).drain()
          product.get(tokens.asker).close()
          await connections.store.leave()
          await connections.close()
        },
      }
    },
    async close() {
      await stores.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
  return made
}

export const say = (text: string): void => void process.stdout.write(`${text}\n`)

/** The value below which `share` (0 to 1) of the measurements lie. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}

/** `12.3`, `1,234`: three digits that mean something. */
export const figure = (n: number): string =>
  n.toLocaleString(
    'en-US',
    n < 1 ? { maximumFractionDigits: 3 } : n < 100 ? { maximumFractionDigits: 1 } : { maximumFractionDigits: 0 },
  )

/** Prints one goal of the performance plan with what was measured, and whether it was reached. */
export function goal(
  id: string,
  what: string,
  measured: number,
  bound: { min?: number; max?: number },
  unit = '',
): void {
  const { min = -Infinity, max = Infinity } = bound
  const wanted = bound.min === undefined ? `at most ${figure(max)}` : `at least ${figure(min)}`
  const isMet = measured >= min && measured <= max
  say(`${isMet ? 'reached' : 'MISSED '}  ${id}  ${what}: ${figure(measured)}${unit} (${wanted}${unit})`)
}
