/**
 * Starts the stores according to the settings: embedded servers for stores without an address. Their code is loaded
 * only then.
 */
import path from 'node:path'
import type { Reporter } from '#engine/reporter.ts'
import type { StoreOptions, Stores } from '#config/embedded/stores.ts'
import { root } from '#config/process/root.ts'
import type { Settings } from '#config/settings/settings.ts'

/** @throws Error in words for the operator: a folder in use, a server that does not start */
export async function ownStores(
  settings: Settings,
  report: Reporter,
  more: Pick<StoreOptions, 'onLeftBehind'> = {},
): Promise<Stores> {
  const { startStores } = await import('#config/embedded/stores.ts')
  return startStores(settings.dataDir, {
    cache: path.join(root, '.cache'),
    lanes: settings.lanes,
    processes: settings.laneProcesses,
    postgresUrl: settings.postgresUrl,
    natsUrl: settings.natsUrl,
    clickhouseUrl: settings.clickhouseUrl,
    natsBin: settings.natsServerBin,
    path: settings.searchPath,
    log: (message) => report.info({}, message),
    ...more,
  })
}
