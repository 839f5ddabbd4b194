import type { Command } from '#config/command/line/command.ts'
import { stopRequest } from './stop-request.ts'
import { noteKilled, watchEnd } from '#config/process/end.ts'
import { ownStores } from '#config/state/own-stores.ts'
import { stderrLog } from '#config/process/report.ts'
import { readSettings, settings as declared } from '#config/settings/settings.ts'

export const start: Command = {
  name: 'start',
  summary: 'Start Tidemark: stores, engine and edge',
  usage: 'tidemark start',
  options: {},
  about: Object.fromEntries(
    Object.values(declared)
      .filter(({ name }) => name !== 'PATH')
      .map(({ name, about, fallback, unit }) => [
        name,
        `${about} (default ${fallback === undefined ? 'unset' : `${String(fallback)}${unit && ` ${unit}`}`})`,
      ]),
  ),
  run: async ({ isJson }) => {
    const settings = readSettings()
    const began = performance.now()
    const asked = stopRequest()
    if (!isJson) process.stderr.write(`Starting Tidemark on ${settings.dataDir} ...\n`)
    const report = stderrLog(settings.logLevel)
    const mayEnd = watchEnd(settings.dataDir)
    const stores = ownStores(settings, report, { onLeftBehind: (pid) => noteKilled(settings.dataDir, pid) })
    // It is heard of once the product is there.
    stores.catch(() => {})
    // Everything there is: loaded for who runs it, not for who asks what it takes, and while the servers start.
    const { runProduct: started } = await import('./run-product.ts')
    await started({ settings, isJson, began, report, stores, asked, mayEnd })
    return { text: '' }
  },
}
