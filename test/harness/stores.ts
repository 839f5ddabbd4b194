import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { startStores, type Stores } from '#config/embedded/stores.ts'
import { root } from '#config/root.ts'

/** Lanes of the test servers: few, so that every test meets several organizations in one lane. */
export const testLanes = 4

let started: Promise<Stores> | undefined
let folder: string | undefined

/** The real servers of this test run, started on first use in a folder of their own and shared by all tests. */
export function testStores(): Promise<Stores> {
  started ??= (async () => {
    folder = mkdtempSync(path.join(tmpdir(), 'tidemark-test-'))
    const quiet = () => {}
    return startStores(folder, {
      cache: path.join(root, '.cache'),
      lanes: testLanes,
      log: quiet,
      path: process.env['PATH'],
      natsBin: process.env['NATS_SERVER_BIN'],
    })
  })()
  return started
}

export async function stopTestStores(): Promise<void> {
  await (await started)?.stop()
  if (folder) rmSync(folder, { recursive: true, force: true })
}
