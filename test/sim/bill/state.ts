/** PostgreSQL as far as bills need it: account rows, lanes with their fences, reminders, and marks with their stamps. */
import { costLinks } from '#analytics/rollup/stale-day/cost-link.ts'
import type { CloudAccount } from '#actors/account/entity.ts'
import type { TurnOutcome } from '#engine/lane/message/mailbox.ts'
import type { MarkRow, Reads, StateStore } from '#engine/actor/ports.ts'
import type { Subject } from '#engine/actor/subject.ts'

export const org = 'o1'

export interface Entry {
  /** One more than its place in the log. */
  seq: number
  /** Milliseconds since 1970. */
  at: number
  subject: Subject
  data: object
  reminded?: { name: string; due: number }
}

/** The lane of one account. */
export interface Lane {
  account: string
  log: Entry[]
  epoch: number
  cursor: number
}

/** Of an account, as plain data. */
export type Row = Pick<CloudAccount, 'bills' | 'oldThrough'> & Record<string, unknown>

export interface Mark {
  projection: string
  key: string
  stamp: number
  /** The run that turns over what it is of; 0: none. */
  turning: number
}

export class State {
  readonly accounts = new Map<string, Row>()
  readonly marks = new Map<string, Mark>()
  /** Due times by `reminderId`. */
  readonly reminders = new Map<string, number>()
  /** How often what was worked out has been counted. */
  counted = 0
  /** Told when that, or what is turning over, has changed. */
  turned: () => void = () => {}
  private drawn = 0

  mark(projection: string, key: string): void {
    const id = `${projection}\0${key}`
    this.marks.set(id, { projection, key, stamp: ++this.drawn, turning: this.marks.get(id)?.turning ?? 0 })
  }

  /** What answers stand under: the same while they may be given on; undefined while something turns over. */
  get edition(): number | undefined {
    return [...this.marks.values()].some(({ turning }) => turning > 0) ? undefined : this.counted
  }

  /** All of it or, when another owner has moved the lane or taken it, nothing. */
  commit(lane: Lane, fence: { epoch: number; from: number; to: number }, outcome: TurnOutcome | undefined): boolean {
    if (lane.epoch !== fence.epoch || lane.cursor !== fence.from) return false
    lane.cursor = fence.to
    if (!outcome) return true
    this.accounts.set(lane.account, outcome.state as Row)
    // Which accounts are connected is no matter of exports.
    for (const { projection, key } of outcome.marks) if (projection !== costLinks.name) this.mark(projection, key)
    for (const [name, set] of outcome.reminders) {
      if (set) this.reminders.set(reminderId(lane.account, name), set.due)
      else this.reminders.delete(reminderId(lane.account, name))
    }
    return true
  }

  /** The statements that bills lead to, by what they say. */
  rows: Reads['rows'] = async (sql, params) => {
    if (sql.includes("bills -> 'shown'")) return this.shown(params[1] as readonly string[]) as never[]
    if (sql.startsWith('select bills, old_through')) {
      const row = this.accounts.get(params[1] as string)
      return (row ? [{ bills: row.bills, oldThrough: row.oldThrough }] : []) as never[]
    }
    throw new Error(`the model knows no such statement: ${sql}`)
  }

  private shown(ids: readonly string[]): object[] {
    return ids.toSorted().flatMap((id) => {
      const shown = this.accounts.get(id)?.bills.shown ?? {}
      return Object.keys(shown).length === 0 ? [] : [{ orgId: org, cloudAccountId: id, shown }]
    })
  }

  /** As one process has it; `step` lets others go on before a statement, and may never come back. */
  store(step: () => Promise<void>, marksMax: number): StateStore {
    const marks: StateStore['marks'] = async (_, max, beside) => {
      await step()
      const found = this.oldest(Math.min(max, marksMax))
      if (found.length > 0) await beside?.(found, this.rows)
      return found
    }
    const begin: StateStore['begin'] = async (taken) => {
      await step()
      const generation = ++this.drawn
      for (const mark of taken) {
        const row = this.marks.get(markId(mark))
        if (row) row.stamp = generation
      }
      return String(generation)
    }
    const rows: Reads['rows'] = async (sql, params) => {
      await step()
      return this.rows(sql, params)
    }
    const turnOver: StateStore['turnOver'] = async (taken, generation) => {
      await step()
      for (const row of this.rowsOf(taken)) row.turning = Math.max(row.turning, Number(generation))
      this.turned()
    }
    const unmark: StateStore['unmark'] = async (taken, generation) => {
      await step()
      const known = this.rowsOf(taken)
      for (const row of known) {
        if (row.stamp === Number(generation)) this.marks.delete(markId(row))
        else if (row.turning === Number(generation)) row.turning = 0
      }
      if (known.length > 0) this.counted++
      this.turned()
    }
    return { marks, begin, rows, turnOver, unmark } as StateStore
  }

  private rowsOf(taken: readonly MarkRow[]): Mark[] {
    return taken.flatMap((mark) => this.marks.get(markId(mark)) ?? [])
  }

  /** Whole groups, those that wait longest first. */
  private oldest(max: number): MarkRow[] {
    const all = [...this.marks.values()].toSorted((a, b) => a.stamp - b.stamp)
    const taken: MarkRow[] = []
    for (const group of Map.groupBy(all, ({ projection, key }) => `${projection}\0${key.split('|')[0]}`).values()) {
      if (taken.length > 0 && taken.length + group.length > max) break
      taken.push(...group.map(({ projection, key, stamp }) => ({ projection, key, orgId: org, stamp: String(stamp) })))
    }
    return taken
  }
}

export const markId = ({ projection, key }: Pick<MarkRow, 'projection' | 'key'>): string => `${projection}\0${key}`
export const reminderId = (account: string, name: string): string => `${account}\0${name}`
