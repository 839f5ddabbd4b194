/** A thread that runs its share of the seeds and says how far it has come; it ends at the first one that fails. */
import { parentPort, workerData } from 'node:worker_threads'
import { runSeed } from '#test/sim/world.ts'

export interface Share {
  seeds: readonly number[]
}

export interface Said {
  /** Seeds run since it last said something. */
  seeds: number
  events: number
  /** The one that failed, and of what. */
  failed?: { seed: number; message: string }
}

const { seeds } = workerData as Share
// Stacks of the errors that faults are made of cost a fifth of the time, and nobody reads them.
Error.stackTraceLimit = 0

let said: Said = { seeds: 0, events: 0 }
const say = () => {
  parentPort!.postMessage(said)
  said = { seeds: 0, events: 0 }
}

let seed = 0
// A promise that nobody waits for would end the process in production.
process.on('unhandledRejection', (error) => {
  said.failed ??= { seed, message: `a rejection that nobody handles: ${String(error)}` }
})
for (seed of seeds) {
  if (said.failed) break
  try {
    const world = await runSeed(seed)
    said.events += world.scheduler.events
  } catch (error) {
    said.failed ??= { seed, message: (error as Error).message }
  }
  said.seeds++
  // Lets the thread hear that it is to end, and rejections be noticed while their seed is known.
  if (said.seeds % 20 === 0) {
    await new Promise((resolve) => setImmediate(resolve))
    say()
  }
}
say()
