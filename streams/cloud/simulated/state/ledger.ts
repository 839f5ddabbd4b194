/**
 * All that changes in the simulated cloud, as its journal tells it: what was switched and altered, which actions had their
 * effect, which calls were made, what is planned to go wrong. Every process that shares a folder comes to the same state: a line counts
 * by what stands before it, and whoever wrote one that does not looks again.
 */
import { randomUUID } from 'node:crypto'
import type { ActionOutcome, Bucket, Capacity, Infrastructure, NativePolicy } from '#streams/cloud/connector.ts'
import {
  actionLog,
  type ActionLog,
  type Alteration,
  type Making,
  type Owner,
  type PowerChange,
  type Unmaking,
} from '#streams/cloud/simulated/action/log.ts'
import { aim, type Blow, type Call, type PlannedFault } from './faults.ts'
import { fileJournal, memoryJournal, type Journal, type Line } from './journal.ts'

/** A call somebody made, and how it ended. */
export interface MadeCall extends Call {
  at: Date
  outcome: 'ok' | Bucket
  /** Of the action, or of the request, for calls that change something. */
  id?: string
  /** What it was to make of the resource: the size of a resize, the counts of a scale, the specs of a set. */
  detail?: { size?: string; counts?: Partial<Capacity>; specs?: Readonly<Record<string, unknown>> }
  /** What it asks for had had its effect before: this call had none. */
  repeated?: true
}

/** What a call did, in the same line as its call, so that neither is ever known without the other. */
export interface Effect {
  account: string
  /** Of what is made and unmade. */
  orgId?: string
  /** Empty for what is the account's. */
  uid: string
  id: string
  change?: PowerChange
  /** Of what alters nothing it says how long it takes. */
  alteration?: Alteration
  /** What it is scaled by from then on. */
  policies?: readonly NativePolicy[]
  infrastructure?: Infrastructure
  /** What provisioning had made, and what it had taken away. */
  made?: Making
  unmade?: Unmaking
  outcome: ActionOutcome
}

/** What one line says. */
export interface Entry {
  at: Date
  call?: Omit<MadeCall, 'at'>
  effect?: Effect
  /** Which faults of the plan this takes one time from. */
  struck?: { plan: string; faults: readonly number[] }
  /** Replaces the plan before it. */
  plan?: readonly PlannedFault[]
}

interface JournalEntry extends Omit<Entry, 'at'> {
  /** Of the line; that of a plan names it. */
  by: string
  at: string
}

/** Calls and outcomes kept in memory: the newest. */
export const rememberedMax = 10_000

/** How an action was answered, and from when on it is answered that it is done: milliseconds since 1970. */
interface AnsweredAction {
  outcome: ActionOutcome
  settledAt?: number
}

interface State {
  log: ActionLog
  /** Oldest first. */
  calls: MadeCall[]
  /** By account and action id. */
  done: Map<string, AnsweredAction>
  /** By account. */
  infrastructures: Map<string, Infrastructure>
  /** With those that are spent, since strikes name them by position. */
  plan: { by: string; faults: PlannedFault[] }
}

const blank = (): State => ({
  log: actionLog(),
  calls: [],
  done: new Map(),
  infrastructures: new Map(),
  plan: { by: '', faults: [] },
})
const sideOf = ({ account, orgId }: Effect): string => (orgId === undefined ? account : `${orgId}\n${account}`)
const doneKey = (account: string, id: string): string => `${account}\n${id}`

export class Ledger {
  readonly #journal: Journal
  #state = blank()
  #generation: number
  /** Places of the lines that came too late to count. */
  readonly #void = new Set<number>()
  readonly #writer = randomUUID()
  #written = 0
  /** The line this one waits for, and whether it counted. */
  #own = { by: '', counted: false }

  /** `sizeMax` in bytes: larger journals are written anew when they are opened. Without a folder everything ends with the process. */
  constructor(folder?: string, sizeMax?: number) {
    this.#journal = folder === undefined ? memoryJournal() : fileJournal(folder, shorter, sizeMax)
    this.#generation = this.#journal.generation
    this.catchUp()
  }

  /** Takes in what others have written. Everything below is as of the last time. */
  catchUp(): void {
    const lines = this.#journal.read()
    if (this.#journal.generation !== this.#generation) {
      this.#generation = this.#journal.generation
      this.#state = blank()
      this.#void.clear()
    }
    for (const line of lines) this.#take(line)
  }

  get log(): ActionLog {
    return this.#state.log
  }

  get calls(): readonly MadeCall[] {
    return this.#state.calls
  }

  get planned(): readonly PlannedFault[] {
    return this.#state.plan.faults.filter(({ times }) => times > 0)
  }

  /** What is answered to an action that had its effect before; with a moment, as it is by then. */
  outcomeOf(account: string, id: string, at?: Date): ActionOutcome | undefined {
    const done = this.#state.done.get(doneKey(account, id))
    const isSettled = at !== undefined && done?.settledAt !== undefined && at.getTime() >= done.settledAt
    return isSettled ? { status: 'succeeded' } : done?.outcome
  }

  infrastructureOf(account: string): Infrastructure | undefined {
    return this.#state.infrastructures.get(account)
  }

  /** What the plan has for a call, and the strike to note with it. */
  aimAt(call: Call): Blow & Pick<Entry, 'struck'> {
    const { by, faults } = this.#state.plan
    const { hits, ...blow } = aim(faults, call)
    return hits.length === 0 ? blow : { ...blow, struck: { plan: by, faults: hits } }
  }

  /** Writes what `make` makes of the newest state; made again where another process was faster. */
  note<T extends { entry: Entry }>(make: () => T): T {
    for (;;) {
      this.catchUp()
      const made = make()
      this.#own = { by: `${this.#writer}/${(this.#written += 1)}`, counted: false }
      this.#journal.append(JSON.stringify({ by: this.#own.by, ...made.entry }))
      this.catchUp()
      if (this.#own.counted) return made
    }
  }

  /** Calls from a cursor or a moment on, oldest first, as far back as the journal goes. */
  callsSince(since?: string | Date): { calls: MadeCall[]; next: string } {
    this.catchUp()
    const [generation, place = 0] = typeof since === 'string' ? since.split('.').map(Number) : []
    const after = generation === this.#generation ? place : 0
    const calls: MadeCall[] = []
    let last = after
    for (const line of this.#journal.from(after)) {
      // Place 0 is no call's: lines begin with the end of the one before.
      if (line.at <= after) continue
      last = line.at
      const { call, at } = decodeLine(line) ?? {}
      if (!call || at === undefined || this.#void.has(line.at)) continue
      if (!(since instanceof Date) || new Date(at) >= since) calls.push({ ...call, at: new Date(at) })
    }
    return { calls, next: `${this.#generation}.${last}` }
  }

  close(): void {
    this.#journal.close()
  }

  #take(line: Line): void {
    const written = decodeLine(line)
    const counts = written !== undefined && canApply(this.#state, written)
    if (counts) apply(this.#state, written)
    else this.#void.add(line.at)
    if (written?.by === this.#own.by) this.#own.counted = counts
  }
}

/** Undefined for what a killed process has left of a line. */
function decodeLine({ text }: Line): JournalEntry | undefined {
  try {
    return JSON.parse(text) as JournalEntry
  } catch {
    return undefined
  }
}

/** False for what has had its effect, and for a fault that is spent. */
function canApply({ log, done, infrastructures, plan }: State, { effect, struck }: JournalEntry): boolean {
  if (effect && done.has(doneKey(sideOf(effect), effect.id))) return false
  if (effect?.infrastructure && infrastructures.has(effect.account)) return false
  if (effect && isMade(log, effect)) return false
  return !struck || (struck.plan === plan.by && struck.faults.every((index) => (plan.faults[index]?.times ?? 0) > 0))
}

/** Made, or taken away, by then: under one token that happens once. */
function isMade(log: ActionLog, { account: id, orgId = '', made, unmade }: Effect): boolean {
  const owner = { orgId, id }
  if (made && (log.makings(owner).has(made.token) || log.isRetired(owner, made.token))) return true
  return unmade !== undefined && isUnmade(log, owner, unmade.token)
}

/** Taken away, or never to be made. */
export const isUnmade = (log: ActionLog, owner: Owner, token: string): boolean =>
  log.makings(owner).get(token)?.goneAt !== undefined || log.isRetired(owner, token)

function apply(state: State, { by, at, call, effect, struck, plan }: JournalEntry): void {
  if (plan) state.plan = { by, faults: plan.map((fault) => ({ ...fault })) }
  for (const index of struck?.faults ?? []) state.plan.faults[index]!.times -= 1
  if (effect) applyEffect(state, effect)
  if (!call) return
  state.calls.push({ ...call, at: new Date(at) })
  if (state.calls.length > rememberedMax) state.calls.shift()
}

function applyEffect({ log, done, infrastructures }: State, effect: Effect): void {
  const { account, orgId = '', uid, id, change, alteration, policies, infrastructure, made, unmade, outcome } = effect
  if (change) log.add(account, uid, change)
  if (alteration) log.alter(account, uid, alteration)
  if (policies) log.replace(account, uid, policies)
  if (infrastructure) infrastructures.set(account, infrastructure)
  if (made) log.make({ orgId, id: account }, made)
  if (unmade) log.unmake({ orgId, id: account }, unmade)
  done.set(doneKey(sideOf(effect), id), { outcome, ...(alteration && { settledAt: alteration.at }) })
  if (done.size > rememberedMax) done.delete(done.keys().next().value!)
}

/** What must stay of a journal: what calls did, and what is left of the plan. */
function* shorter(lines: Iterable<Line>): Generator<string> {
  const state = blank()
  for (const line of lines) {
    const written = decodeLine(line)
    if (!written || !canApply(state, written)) continue
    apply(state, written)
    const { by, at, effect } = written
    if (effect) yield JSON.stringify({ by, at, effect })
  }
  const { by, faults } = state.plan
  if (by !== '') yield JSON.stringify({ by, at: new Date(0), plan: faults })
}
