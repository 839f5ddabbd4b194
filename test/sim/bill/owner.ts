/** A process that runs the lane of one account: batches of its log as turns, facts first, then one commit behind the fence. */
import { accountActor } from '#actors/account/actor.ts'
import { accountNeeds, type AccountNeeds } from '#actors/account/needs.ts'
import type { Actor, Reaction } from '#engine/actor/actor.ts'
import { firstState, runMailbox, type Letter, type TurnOutcome } from '#engine/lane/message/mailbox.ts'
import type { FactRow } from '#engine/actor/ports.ts'
import { org, reminderId, type Entry, type Lane, type Row } from '#test/sim/bill/state.ts'
import type { Process, World } from '#test/sim/bill/world.ts'

/** What one batch came to, on what. */
export interface Taken {
  lane: Lane
  before: Row | undefined
  needs: AccountNeeds
  outcome: TurnOutcome
}

const isBarrier = (entry: Entry): boolean => reactionOf(accountActor as unknown as Actor, entry).barrier === true
const reactionOf = (actor: Actor, { subject }: Entry): Reaction<object> => actor.reactions.get(subject.name)!

/** Runs until it dies or finds that another has the lane. */
export async function own(world: World, lane: Lane, process: Process): Promise<void> {
  const { state, random, plan } = world
  await world.step(process)
  const epoch = ++lane.epoch
  let { cursor } = lane
  let row = state.accounts.get(lane.account)
  for (;;) {
    const batch = nextBatch(lane, cursor, random.between(1, plan.batchMax))
    if (batch.length === 0) {
      await world.more(lane, process)
      continue
    }
    const taken = await turns(world, lane, process, { batch, epoch, row })
    if (taken) await append(world, process, taken.outcome)
    if (taken) world.bug.beforeCommit?.(world, taken)
    await world.step(process, plan.commitCrash)
    const fence = { epoch, from: cursor, to: batch.at(-1)!.seq }
    if (!state.commit(lane, fence, taken?.outcome)) return
    if (taken) world.committed(taken)
    await world.step(process)
    cursor = fence.to
    row = (taken?.outcome.state as Row | undefined) ?? row
  }
}

/** What closes a bill, or looks whether it is whole, runs alone. */
function nextBatch({ log }: Lane, cursor: number, max: number): Entry[] {
  const next = log.slice(cursor, cursor + max)
  const barrier = next.findIndex(isBarrier)
  return barrier === -1 ? next : next.slice(0, Math.max(1, barrier))
}

interface Work {
  batch: readonly Entry[]
  epoch: number
  row: Row | undefined
}

async function turns(world: World, lane: Lane, process: Process, work: Work): Promise<Taken | undefined> {
  const { state, facts, bug } = world
  const stands = ({ reminded }: Entry) =>
    !reminded || state.reminders.get(reminderId(lane.account, reminded.name)) === reminded.due
  const batch = work.batch.filter(stands)
  if (batch.length === 0) return undefined
  const address = { orgId: org, place: lane.account, key: lane.account }
  const step = () => world.step(process)
  const rows: typeof state.rows = async (sql, params) => {
    await step()
    return state.rows(sql, params)
  }
  const waiting = batch.map(({ subject, data }) => ({ subject, address, data }))
  const needs = await accountNeeds(waiting, { rows, facts: facts.reads(step) })
  bug.needs?.(needs, lane, batch)
  const actor = (bug.actor ?? ((given) => given))(accountActor as unknown as Actor)
  const before = work.row
  const letters = batch.map((entry): Letter => ({
    message: messageOf(lane, entry),
    reaction: reactionOf(actor, entry),
  }))
  const context = { epoch: work.epoch, now: ({ log }: { log: { at: number } }) => log.at, needs }
  const outcome = runMailbox(actor, address, before ?? firstState(actor, address), letters, context)
  const taken = { lane, before, needs, outcome }
  bug.turned?.(taken)
  return taken
}

function messageOf({ account }: Lane, { seq, at, subject, data, reminded }: Entry): Letter['message'] {
  const time = new Date(at).toISOString()
  return {
    log: { seq, subject: `${subject.kind}.${org}.${account}`, headers: {}, body: new Uint8Array(), at },
    index: 0,
    envelope: { id: `m${seq}`, type: subject.name, schemaVersion: 1, orgId: org, time, data },
    time: at,
    subject,
    receivers: [],
    orgId: org,
    place: account,
    ...(reminded && { reminded: { kind: accountActor.kind, key: account, ...reminded } }),
  }
}

/** Table by table; a table's rows may come to be in parts, one partition before the other. */
async function append(world: World, process: Process, { facts }: TurnOutcome): Promise<void> {
  const tables = [...Map.groupBy(facts, ({ table }) => table)].toSorted(([a], [b]) => (a.order ?? 0) - (b.order ?? 0))
  for (const [{ name }, list] of tables) {
    const rows: FactRow[] = list.map(({ row }) => row)
    const cut = world.random.chance(0.2) ? world.random.below(rows.length) : 0
    for (const part of [rows.slice(0, cut), rows.slice(cut)]) {
      if (part.length === 0) continue
      await world.step(process)
      world.insert(name, part)
    }
  }
}
