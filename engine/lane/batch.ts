/**
 * From the messages of a batch to all its changes: addresses the messages, activates their actors, runs the turns and
 * collects what is to be committed. Changes nothing outside.
 */
import type { Actor } from '#engine/actor/actor.ts'
import { actorId, type Activations, type Live } from '#engine/lane/activation.ts'
import {
  BatchDraft,
  inboxId,
  reminderKey,
  type CommandReply,
  type Batch,
  type Head,
} from '#engine/lane/commit/draft.ts'
import type { EchoMessage } from '#engine/lane/message/echo-message.ts'
import type { Echoes } from '#engine/lane/message/echo.ts'
import { firstState, runMailbox, type Letter, type MailboxContext, type Portion } from '#engine/lane/message/mailbox.ts'
import { addressee, isRefusal, type Message, type MessageRefusal } from '#engine/lane/message/message.ts'
import type { Apart, Lease, Reads, StateStore, TurnReads } from '#engine/actor/ports.ts'
import type { PlainReads } from '#engine/lane/plain-reads.ts'
import type { Registry } from '#engine/actor/registry.ts'
import { columnsChanged, sameData, toRow, type RowShape } from '#engine/actor/row.ts'
import type { Address } from '#engine/actor/address.ts'

export interface BatchTools {
  registry: Registry
  store: StateStore
  reads: Reads
  plain: PlainReads
  activations: Activations
  echoes: Echoes
  lease: Lease
  /** The id of a dead letter as its organization sees it; default: its internal id. */
  letterName?: ((id: string) => string) | undefined
  /** The position of the lane after the previous batch. */
  head: Head
  /** Resolves once the previous batch has committed: before that, the stores would return older data. */
  settled: () => Promise<void>
  /** Whether these messages were, or may have been, part of a larger batch before. */
  portion: Portion
  /** For one part of a packed message that is run on its own: how many parts are done after it. */
  within?: Apart
  /** Resolves when turns may run; absent for a lane that may run turns without waiting. */
  pass?: () => Promise<void>
}

interface Mailbox {
  id: string
  live: Live | undefined
  actor: Actor
  address: Address
  letters: Letter[]
}

export async function makeBatch(tools: BatchTools, messages: readonly (Message | MessageRefusal)[]): Promise<Batch> {
  const { lease, head } = tools
  const draft = new BatchDraft(lease, head, tools.letterName)
  for (const m of messages) {
    draft.see(m.log)
    if (isRefusal(m)) refuse(draft, m)
    else if (m.forward) draft.forward(m)
  }
  const addressed = messages.filter((m): m is Message => !isRefusal(m) && !m.forward)
  const fresh = await unseen(tools, addressed, draft)
  for (const m of await dropStaleReminders(tools, messages.filter(isRefusal))) if (m.reminded) draft.forget(m)
  const { heard, blind } = await passOver(tools, await dropStaleReminders(tools, fresh), draft)
  const boxes = mailboxes(heard, draft)
  const { needs, unheard } = await activate(tools, boxes)
  for (const m of unheard) if (m.reminded) draft.forget(m)
  const peek = (id: string) => tools.activations.peek(id)
  // Other messages of the batch, which changed nothing, may have loaded the row of an echo in its previous state.
  for (const [id, changes] of blind) if (peek(id)) draft.states.set(id, { ...peek(id), ...changes })
  await tools.pass?.()
  runAll(tools, boxes, needs, draft)
  const stateOf = (id: string) => (draft.states.has(id) ? draft.states.get(id) : peek(id))
  tools.echoes.learn({ stateOf, needsOf: (kind) => needs.get(kind) })
  draft.answer(fresh)
  return draft.done(tools.within)
}

function refuse(draft: BatchDraft, m: MessageRefusal): void {
  if (m.isToPark) draft.park(m)
  else if (!m.isDropped) draft.bury(m, 0)
}

/** The messages that remain after echoes were taken out, and the changes of echoes to rows that are not in memory. */
interface PassedOver {
  heard: readonly Message[]
  blind: [id: string, changes: Record<string, unknown>][]
}

/** Takes echoes without a turn: of several for one key, only the last one's time. */
async function passOver(tools: BatchTools, messages: readonly Message[], draft: BatchDraft): Promise<PassedOver> {
  const { echoes, activations } = tools
  const found = await echoes.among(messages, tools.portion, settledReads(tools))
  const blind: PassedOver['blind'] = []
  for (const m of new Map([...found].map((one) => [one.known, one])).values()) {
    const { shape, columns, changes } = echoes.take(m)
    const { orgId, place, key } = m.print.address
    const row: Record<string, unknown> = { [shape.address.orgId]: orgId, [shape.address.key]: key }
    if (shape.address.place) row[shape.address.place] = place
    for (const { property, column } of columns) row[column] = changes[property]
    draft.touch(shape, row, columns)
    const id = m.known.leaderId
    const state = activations.peek(id)
    if (state) draft.states.set(id, { ...state, ...changes })
    else blind.push([id, changes])
  }
  draft.echoes(found.size)
  echoes.writes(blind.map(([id]) => id))
  const heard = found.size === 0 ? messages : messages.filter((m) => !found.has(m as EchoMessage))
  return { heard, blind }
}

/**
 * In the order of the kinds, except that an actor that others follow comes first: followers do not get what it has
 * ignored.
 */
function runAll(
  tools: BatchTools,
  boxes: ReadonlyMap<string, Mailbox>,
  needs: ReadonlyMap<string, unknown>,
  draft: BatchDraft,
): void {
  const { registry, echoes, portion, lease } = tools
  const fixed = { epoch: lease.epoch, portion, now: (m: Message) => draft.time(m), needs: undefined }
  const contexts = new Map<Actor, MailboxContext>()
  /** By the kind that ignored them. */
  const ignored = new Map<string, Set<Message>>()
  const done = new Set<Mailbox>()
  const runOne = (box: Mailbox | undefined): void => {
    if (!box || done.has(box)) return
    done.add(box)
    for (const { reaction } of box.letters)
      if (reaction.follows) runOne(boxes.get(actorId(reaction.follows, box.address)))
    box.letters = box.letters.filter(
      ({ message, reaction: { follows } }) => !follows || !ignored.get(follows)?.has(message),
    )
    if (box.letters.length === 0) return
    let context = contexts.get(box.actor)
    if (!context) contexts.set(box.actor, (context = { ...fixed, needs: needs.get(box.actor.kind) }))
    const { outcome, columns } = run(registry.shapes.get(box.actor.kind)!, box, context, draft)
    echoes.turned({ kind: box.actor.kind, address: box.address, outcome, columns })
    if (outcome.ignored.length === 0) return
    const all = ignored.get(box.actor.kind) ?? new Set()
    for (const m of outcome.ignored) all.add(m)
    ignored.set(box.actor.kind, all)
  }
  for (const box of boxes.values()) runOne(box)
}

/** Leaves out messages that have already taken effect; a waiting caller gets the original reply. */
async function unseen(
  { store, lease, settled }: BatchTools,
  messages: Message[],
  draft: BatchDraft,
): Promise<Message[]> {
  const once = messages.filter((m) => m.subject.once && !m.reminded)
  if (once.length === 0) return messages
  await settled()
  const seen = await store.seen(lease.lane, [...new Set(once.map(inboxId))])
  const here = new Map<string, Message>()
  return messages.filter((m) => {
    if (!m.subject.once || m.reminded) return true
    const id = inboxId(m)
    if (seen.has(id)) {
      draft.answerAs(m, seen.get(id) as CommandReply)
      return false
    }
    const first = here.get(id)
    if (first) {
      draft.repeats.push({ first, again: m })
      return false
    }
    // Not executed, and so not remembered: sent again with the same id, it is new.
    if (draft.expired(m)) return true
    here.set(id, m)
    draft.once.set(m, id)
    return true
  })
}

/** Leaves out reminders that were replaced, cancelled or delivered since they were published. */
async function dropStaleReminders<M extends Message | MessageRefusal>(
  { store, settled }: BatchTools,
  messages: M[],
): Promise<M[]> {
  const reminders = messages.filter((m) => m.reminded)
  if (reminders.length === 0) return messages
  await settled()
  const due = await store.standing(reminders.map(reminderKey))
  const gone = new Set(reminders.filter((m, i) => due[i] !== m.reminded!.due))
  return messages.filter((m) => !gone.has(m))
}

function mailboxes(messages: readonly Message[], draft: BatchDraft): Map<string, Mailbox> {
  const boxes = new Map<string, Mailbox>()
  for (const message of messages) {
    if (draft.expired(message)) continue
    for (const receiver of message.receivers) {
      const address = addressee(message, receiver)
      if (!address) continue
      const id = actorId(receiver.actor.kind, address)
      const letter = { message, reaction: receiver.reaction }
      const box = boxes.get(id)
      if (box) box.letters.push(letter)
      else boxes.set(id, { id, actor: receiver.actor, address, letters: [letter], live: undefined })
    }
  }
  return boxes
}

/** Loads the actors and what their kinds need, with one query per kind. */
async function activate(
  tools: BatchTools,
  boxes: Map<string, Mailbox>,
): Promise<{ needs: Map<string, unknown>; unheard: Message[] }> {
  const unheard: Message[] = []
  const byKind = Map.groupBy(boxes.values(), (box) => box.actor.kind)
  const needs = new Map<string, unknown>()
  await Promise.all(
    [...byKind].map(async ([kind, list]) => {
      // Changes of a row that is not in memory must be committed before it is read.
      if (tools.echoes.awaits(list)) await tools.settled()
      await tools.activations.activate(kind, tools.registry.shapes.get(kind)!, list)
      for (const box of list) {
        const heard = lettersOf(box)
        if (heard.length === box.letters.length) continue
        const kept = new Set(heard)
        for (const letter of box.letters) if (!kept.has(letter)) unheard.push(letter.message)
        box.letters = heard
      }
      const { actor } = list[0]!
      if (!actor.needs) return
      const waiting = list.flatMap(({ address, letters }) =>
        letters.map(({ message }) => ({ subject: message.subject, address, data: message.envelope.data })),
      )
      if (waiting.length > 0) needs.set(kind, await actor.needs(waiting, settledReads(tools)))
    }),
  )
  return { needs, unheard }
}

/** The letters of a mailbox: without a row, reactions for existing actors are skipped until a message creates one. */
const lettersOf = ({ live, letters }: Mailbox): Letter[] => {
  if (live?.state !== undefined) return letters
  const first = letters.findIndex(({ reaction }) => !reaction.existing && !reaction.steady)
  if (first === 0) return letters
  return letters.filter(({ reaction }, n) => !reaction.existing || (first >= 0 && n >= first))
}

const settledReads = ({ reads, plain, settled }: BatchTools): TurnReads => ({
  ...reads,
  plain: (sql, params, options) => plain.read(sql, params, options),
  rows: async (sql, params) => {
    await settled()
    return reads.rows(sql, params)
  },
  facts: async (sql, params) => {
    await settled()
    return reads.facts(sql, params)
  },
})

/** `columns` are the changed ones; undefined if there was no row before, or there is none afterwards. */
function run(shape: RowShape, box: Mailbox, context: MailboxContext, draft: BatchDraft) {
  const { id, actor, address, letters, live } = box
  const before = live!.state
  const state = before ?? firstState(actor, address)
  const outcome = runMailbox(actor, address, state, letters, context)
  draft.take(actor.kind, address, letters, outcome)
  if (outcome.removed) {
    if (before) draft.row(shape, 'deletes', address)
    draft.states.set(id, undefined)
    return { outcome, columns: undefined }
  }
  if (sameData(state, outcome.state)) return { outcome, columns: [] }
  const row = toRow(shape, outcome.state)
  draft.states.set(id, outcome.state)
  if (!before) {
    draft.row(shape, 'upserts', row)
    return { outcome, columns: undefined }
  }
  const columns = columnsChanged(shape, before, outcome.state)
  draft.update(shape, row, columns)
  return { outcome, columns }
}
