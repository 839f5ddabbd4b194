/** What befalls a world: how it begins, and what others, clouds, clocks and machines do at their times. */
import type { WorkflowJob } from '#actors/workflow/entity.ts'
import { actionWanted } from '#streams/action/messages.ts'
import { findingEnded, findingRaised } from '#streams/recommendation.ts'
import { leave } from '#test/sim/workflow/caller.ts'
import { findingOf } from '#test/sim/workflow/finding.ts'
import type { Strike } from '#test/sim/workflow/plan.ts'
import type { Process, World } from '#test/sim/workflow/world.ts'

type Of<What> = Strike & { what: What }

const striking: { readonly [What in Strike['what']]: (world: World, strike: Of<What>) => void } = {
  owner: (world) => world.start('owner', world.random.pick([...world.lanes.values()])),
  'kill owner': (world) => world.kill(world.random.pick(living(world, 'owner'))),
  'kill caller': (world) =>
    living(world, 'caller')
      .slice(0, 1)
      .forEach((one) => world.kill(one)),
  'stop caller': (world) =>
    living(world, 'caller')
      .slice(0, 1)
      .forEach((one) => stop(world, one)),
  pause: (world) => {
    world.random.pick(living(world, 'owner')).pausedUntil = world.scheduler.now + world.random.between(50, 20_000)
  },
  'pause caller': stall,
  jump: (world, { ms }) => world.jump(ms),
  role: ({ plain, edge }, { user, role }) => {
    plain.setRole(plain.people.get(user)!, role)
    edge.hear(user, role)
  },
  policy: ({ plain }, { id, enabled, spec }) => plain.setPolicy(id, { enabled, ...(spec && { spec }) }),
  hand: ({ oracle, sky }, { uid, how }) => {
    oracle.touched(uid)
    sky.byHand(uid, how)
  },
  refresh: ({ plain, sky, now }, { uid }) => plain.observe(uid, sky.look(uid, false), new Date(now)),
  audit: (world, { uid }) => audit(world, uid),
  restate: ({ truth }, { uid }) => truth.restate(uid),
  clear: ({ truth }, { uid }) => truth.change(uid, { isCleared: true }),
  hold: ({ truth }, { uid }) => truth.change(uid, { isHeld: true }),
  know: ({ truth }, { uid }) => truth.change(uid, { isHeld: false }),
  tag: ({ plain }, { uid }) => plain.tag(uid, { 'do-not-delete': 'yes' }),
  schedule: fire,
  people: ({ edge, plan }, { uid, user, action }) => edge.power(resourceIn(plan, uid), user, action),
  begin: ({ edge, plan }, { uid, user, times }) => edge.begin(resourceIn(plan, uid), user, times),
  settle: ({ edge, plan }, { uid, user, status }) => edge.settle(resourceIn(plan, uid), user, status),
  cancel: decide,
  approve: decide,
  reject: decide,
}

export function befall(world: World, strike: Strike): void {
  world.say(() => `strikes: ${JSON.stringify(strike)}`)
  const strikes = striking[strike.what] as (world: World, strike: Strike) => void
  strikes(world, strike)
}

/** Words of the audit, counted by the worlds they are of. */
const words = new WeakMap<World, number>()

const nextOf = (world: World): number => {
  const n = (words.get(world) ?? 0) + 1
  words.set(world, n)
  return n
}

/** Everything has been found. */
export function beginWith(world: World): void {
  for (const { uid } of world.plan.resources) audit(world, uid)
}

const resourceIn = ({ resources }: World['plan'], uid: string) => resources.find((one) => one.uid === uid)!

const living = ({ processes }: World, kind: Process['kind']): Process[] =>
  processes.filter((one) => one.kind === kind && !one.dead)

/** A sweep of one resource: what is so is known, and told. */
function audit(world: World, uid: string): void {
  const { account: cloudAccountId, draft } = world.resourceOf(uid)
  const { outcome, targetSpec } = world.truth.gather(uid)
  const of = { cloudAccountId, recommendationId: world.recommendationOf(uid), n: nextOf(world) }
  if (outcome === 'fires')
    world.append(findingRaised as never, { ...of, finding: findingOf(uid, draft, { targetSpec }) }, {})
  else if (outcome !== 'hold')
    world.append(findingEnded as never, { ...of, why: outcome === 'gone' ? 'deleted' : 'cleared' }, {})
}

/**
 * One stands still for longer than what it is at stays its own: another does the same meanwhile. Where something is done twice
 * that is asked for twice, that is too much.
 */
function stall(world: World): void {
  const { random, plan, scheduler } = world
  const [one] = living(world, 'caller')
  if (!one || Object.values(plan.repeats).includes('look')) return
  one.pausedUntil = scheduler.now + random.between(16_000, 120_000)
  leave(world, one)
}

/** What it is at is over, for it; somebody else begins it anew. */
function stop(world: World, process: Process): void {
  process.stop.abort()
  world.scheduler.after(100, () => world.kill(process))
}

/** A schedule that others have made says so. */
function fire(world: World, { uid, action }: Of<'schedule'>): void {
  const { account: cloudAccountId, draft } = world.resourceOf(uid)
  if (!draft.schedulable) return
  const n = nextOf(world)
  const source = { type: 'schedule' as const, id: 's1', name: 'Night', eventId: `e${n}` }
  const data = { actionId: `fire-${n}`, cloudAccountId, resourceUid: uid, action, reason: null, source }
  world.append(actionWanted as never, data, { id: `fire-${n}` })
}

/** Of the workflow that began last. */
function decide(world: World, { what, uid, user, isNamed }: Of<'cancel' | 'approve' | 'reject'>): void {
  const jobs = [...world.state.of<WorkflowJob>('workflow').values()]
  const job = jobs.findLast(({ resourceUid }) => resourceUid === uid)
  if (!job) return
  if (what === 'cancel') world.edge.cancel(job, user)
  else world.edge.decide(job, user, what, isNamed)
}
