/** A process that runs one lane: batches of its log as turns of the product's actors, then one commit behind the fence, then its relay. */
import type { Actor, Reaction } from '#engine/actor/actor.ts'
import { firstState, runMailbox, type Letter, type TurnOutcome } from '#engine/lane/message/mailbox.ts'
import type { Address } from '#engine/actor/address.ts'
import type { TurnReads } from '#engine/actor/ports.ts'
import { orgWide } from '#engine/actor/subject.ts'
import { answer } from '#test/sim/workflow/statement.ts'
import { reminderId, rowKey, type Answer, type Entry, type Lane, type Taken } from '#test/sim/workflow/state.ts'
import type { Process, World } from '#test/sim/workflow/world.ts'

/** One batch: what its turns came to, and since when they have read. */
export interface Batch {
  lane: Lane
  entries: readonly Entry[]
  taken: Taken[]
  inbox: Map<string, Answer>
  unheard: string[]
  /** The moment before anything was read. */
  since: number
}

interface Box {
  actor: Actor
  address: Address
  letters: Letter[]
}

/** Runs until it dies or finds that another has the lane. */
export async function own(world: World, lane: Lane, process: Process): Promise<void> {
  const { state, random, plan } = world
  await world.step(process)
  const epoch = ++lane.epoch
  let { cursor } = lane
  relay(world, lane, process).catch((error: unknown) => world.fail(error))
  for (;;) {
    const entries = nextBatch(world, lane, cursor, random.between(1, plan.batchMax))
    if (entries.length === 0) {
      await world.more(lane, process)
      continue
    }
    const to = cursor + entries.length
    const batch = await turns(world, lane, process, entries, epoch)
    keepFacts(world, batch)
    await world.step(process, plan.commitCrash)
    const calls = state.commit(lane, { epoch, from: cursor, to, ...batch })
    if (!calls) return
    world.committed(batch, calls)
    cursor = to
  }
}

/** What runs alone, does. */
function nextBatch(world: World, { log }: Lane, cursor: number, max: number): Entry[] {
  const next = log.slice(cursor, cursor + max)
  const isBarrier = ({ message }: Entry) =>
    (world.receivers.get(message.subject.name) ?? []).some(({ reaction }) => reaction.barrier === true)
  const barrier = next.findIndex(isBarrier)
  return barrier === -1 ? next : next.slice(0, Math.max(1, barrier))
}

async function turns(
  world: World,
  lane: Lane,
  process: Process,
  entries: readonly Entry[],
  epoch: number,
): Promise<Batch> {
  const batch: Batch = {
    lane,
    entries,
    taken: [],
    inbox: new Map(),
    unheard: [],
    since: world.plain.moment,
  }
  const heard = entries.filter((entry) => isFresh(world, batch, entry))
  const boxes = boxesOf(world, batch, heard)
  const needs = await needsOf(world, process, boxes)
  for (const box of boxes) {
    const outcome = turn(world, box, epoch, needs.get(box.actor.kind))
    const before = rowOf(world, box)
    batch.taken.push({ kind: box.actor.kind, address: box.address, before, outcome })
    world.bug.turned?.(box.actor.kind, outcome)
  }
  for (const entry of heard) if (entry.message.subject.once) batch.inbox.set(idOf(entry), answerTo(batch, entry))
  return batch
}

const idOf = ({ message }: Entry): string => message.envelope.id

/** Neither a repeat of what counts once, nor a reminder that does not stand. */
function isFresh({ state }: World, { lane, inbox }: Batch, entry: Entry): boolean {
  const { reminded, subject } = entry.message
  if (reminded) {
    const { kind, key, name, due } = reminded
    return state.reminders.get(reminderId(lane.place, kind, key, name))?.due === due
  }
  if (!subject.once) return true
  if (lane.inbox.has(idOf(entry)) || inbox.has(idOf(entry))) return false
  inbox.set(idOf(entry), { ok: true, value: null })
  return true
}

function boxesOf(world: World, batch: Batch, heard: readonly Entry[]): Box[] {
  const boxes = new Map<string, Box>()
  for (const { message } of heard) {
    const { reminded, subject, envelope, place, orgId } = message
    for (const { actor, reaction } of world.receivers.get(subject.name) ?? []) {
      if (reminded && reminded.kind !== actor.kind) continue
      const key = reminded ? reminded.key : reaction.key(envelope.data as never)
      const address = { orgId, place: actor.address.place === undefined ? orgWide : place, key }
      const id = `${actor.kind}\0${key}`
      const box = boxes.get(id)
      if (box) box.letters.push({ message, reaction })
      else boxes.set(id, { actor, address, letters: [{ message, reaction }] })
    }
  }
  return [...boxes.values()].filter((box) => isCalled(world, batch, box))
}

const rowOf = ({ state }: World, { actor, address }: Box) =>
  state.of(actor.kind).get(rowKey(address.place, address.key))

/** While there is no row, nothing is heard before a message that is for more than existing actors. */
function isCalled(world: World, { unheard }: Batch, box: Box): boolean {
  if (rowOf(world, box)) return true
  const first = box.letters.findIndex(({ reaction }) => (reaction as Reaction<object>).existing !== true)
  const skipped = first === -1 ? box.letters : box.letters.slice(0, first)
  for (const {
    message: { reminded, place },
  } of skipped)
    if (reminded) unheard.push(reminderId(place, reminded.kind, reminded.key, reminded.name))
  box.letters = first === -1 ? [] : box.letters.slice(first)
  return box.letters.length > 0
}

async function needsOf(world: World, process: Process, boxes: readonly Box[]): Promise<Map<string, unknown>> {
  const rows: TurnReads['rows'] = async (sql, params) => {
    if (world.random.chance(0.1)) await world.step(process)
    return answer(world, sql, params) as never[]
  }
  const reads: TurnReads = { rows, plain: (sql, params) => rows(sql, params), facts: async () => [] }
  const found = new Map<string, unknown>()
  for (const [kind, own] of Map.groupBy(boxes, ({ actor }) => actor.kind)) {
    const { actor } = own[0]!
    if (!actor.needs) continue
    const waiting = own.flatMap(({ address, letters }) =>
      letters.map(({ message }) => ({ subject: message.subject, address, data: message.envelope.data })),
    )
    found.set(kind, await actor.needs(waiting, reads))
  }
  return found
}

function turn(world: World, box: Box, epoch: number, needs: unknown): TurnOutcome {
  const { actor, address, letters } = box
  const state = rowOf(world, box) ?? firstState(actor, address)
  return runMailbox(actor, address, state, letters, { epoch, now: ({ log }) => log.at, needs })
}

/** A refusal beats all that was said. */
function answerTo({ taken }: Batch, { message }: Entry): Answer {
  for (const { outcome } of taken) {
    const refused = outcome.refused.find((one) => one.message === message)
    if (refused) return { ok: false, code: refused.fault.code }
  }
  for (const { outcome } of taken)
    if (outcome.replies.has(message)) return { ok: true, value: outcome.replies.get(message) }
  return { ok: true, value: null }
}

/** Facts come first: those of a batch that does not commit stay. */
function keepFacts({ state }: World, { taken }: Batch): void {
  for (const { outcome } of taken)
    for (const { table, row } of outcome.facts) if (table.name === 'workflow_event') state.facts.push(row)
}

/** Publishes what is committed, in order, and forgets it then: whoever has the lane next publishes it again. */
async function relay(world: World, lane: Lane, process: Process): Promise<void> {
  for (;;) {
    if (lane.outbox.length === 0) await world.toSend(lane, process)
    const rows = lane.outbox.slice(0, world.random.between(1, 20))
    if (rows.length === 0) continue
    await world.step(process)
    for (const row of rows) world.deliver(row)
    await world.step(process)
    const sent = new Set(rows)
    lane.outbox = lane.outbox.filter((row) => !sent.has(row))
  }
}
