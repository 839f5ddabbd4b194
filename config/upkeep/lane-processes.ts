/**
 * Additional processes on this machine that run lanes (`TIDEMARK_LANE_PROCESSES`), with this process's stores and
 * folder: one process uses only one core. A process that ends is restarted; the others run its lanes meanwhile. All end
 * when this process ends, in whatever way.
 */
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { pauseBefore } from '#engine/actor/retry.ts'
import type { Reporter } from '#engine/reporter.ts'
import { retries } from '#streams/retry.ts'
import { supervise, type Program, type SupervisedServer } from '#config/embedded/child.ts'
import { root } from '#config/process/root.ts'
import type { Settings } from '#config/settings/settings.ts'

/** Line that such a process writes to stderr once it runs lanes. */
export const runsLanes = 'Running lanes'

export interface LaneProcesses {
  /** Number of processes currently running. */
  count(): number
  stop(): Promise<void>
}

/** Starts `laneProcesses - 1` processes without waiting for them. */
export function beginLaneProcesses(settings: Settings, report: Reporter): LaneProcesses {
  const over = new AbortController()
  const running: SupervisedServer[] = []
  const begun = Array.from({ length: settings.laneProcesses - 1 }, (_, index) => {
    const program = programOf(index + 2, settings, report)
    return begin(program, over.signal, report).then((one) => one && running.push(one))
  })
  return {
    count: () => running.filter((one) => one.pid() !== undefined).length,
    async stop() {
      over.abort()
      await Promise.all(begun)
      await Promise.all(running.map((one) => one.stop()))
    },
  }
}

function programOf(number: number, { dataDir, metricsPort }: Settings, report: Reporter): Program {
  const port = metricsPort === 0 ? 0 : metricsPort + number - 1
  const own = ['lane-process', '--metrics-port', String(port)]
  return {
    name: `lane process ${number}`,
    command: [process.execPath, ...process.execArgv, path.join(root, 'config/main.ts'), ...own],
    cwd: process.cwd(),
    ready: new RegExp(runsLanes),
    pidFile: path.join(dataDir, `lane-process-${number}.pid`),
    log: (message) => report.warn({}, message),
    // Its output consists of lines for the same log.
    told: (line) => process.stderr.write(`${line}\n`),
  }
}

/** Retries until the process runs or is no longer wanted. */
async function begin(program: Program, over: AbortSignal, report: Reporter): Promise<SupervisedServer | undefined> {
  while (!over.aborted) {
    try {
      return await supervise(program, over)
    } catch (error) {
      if (!over.aborted) report.warn({ err: error }, `${program.name} did not start; retrying`)
      await sleep(pauseBefore(retries.laneProcess, 2)!, undefined, { signal: over }).catch(() => {})
    }
  }
  return undefined
}
