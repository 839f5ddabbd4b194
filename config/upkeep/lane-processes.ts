/**
 * More processes of this machine that run lanes (`TIDEMARK_LANE_PROCESSES`), on the stores and the folder of this one: a process uses
 * one core. One that ends is started again, and the others have its lanes meanwhile. All end with this one, however that ends.
 */
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { pauseBefore } from '#engine/actor/retry.ts'
import type { Reporter } from '#engine/reporter.ts'
import { retries } from '#streams/retry.ts'
import { supervise, type Program, type SupervisedServer } from '#config/embedded/child.ts'
import { root } from '#config/process/root.ts'
import type { Settings } from '#config/settings/settings.ts'

/** What such a process says on stderr once it runs lanes. */
export const runsLanes = 'Running lanes'

export interface LaneProcesses {
  /** How many run at the moment. */
  count(): number
  stop(): Promise<void>
}

/** Begins `laneProcesses - 1` of them; does not wait until they run. */
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
    // What it has to say is lines of the same log.
    told: (line) => process.stderr.write(`${line}\n`),
  }
}

/** Tries until it runs, or is not wanted any more. */
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
