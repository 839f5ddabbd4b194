import { command } from '#config/command/line/build.ts'
import { UsageError } from '#config/command/line/command.ts'
import { optional, readAs } from '#config/command/line/flag.ts'
import { stopRequest } from './stop-request.ts'
import { watchEnd } from '#config/process/end.ts'
import { runningInstance, type Run, type Stores } from '#config/embedded/stores.ts'
import { runsLanes } from '#config/upkeep/lane-processes.ts'
import { stderrLog } from '#config/process/report.ts'
import { readSettings, type Settings } from '#config/settings/settings.ts'
import { protocol } from '#config/state/protocol.ts'
import { differing } from '#config/settings/shared-settings.ts'
import { version } from '#config/process/version.ts'

const port = readAs(
  optional('PORT', 'Port of /metrics for this process; default: any free port'),
  (given, name, usage) => {
    const number = Number(given ?? 0)
    if (Number.isInteger(number) && number >= 0 && number <= 65_535) return number
    throw new UsageError(`${name} must be a whole number from 0 to 65535. Usage: ${usage}`)
  },
)

export const laneProcess = command({
  name: 'lane-process',
  summary: 'Run lanes in an additional process, next to the product running on this data folder',
  takes: { 'metrics-port': port },
  run: async ({ 'metrics-port': metricsPort }) => {
    const settings = readSettings()
    const asked = stopRequest()
    const run = runningInstance(settings.dataDir)
    const stores = run && storesOf(run, settings)
    if (!run || !stores)
      throw new Error(
        `Tidemark is not running on ${settings.dataDir}. Start it with "npm start", then run this command again.`,
      )
    mustBeAlike(settings, run)
    const report = stderrLog(settings.logLevel)
    const mayEnd = watchEnd(settings.dataDir)
    try {
      const { startProduct } = await import('#config/product/product.ts')
      const running = await startProduct(beside(settings, run, metricsPort), report, Promise.resolve(stores))
      process.stderr.write(`${runsLanes}; metrics at ${running.metricsUrl}\n`)
      await asked
      await running.stop()
    } finally {
      mayEnd()
    }
    return { text: '' }
  },
})

/** The settings of the product that runs, for a process that does nothing but run lanes of it. */
const beside = (settings: Settings, run: Run, metricsPort: number): Settings => ({
  ...settings,
  role: 'engine',
  laneProcesses: 1,
  metricsPort,
  lanes: Number(run['lanes'] ?? settings.lanes),
  publicUrl: settings.publicUrl ?? textOf(run['publicUrl']),
})

/**
 * One that was told otherwise would seal what nobody else opens, and mail to where nobody looks; a newer one would take the lanes
 * from the product before anybody has restarted it.
 * @throws Error naming what differs
 */
function mustBeAlike(settings: Settings, run: Run): void {
  const here = `${version} (${protocol})`
  if (run['version'] !== here)
    throw new Error(
      `Version ${String(run['version'])} is running on ${settings.dataDir}, but this is ${here}. Restart the product first.`,
    )
  const others = differing(settings, (run['prints'] ?? {}) as Record<string, string>)
  if (others.length > 0)
    throw new Error(
      `Tidemark on ${settings.dataDir} was started with different settings: ${others.join(', ')}. Use the same values here.`,
    )
}

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
