import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { natsServers } from '#config/state/connect.ts'
import { startStores, type Stores } from '#config/embedded/stores.ts'
import { root } from '#config/process/root.ts'
import { inboxPrefix } from '#engine/actor/subject.ts'

/** Lanes of the test servers: few, so that every test meets several organizations in one lane. */
export const testLanes = 4

/** What a process of the product inherits of ours besides its settings: where programs are, and what was compiled. */
export const inherited = {
  PATH: process.env['PATH'],
  HOME: process.env['HOME'],
  NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
}

/** How to connect to NATS as the service, or as whom the address names. */
export const natsAt = (url: string): { servers: string[]; user?: string; pass?: string; inboxPrefix: string } => ({
  ...natsServers(url),
  inboxPrefix,
})

let shared: Promise<Stores> | undefined
let toys: Promise<Stores> | undefined
const folders: string[] = []

/** The same rule as in the process that starts the run. */
const { hasRoom } = (await import(path.join(root, 'config', 'tools', 'test-folder.mjs'))) as {
  hasRoom: (folder: string) => boolean
}

/** Where folders of a run are made: in memory while it has room (config/tools/test-folder.mjs), else among temporary files. */
function folderOfFolders(): string {
  const memory = process.env['TEST_MEMORY_DIR']
  return memory !== undefined && hasRoom(memory) ? memory : tmpdir()
}

/** A folder of this test run's own, deleted at its end. */
export function testFolder(): string {
  const folder = mkdtempSync(path.join(folderOfFolders(), 'test-'))
  folders.push(folder)
  return folder
}

/** Servers that nothing else uses; whoever starts them stops them. */
export const startTestStores = (options: { clickhouseUrl?: string } = {}): Promise<Stores> =>
  startStores(testFolder(), {
    cache: path.join(root, '.cache'),
    lanes: testLanes,
    log: () => {},
    path: process.env['PATH'],
    natsBin: process.env['NATS_SERVER_BIN'],
    ...options,
  })

/** The real servers of this test run, started on first use and shared by all tests of the product. */
export const testStores = (): Promise<Stores> => (shared ??= startTestStores())

/** Servers for engines with toy actors, whose lanes the product must not run. Their ClickHouse is not there. */
export const toyStores = (): Promise<Stores> => (toys ??= startTestStores({ clickhouseUrl: 'http://127.0.0.1:9' }))

export async function stopTestStores(): Promise<void> {
  await Promise.all([shared, toys].map(async (stores) => (await stores)?.stop()))
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
}
