/** Processes that make the calls turns ask for: the product's own works, with tools that reach the model, and die at any step. */
import { pauseBefore } from '#engine/actor/retry.ts'
import { executeWork } from '#actors/action/call/execute.ts'
import { lookWork as lookPowerWork } from '#actors/action/call/look.ts'
import { gatherWork } from '#actors/workflow/guard/gather.ts'
import { mailWork } from '#actors/workflow/call/mail.ts'
import { lookWork } from '#actors/workflow/call/operate-look.ts'
import { operateWork } from '#actors/workflow/call/operate.ts'
import type { Tools } from '#actors/tools.ts'
import type { EffectCall, EffectWork } from '#engine/run/effect.ts'
import { Fault } from '#engine/value/fault.ts'
import type { Event } from '#engine/run/publisher.ts'
import { scheduleSaved } from '#streams/schedule.ts'
import { connectorOf } from '#test/sim/workflow/cloud.ts'
import type { Run } from '#test/sim/workflow/record.ts'
import { answer, isSweep, isWarrant } from '#test/sim/workflow/statement.ts'
import type { Called } from '#test/sim/workflow/state.ts'
import type { Process, World } from '#test/sim/workflow/world.ts'

/** Until the call of a process that died is another's, milliseconds. */
const claimMs = 15_000

const works: Readonly<Record<string, (tools: Tools) => EffectWork>> = {
  operate: operateWork,
  'look-operation': lookWork,
  'execute-action': executeWork,
  'look-action': lookPowerWork,
  'mail-workflow': mailWork,
  'gather-fresh': gatherWork,
}

export const isCallable = ({ name }: Called): boolean => Object.hasOwn(works, name)

/** Makes the call until it is done or given up. */
export function claim(world: World, called: Called, afterMs: number): void {
  world.scheduler.after(afterMs, () => {
    if (called.isClaimed || world.state.calls.get(called.key) !== called) return
    const process = world.caller()
    if (!process) return claim(world, called, 1000)
    called.isClaimed = true
    called.attempts++
    world.tried(called)
    process.calls.add(called)
    const given = (again: number): void => {
      called.isClaimed = false
      process.calls.delete(called)
      claim(world, called, again)
    }
    make(world, called, process).then(
      (again) => again !== undefined && given(again),
      (error: unknown) => world.fail(error),
    )
  })
}

/** What a process was at when it died is another's some time later. */
export function leave(world: World, process: Process): void {
  for (const called of process.calls) {
    called.isClaimed = false
    claim(world, called, claimMs)
  }
  process.calls.clear()
}

/** Milliseconds until it is to be made again; undefined when it is over. */
async function make(world: World, called: Called, process: Process): Promise<number | undefined> {
  const { key, name, attempts: attempt } = called
  const run: Run = { name, key, input: called.input, check: undefined, look: undefined }
  const call: EffectCall = { key, orgId: world.org, attempt, signal: process.stop.signal }
  const work = works[name]!(toolsOf(world, run, process))
  world.say(() => `${key}: try ${attempt}`)
  try {
    await work.run(run.input, call)
  } catch (error) {
    // It goes on with another process.
    if (call.signal.aborted) return claimMs
    const fault = Fault.from(error)
    world.say(() => `${key}: ${fault.code} ${fault.message}`)
    if (isOfModel(fault)) throw error
    const pause = fault.retryable ? pauseBefore(work.retry, attempt + 1) : undefined
    if (pause !== undefined) return pause
    world.givenUp.add(key)
    await work.failed(run.input, call, fault)
  }
  await world.step(process)
  world.state.calls.delete(key)
  process.calls.delete(called)
  return undefined
}

/** A store that does not answer. */
class Away extends Error {}

/** Whatever was not thrown on purpose. */
const isOfModel = ({ cause }: Fault): boolean =>
  cause instanceof Error && !(cause instanceof Fault || cause instanceof Away)

function toolsOf(world: World, run: Run, process: Process): Tools {
  const rows = async (sql: string, params: readonly unknown[]): Promise<any[]> => {
    await world.step(process)
    if (world.isRough && world.random.chance(world.plan.away)) throw new Away('no store')
    if (isSweep(sql)) await gather(world, run, process)
    const found = answer(world, sql, params)
    if (!isWarrant(sql)) return found
    run.check = { moment: ++world.plain.moment, at: world.now, time: world.scheduler.now }
    return world.bug.warrant ? found.map((row) => world.bug.warrant!(row as never, run)) : found
  }
  const publisher = {
    publish: (event: Event) => publish(world, run, process, event),
    report: (event: Event) => publish(world, run, process, event),
  }
  return {
    reads: { rows, facts: async () => [] },
    publisher,
    clock: process.clock,
    now: () => new Date(world.now),
    cloudOf: () => connectorOf(world, run, process),
    open: () => null,
    executor: 'embedded',
    channels: { email: { send: (mail: { to: string }, key: string) => send(world, process, mail.to, key) } },
    publicUrl: () => '',
    notifyTerminal: true,
    report: { info: () => {}, warn: () => {}, error: () => {} },
  } as unknown as Tools
}

/** What is said of what was not thrown on purpose. */
const broke = 'An internal error occurred.'

/** It is durable before anybody hears so, and may be so without anybody hearing it. */
async function publish(world: World, run: Run, process: Process, event: Event): Promise<void> {
  await world.step(process)
  const isLost = world.isRough && world.random.chance(world.plan.away)
  const { errorMessage } = event.data as { errorMessage?: string }
  if (errorMessage === broke && !world.givenUp.has(run.key))
    world.broken(`a store is away, and the cloud is blamed: ${run.key}`)
  if (event.subject.name === scheduleSaved.name) world.scheduled(run, event.data as never)
  else world.append(event.subject, event.data as object, { id: event.id! })
  if (isLost) throw new Away('nobody knows whether it was published')
  await world.step(process)
}

async function send(world: World, process: Process, to: string, key: string): Promise<void> {
  await world.step(process)
  const isAway = world.isRough && world.random.chance(world.plan.away)
  if (!isAway || world.random.chance(0.5)) world.mailed(key, to)
  if (isAway) throw Fault.transient('away', 'no answer')
  await world.step(process)
}

/** Stands in for a sweep of the resource: what is so becomes known, late or never. */
async function gather(world: World, { input }: Run, process: Process): Promise<void> {
  const { random, plan, isRough } = world
  const { resourceUid: uid, jobId, n } = input
  if (isRough && random.chance(plan.gatherNever)) throw new Away('nothing can be gathered')
  if (isRough && random.chance(plan.gatherLate)) await process.clock.sleep(random.between(1000, 90_000))
  const job = world.ledger.jobs.get(jobId as string)!
  if (job.gathered.n !== n) job.gathered = { n, said: [] }
  job.gathered.said.push(world.truth.gather(uid as string))
}
