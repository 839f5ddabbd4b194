/**
 * The state of the simulated cloud, from its journal: power changes and alterations, completed actions, calls, planned
 * faults. All processes that share a folder get the same state: whether a line counts depends only on earlier lines,
 * and a process whose line did not count tries again.
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

/** A call and its outcome. */
export interface MadeCall extends Call {
  at: Date
  outcome: 'ok' | Bucket
  /** Id of the action or request, for calls that change something. */
  id?: string
  /** Parameters: the size of a resize, the counts of a scale, the specs of a set. */
  detail?: { size?: string; counts?: Partial<Capacity>; specs?: Readonly<Record<string, unknown>> }
  /** True if the change had already taken effect, so this call changed nothing. */
  repeated?: true
}

/** The effect of a call. It is in the same line as the call, so that neither is recorded without the other. */
export interface Effect {
  account: string
  /** For creations and deletions. */
  orgId?: string
  /** Empty for effects on the whole account. */
  uid: string
  id: string
  change?: PowerChange
  /** For actions that change nothing, it contains how long they take. */
  alteration?: Alteration
  /** The resource's scaling policies from now on. */
  policies?: readonly NativePolicy[]
  infrastructure?: Infrastructure
  /** What provisioning created, and what it deleted. */
  made?: Making
  unmade?: Unmaking
  outcome: ActionOutcome
}

/** Content of a line. */
export interface Entry {
  at: Date
  call?: Omit<MadeCall, 'at'>
  effect?: Effect
  /** The planned faults that this line uses up once. */
  struck?: { plan: string; faults: readonly number[] }
  /** Replaces the previous plan. */
  plan?: readonly PlannedFault[]
}

interface JournalEntry extends Omit<Entry, 'at'> {
  /** Id of the line; a plan is identified by that of its line. */
  by: string
  at: string
}

/** Maximum calls and outcomes kept in memory; the newest are kept. */
export const rememberedMax = 10_000

/** The answer to an action, and when it is complete: milliseconds since 1970. */
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
  /** Includes used faults, because lines refer to them by position. */
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
  /** Positions of lines that came too late to count. */
  readonly #void = new Set<number>()
  readonly #writer = randomUUID()
  #written = 0
  /** The line that this process waits for, and whether it counted. */
  #own = { by: '', counted: false }

  /**
   * `sizeMax` in bytes: larger journals are replaced when they are opened. Without a folder the state is lost with the
   * process.
   */
  constructor(folder?: string, sizeMax?: number) {
    this.#journal = folder === undefined ? memoryJournal() : fileJournal(folder, shorter, sizeMax)
    this.#generation = this.#journal.generation
    this.catchUp()
  }

  /** Reads lines of other processes. The methods below use the state of the last call. */
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

  /** The answer to an action that already took effect; with a time, as of then. */
  outcomeOf(account: string, id: string, at?: Date): ActionOutcome | undefined {
    const done = this.#state.done.get(doneKey(account, id))
    const isSettled = at !== undefined && done?.settledAt !== undefined && at.getTime() >= done.settledAt
    return isSettled ? { status: 'succeeded' } : done?.outcome
  }

  infrastructureOf(account: string): Infrastructure | undefined {
    return this.#state.infrastructures.get(account)
  }

  /** The plan's effects on a call, and what to record for them. */
  aimAt(call: Call): Blow & Pick<Entry, 'struck'> {
    const { by, faults } = this.#state.plan
    const { hits, ...blow } = aim(faults, call)
    return hits.length === 0 ? blow : { ...blow, struck: { plan: by, faults: hits } }
  }

  /** Writes the entry that `make` makes from the newest state; calls `make` again if another process was faster. */
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

  /** Calls from a cursor or time on, oldest first, as far back as the journal reaches. */
  callsSince(since?: string | Date): { calls: MadeCall[]; next: string } {
    this.catchUp()
    const [generation, place = 0] = typeof since === 'string' ? since.split('.').map(Number) : []
    const after = generation === this.#generation ? place : 0
    const calls: MadeCall[] = []
    let last = after
    for (const line of this.#journal.from(after)) {
      // No call has position 0, because each line begins with the previous line's end.
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

/** Undefined for an incomplete line of a killed process. */
function decodeLine({ text }: Line): JournalEntry | undefined {
  try {
    return JSON.parse(text) as JournalEntry
  } catch {
    return undefined
  }
}

/** False if the action has already taken effect or the planned fault is used up. */
function canApply({ log, done, infrastructures, plan }: State, { effect, struck }: JournalEntry): boolean {
  if (effect && done.has(doneKey(sideOf(effect), effect.id))) return false
  if (effect?.infrastructure && infrastructures.has(effect.account)) return false
  if (effect && isMade(log, effect)) return false
  return !struck || (struck.plan === plan.by && struck.faults.every((index) => (plan.faults[index]?.times ?? 0) > 0))
}

/** Whether the token has already created or deleted its objects; each happens only once. */
function isMade(log: ActionLog, { account: id, orgId = '', made, unmade }: Effect): boolean {
  const owner = { orgId, id }
  if (made && (log.makings(owner).has(made.token) || log.isRetired(owner, made.token))) return true
  return unmade !== undefined && isUnmade(log, owner, unmade.token)
}

/** Deleted, or retired before it was created. */
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

/** The lines that must be kept of a journal: effects of calls, and the rest of the plan. */
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
