/** ClickHouse as far as bills need it: keyed, versioned rows, and the statements that read them, known by what they say. */
import type { ClickHouseClient, TupleParam } from '@clickhouse/client'
import type { StoredBill } from '#analytics/billing/bill.ts'
import type { FactRow, Reads } from '#engine/actor/ports.ts'
import { org } from '#test/sim/bill/state.ts'

/** Highest version first comes to show; a deleted row hides its key. */
class Keyed {
  private readonly rows = new Map<string, FactRow>()
  private readonly key: readonly string[]

  constructor(...key: string[]) {
    this.key = key
  }

  put(row: FactRow): void {
    const key = this.keyOf(row)
    const shown = this.rows.get(key)
    if (!shown || (row['x_Version'] as bigint) >= (shown['x_Version'] as bigint)) this.rows.set(key, row)
  }

  keyOf(row: FactRow): string {
    return this.key.map((column) => row[column]).join('\0')
  }

  all(): FactRow[] {
    return [...this.rows.values()].filter((row) => row['x_Deleted'] !== 1)
  }

  get(key: string): FactRow | undefined {
    return this.rows.get(key)
  }
}

/** What a day was worked out from: rows by `<period>/<export>`, the export empty for lines from before exports were known. */
export interface Sources {
  rows: ReadonlyMap<string, number>
  /** How many exports were complete when they were read. */
  closings: number
}

/** One group of a day's sums. */
interface Slot {
  day: string
  group: string
  generation: number
  cost: number
  lines: number
}

export interface Day {
  account: string
  day: string
  slot: number
  generation: number
  bills: readonly StoredBill[]
  sources: Sources
}

const text = (row: FactRow, name: string): string => (row[name] as string | undefined) ?? ''
export const groupOf = (row: FactRow): string =>
  ['ResourceId', 'ServiceName', 'RegionId'].map((name) => text(row, name)).join('|')
/** What estimates and actual lines are of. */
export const chargeOf = (row: FactRow): string => text(row, 'ResourceId') || `service ${text(row, 'ServiceName')}`
export const costOf = (row: FactRow): number => Number(row['BilledCost'])
const accountOf = (row: FactRow): string => text(row, 'x_CloudAccountId')
const dayOf = (row: FactRow): string => text(row, 'x_Day')

/** The billing period of a line that came alone, or before exports were known. */
export const periodOf = (row: FactRow): string => (text(row, 'BillingPeriodStart') || dayOf(row)).slice(0, 7)

/** Where actual lines are among `rows`, the estimates of the same charges do not count. */
export function counted(rows: readonly FactRow[]): FactRow[] {
  const of = (row: FactRow) => `${dayOf(row)}|${chargeOf(row)}`
  const actual = new Set(rows.filter((row) => row['x_Source'] === 'actual').map(of))
  return rows.filter((row) => row['x_Source'] === 'actual' || !actual.has(of(row)))
}

const sourceOf = (row: FactRow): string | undefined => {
  if (row['x_ExportId'] !== undefined) return `${text(row, 'x_BillingPeriod')}/${text(row, 'x_ExportId')}`
  return row['x_Lone'] === 1 ? undefined : `${periodOf(row)}/`
}

export class Facts {
  readonly costFact = new Keyed('x_CloudAccountId', 'x_Day', 'x_LineId')
  readonly billLine = new Keyed('x_CloudAccountId', 'x_BillingPeriod', 'x_ExportId', 'x_Day', 'x_LineId')
  readonly lineDay = new Keyed('cloud_account_id', 'line_id')
  private readonly slots = new Map<string, Slot>()
  /** By account, day and generation. */
  private readonly sources = new Map<string, Sources>()
  private readonly days = new Map<string, Day>()
  /** Told behind every publication, of its days. */
  published: (generation: string, days: readonly string[]) => void = () => {}
  /** Told when rows that are shown are written over. */
  lost: (day: string) => void = () => {}
  /** Exports that are complete by now. */
  closings = 0

  insert(name: string, rows: readonly FactRow[]): void {
    // Which accounts are connected is no matter of exports.
    if (name === 'account_state') return
    const table = { cost_fact: this.costFact, bill_line: this.billLine, cost_line_day: this.lineDay }[name]
    if (!table) throw new Error(`the model knows no table ${name}`)
    for (const row of rows) table.put(row)
  }

  shownDays(): Day[] {
    return [...this.days.values()]
  }

  day(account: string, day: string): Day | undefined {
    return this.days.get(`${account}|${day}`)
  }

  /** What reports show of an account: cost and lines by day and group. */
  sums(account: string): Record<string, string> {
    const found: [string, string][] = []
    for (const slot of this.slots.values()) {
      if (!slot.day.startsWith(`${account}|`) || this.days.get(slot.day)?.generation !== slot.generation) continue
      found.push([`${slot.day.slice(account.length + 1)} ${slot.group}`, `${slot.cost} in ${slot.lines}`])
    }
    return Object.fromEntries(found.toSorted(([a], [b]) => (a < b ? -1 : 1)))
  }

  reads(step: () => Promise<void>): Reads['facts'] {
    return async (sql, params) => {
      await step()
      if (sql.includes('FROM cost_line_day')) return this.standing(params as never) as never[]
      if (sql.includes('FROM bill_line FINAL')) return this.counts(params as never) as never[]
      if (sql.includes('FROM cost_fact FINAL') && sql.includes('x_Lone = 0'))
        return this.old(params as never) as never[]
      throw new Error(`the model knows no such statement: ${sql}`)
    }
  }

  private standing({ account, lines }: { account: string; lines: readonly string[] }): object[] {
    return lines.flatMap((line_id) => {
      const row = this.lineDay.get(`${account}\0${line_id}`)
      return row
        ? [
            {
              line_id,
              day: row['day'],
              from_day: row['from_day'],
              from_days: row['from_days'] ?? '',
              version: String(row['x_Version']),
            },
          ]
        : []
    })
  }

  private counts({ account, bills }: { account: string; bills: readonly TupleParam[] }): object[] {
    const wanted = new Set(bills.map(({ values }) => values.join('/')))
    return summed(this.billLine.all().filter((row) => accountOf(row) === account && wanted.has(sourceOf(row)!)))
  }

  private old({ account, periods }: { account: string; periods: readonly string[] }): object[] {
    const own = this.costFact.all().filter((row) => accountOf(row) === account && row['x_Lone'] !== 1)
    return summed(own.filter((row) => periods.includes(periodOf(row))))
  }

  /** As one process has it. */
  client(step: () => Promise<void>): ClickHouseClient {
    const query = async ({ query: sql, query_params }: { query: string; query_params: never }) => {
      await step()
      // Bills of one account alone never have the same charges.
      if (sql.includes('{orgs:Array(String)}')) return { json: async () => [] }
      const rows = sql.includes('{accounts:') ? this.untyped(query_params) : this.inspected(query_params)
      return { json: async () => rows }
    }
    const command = async ({ query: sql, query_params }: { query: string; query_params: never }) => {
      await step()
      if (sql.includes('INSERT INTO cost_daily_slot')) await this.fill(query_params, step)
      else if (!besideSums.test(sql)) throw new Error(`the model knows no such statement: ${sql}`)
    }
    const insert = async ({ table, values }: { table: string; values: readonly Stored[] }) => {
      await step()
      if (table !== 'cost_day') throw new Error(`the model knows no table ${table}`)
      for (const value of values) this.publish(value)
      this.published(
        values[0]?.generation ?? '',
        values.map(({ day, bills }) => `${day} ${JSON.stringify(bills)}`),
      )
      await step()
    }
    return { query, command, insert } as unknown as ClickHouseClient
  }

  private inspected({ days, bills }: Work): object[] {
    return days.flatMap(({ values }) => {
      const [, account, day] = values as [string, string, string]
      const shown = this.day(account, day)
      const rows = this.rowsOf(this.costFact, [account, day], bills).concat(
        this.rowsOf(this.billLine, [account, day], bills),
      )
      if (!shown && rows.length === 0) return []
      return {
        org_id: org,
        cloud_account_id: account,
        day,
        published: shown?.slot ?? -1,
        generation: String(shown?.generation ?? 0),
        bills: shown?.bills ?? [],
        ...notKept,
        lines: String(rows.length),
        estimates: Number(rows.some((row) => row['x_Source'] === 'estimate')),
      }
    })
  }

  /** As the view bill_row has it, of one of its two tables. */
  private rowsOf(table: Keyed, [account, day]: readonly [string, string], bills: readonly TupleParam[]): FactRow[] {
    const own = bills.map(({ values }) => values as string[]).filter(([, of]) => of === account)
    const names = new Set(own.map(([, , period, id]) => `${period}/${id}`))
    const periods = new Set(own.map(([, , period]) => period))
    return table.all().filter((row) => {
      if (accountOf(row) !== account || dayOf(row) !== day) return false
      if (table === this.billLine) return names.has(sourceOf(row)!)
      return row['x_Lone'] === 1 || !periods.has(periodOf(row))
    })
  }

  /** The two tables are read one behind the other. */
  private async fill({ days, bills, slot, behind, generation }: Work, step: () => Promise<void>): Promise<void> {
    const places = days.map(({ values }) => values.slice(1) as [string, string])
    const next = new Set(behind.map(({ values: [, account, day] }) => `${String(account)}|${String(day)}`))
    const { closings } = this
    const alone = places.map((place) => this.rowsOf(this.costFact, place, bills))
    await step()
    const exported = places.map((place) => this.rowsOf(this.billLine, place, bills))
    for (const [i, [account, day]] of places.entries()) {
      const rows = [...alone[i]!, ...exported[i]!]
      const from = Map.groupBy(rows, sourceOf)
      const sources = [...from].flatMap(([name, of]) => (name === undefined ? [] : [[name, of.length] as const]))
      this.sources.set(`${account}|${day}|${generation}`, { rows: new Map(sources), closings })
      for (const [group, of] of Map.groupBy(counted(rows), groupOf)) {
        const id = `${account}|${day}|${slot + Number(next.has(`${account}|${day}`))}|${group}`
        const stood = this.slots.get(id)
        if (stood && stood.generation > Number(generation)) continue
        if (stood && stood.generation === this.days.get(stood.day)?.generation) this.lost(stood.day)
        const cost = of.reduce((sum, row) => sum + costOf(row), 0)
        this.slots.set(id, { day: `${account}|${day}`, group, generation: Number(generation), cost, lines: of.length })
      }
    }
  }

  private publish({ cloud_account_id: account, day, slot, generation, bills }: Stored): void {
    const id = `${account}|${day}`
    if ((this.days.get(id)?.generation ?? 0) > Number(generation)) return
    const sources = this.sources.get(`${id}|${generation}`) ?? { rows: new Map(), closings: 0 }
    this.days.set(id, { account, day, slot, generation: Number(generation), bills, sources })
  }

  /** As if every day had a charge whose type has come to be known. */
  private untyped({ accounts }: { accounts: readonly string[] }): object[] {
    return this.shownDays()
      .filter(({ account }) => accounts.includes(account))
      .map(({ account, day, bills }) => ({ cloud_account_id: account, day, bills }))
  }
}

/** Written beside the sums, of which the model keeps nothing. */
const besideSums = /INSERT INTO (cost_service_daily_slot|usage_daily_slot|billed_tag)/

/** Of a day of which no earlier sums are worth keeping. */
const notKept = {
  published_at: '0',
  before_generation: '0',
  before_at: '0',
  kept: '0',
  kept_until: '0',
  untyped: 0,
  tagged: 0,
}

interface Work {
  days: readonly TupleParam[]
  /** Those of them that go to the slot behind. */
  behind: readonly TupleParam[]
  bills: readonly TupleParam[]
  slot: number
  generation: string
}

interface Stored {
  cloud_account_id: string
  day: string
  slot: number
  generation: string
  bills: readonly StoredBill[]
}

function summed(rows: readonly FactRow[]): object[] {
  return [...Map.groupBy(rows, (row) => `${sourceOf(row)}/${dayOf(row)}`)].map(([name, of]) => {
    const [period, id, day] = name.split('/')
    const sum = String(of.reduce((total, row) => total + costOf(row), 0))
    const times = of.map((row) => `${String(row['x_ExportedAt'])}Z`).toSorted()
    return {
      period,
      export: id,
      day,
      lines: of.length,
      billed: sum,
      effective: sum,
      oldest: times[0],
      newest: times.at(-1),
    }
  })
}
