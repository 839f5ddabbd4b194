/** The way to the far side: calls that are refused, slowed down, lost on the way there or back, or arrive twice. */
import {
  cloudFault,
  type CloudAction,
  type ActionOutcome,
  type Connector,
  type Look,
} from '#streams/cloud/connector.ts'
import type { By, Run } from '#test/sim/workflow/record.ts'
import type { Process, World } from '#test/sim/workflow/world.ts'

/** Milliseconds in which a call arrives, whoever waits for it: less than the claim of a process that died. */
const arrivalMs = 4000

export function connectorOf(world: World, run: Run, process: Process): Connector {
  const connector = {
    repeats: world.plan.repeats,
    look: (_: unknown, { resourceUid }: { resourceUid: string }) => look(world, run, process, resourceUid),
    act: (_: unknown, action: CloudAction) => act(world, { run, process }, action),
  } as unknown as Connector
  return world.bug.connector?.(connector, run) ?? connector
}

interface Making {
  run: Run
  process: Process
}

function act(world: World, { run, process }: Making, action: CloudAction): Promise<ActionOutcome> {
  const by = world.oracle.made(run, action)
  const fault = faultOf(world, action)
  world.say(() => `calls ${action.kind} of ${action.resource.resourceUid} for ${run.key}${fault ? `, ${fault}` : ''}`)
  return new Promise((resolve, reject) => {
    const { random, scheduler } = world
    const back = (run: () => void) => scheduler.after(delay(world), run, process)
    const arrive = (then: (said: Outcome) => void) =>
      scheduler.after(random.below(world.isRough && random.chance(0.1) ? arrivalMs : 20), () =>
        then(taken(world, action, by)),
      )
    switch (fault) {
      case 'refuse':
        return back(() => reject(cloudFault('user_action', 'refused', 'The cloud does not want to.')))
      case 'throttle':
        return back(() => reject(cloudFault('transient', 'throttled', 'The cloud is throttling requests.')))
      case 'hang':
        return random.chance(0.6) ? arrive(() => {}) : undefined
      case 'lose':
        return arrive(() => back(() => reject(cloudFault('transient', 'reset', 'The connection is gone.'))))
      case 'twice':
      case undefined:
        return arrive((said) => {
          // One behind the other: what comes later still is for no far side that knows no ids to know.
          if (fault === 'twice') taken(world, action, by)
          back(() => ('error' in said ? reject(said.error as Error) : resolve({ status: said.status })))
        })
    }
  })
}

type Outcome = { status: 'succeeded' | 'running' } | { error: unknown }

function taken(world: World, action: CloudAction, by: By): Outcome {
  try {
    return { status: world.sky.take(action, by) }
  } catch (error) {
    return { error }
  }
}

const delay = ({ random, isRough }: World): number => random.below(isRough && random.chance(0.1) ? 3000 : 30)

type Failing = 'refuse' | 'throttle' | 'hang' | 'lose' | 'twice'

/** What is done twice where it is asked for twice is not sent twice by the way there. */
function faultOf({ random, plan, isRough }: World, { kind }: CloudAction): Failing | undefined {
  if (!isRough) return undefined
  const { faults, repeats } = plan
  if (kind === 'resize' && random.chance(faults.halfway)) return 'refuse'
  const found = (['refuse', 'throttle', 'hang', 'lose', 'twice'] as const).find((one) => random.chance(faults[one]))
  return found === 'twice' && repeats[kind] === 'look' ? undefined : found
}

function look(world: World, run: Run, process: Process, uid: string): Promise<Look> {
  const { random, scheduler, isRough } = world
  const { faults } = world.plan
  const isSlow = isRough && random.chance(faults.lookSlow)
  const fails = isRough && random.chance(faults.lookFails)
  const isBlind = isRough && random.chance(faults.blind)
  return new Promise((resolve, reject) => {
    scheduler.after(
      isSlow ? random.between(1000, 70_000) : random.below(30),
      () => {
        if (fails) return reject(cloudFault('transient', 'throttled', 'The cloud is throttling requests.'))
        const seen = world.sky.look(uid, isBlind)
        run.look = { moment: ++world.plain.moment, seen }
        if (isBlind) world.blind(run)
        resolve(seen)
      },
      process,
    )
  })
}

/** How long what a call asks for takes. */
export function lasting({ random, plan, isRough }: World): number {
  if (!isRough) return random.chance(0.5) ? 0 : random.between(1000, 30_000)
  if (random.chance(plan.faults.stuck)) return Infinity
  if (random.chance(plan.faults.slow)) return random.between(1000, random.chance(0.3) ? 900_000 : 60_000)
  return 0
}
