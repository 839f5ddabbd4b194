import type { Command } from '#config/command/command.ts'
import { stopRequest } from '#config/command/stop-request.ts'
import { watchEnd } from '#config/end.ts'
import { runningInstance, type Run, type Stores } from '#config/embedded/stores.ts'
import { runsLanes } from '#config/lane-processes.ts'
import { stderrLog } from '#config/report.ts'
import { readSettings, type Settings } from '#config/settings.ts'

const usage = 'tidemark lane-process'

export const laneProcess: Command = {
  name: 'lane-process',
  summary: 'Run lanes in one more process, beside the product that runs on this data folder',
  usage,
  options: {},
  about: {},
  run: async () => {
    const settings = readSettings()
    const asked = stopRequest()
    const run = runningInstance(settings.dataDir)
    const stores = run && storesOf(run, settings)
    if (!run || !stores)
      throw new Error(`Nothing runs on ${settings.dataDir}: start the product (npm start), then try again.`)
    const report = stderrLog(settings.logLevel)
    const mayEnd = watchEnd(settings.dataDir)
    try {
      const { startProduct } = await import('#config/product.ts')
      const running = await startProduct(beside(settings, run), report, Promise.resolve(stores))
      process.stderr.write(`${runsLanes}; metrics at ${running.metricsUrl}\n`)
      await asked
      await running.stop()
    } finally {
      mayEnd()
    }
    return { text: '' }
  },
}

/** The settings of the product that runs, for a process that does nothing but run lanes of it. */
const beside = (settings: Settings, run: Run): Settings => ({
  ...settings,
  role: 'engine',
  laneProcesses: 1,
  metricsPort: 0,
  lanes: Number(run['lanes'] ?? settings.lanes),
  publicUrl: settings.publicUrl ?? textOf(run['publicUrl']),
})

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)

/** The stores of the product that runs, which ends them itself. Undefined until it has told where they are. */
function storesOf({ postgresUrl, natsUrl, clickhouseUrl }: Run, settings: Settings): Stores | undefined {
  if (!postgresUrl || !natsUrl || !clickhouseUrl) return undefined
  const store = (url: string) => ({ url, embedded: false, pid: () => undefined })
  return {
    isOfAnother: true,
    postgres: store(postgresUrl),
    nats: store(natsUrl),
    clickhouse: { ...store(clickhouseUrl), embedded: settings.clickhouseUrl === undefined, database: 'tidemark' },
    publish: () => {},
    stop: async () => {},
  }
}
