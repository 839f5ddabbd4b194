/** Organizations whose costs are made up: by chance, but the same from the same seed, with causes planted that are known. */
import { addDays } from '#engine/value/day.ts'
import type { ClickHouseClient } from '@clickhouse/client'
import { between } from '#streams/cloud/simulated/world/prng.ts'
import { fact } from '#test/harness/clickhouse.ts'
import { writeFacts, type Fact } from '#test/harness/detection.ts'

/** The analysed day, a Friday. */
export const analysed = '2026-03-20'
export const dayAt = (offset: number): string => addDays(analysed, offset)
export const isWeekend = (offset: number): boolean => new Date(dayAt(offset)).getUTCDay() % 6 === 0

/** A cause that was planted, and how its name and what follows must begin. */
export interface Planted {
  kind: string
  orgId: string
  type: string
  key: string
  begins: string
}

/** Draws one after the other. */
export interface Dice {
  /** A number from `low` to `high`. */
  from: (low: number, high: number) => number
  whole: (low: number, high: number) => number
  /** True with this chance. */
  chance: (share: number) => boolean
  one: <T>(of: readonly T[]) => T
}

export function dice(seed: string): Dice {
  let draws = 0
  const from = (low: number, high: number) => between(low, high, seed, ++draws)
  const whole = (low: number, high: number) => Math.floor(from(low, high + 1))
  return {
    from,
    whole,
    chance: (share) => from(0, 1) < share,
    one: (of) => of[whole(0, of.length - 1)]!,
  }
}

/** One resource: what it is charged on each day that it has, by offset from the analysed day. */
export interface Resource {
  uid: string
  account: string
  type: string
  days: Map<number, Charge>
  /** US dollars a day for a disk, charged beside the use and the same every day. */
  diskUsd?: number
}

export interface Charge {
  /** Hours, or units of `unit`. */
  used: number
  /** US dollars an hour or a unit. */
  rate: number
  purchase?: 'on_demand' | 'reserved' | 'savings_plan' | 'spot'
  unit?: string
  /** The bill says the rate, not only the cost. */
  isTold?: boolean
}

export const costOn = ({ days }: Resource, offset: number): number => {
  const charge = days.get(offset)
  return charge ? charge.used * charge.rate : 0
}

/** A resource that does what it always does, for 14 to 30 days before: hours vary by 10 % either way. */
export function steady(draw: Dice, uid: string, account: string, type: string): Resource {
  // A dollar a day at least, reserved too: below that nothing is judged.
  const rate = draw.from(0.7, 4)
  const hours = draw.from(6, 10)
  const dip = draw.chance(0.3) ? draw.from(0.3, 0.8) : 1
  // A change of price that is no cause: by less than half.
  const change = draw.chance(0.3) ? { at: -draw.whole(2, 12), share: draw.from(0.7, 1) } : { at: -99, share: 1 }
  const isTold = draw.chance(0.7)
  const days = new Map<number, Charge>()
  for (let offset = -draw.whole(14, 30); offset <= 0; offset++)
    days.set(offset, {
      used: hours * draw.from(0.9, 1.1) * (isWeekend(offset) ? dip : 1),
      rate: rate * (offset < change.at ? change.share : 1),
      isTold,
    })
  return { uid, account, type, days, ...(draw.chance(0.3) && { diskUsd: draw.from(0.01, 0.2) }) }
}

/** Everything that has to be known before the day can be judged. */
export class World {
  readonly planted: Planted[] = []
  private readonly facts: Fact[] = []
  private readonly rows = new Map<string, object[]>()
  readonly orgId: string

  constructor(orgId: string) {
    this.orgId = orgId
  }

  plant(planted: Omit<Planted, 'orgId'>): void {
    this.planted.push({ ...planted, orgId: this.orgId })
  }

  bill({ uid, account, type, days, diskUsd }: Resource): void {
    for (const [offset, { used, rate, purchase = 'on_demand', unit, isTold }] of days) {
      const day = dayAt(offset)
      const about = { x_Day: day, x_CloudAccountId: account, ResourceId: uid, ResourceType: type }
      this.facts.push(
        fact(this.orgId, `${day}/${uid}`, (used * rate).toFixed(8), {
          ...about,
          x_PurchaseType: purchase,
          ...(unit ? { ConsumedQuantity: used.toFixed(8), ConsumedUnit: unit } : { x_UsageHours: used }),
          ...(isTold && { x_HourlyRateUSD: rate }),
        }),
      )
      if (diskUsd === undefined) continue
      const disk = { ...about, ConsumedQuantity: '1', ConsumedUnit: 'GB-Months' }
      this.facts.push(fact(this.orgId, `${day}/${uid}/disk`, diskUsd.toFixed(8), disk))
    }
  }

  failedStop(uid: string, offset: number, status: string): void {
    this.put('scheduler_event', {
      resource_uid: uid,
      triggered_at: `${dayAt(offset)} 18:00:00.000`,
      schedule_id: 'nights',
      action: 'stop',
      status,
      event_id: `${uid}/stop`,
    })
  }

  /** A team or a group, and since when it has which members. */
  membership(type: 'team' | 'resource_group', id: string, members: readonly { uid: string; since: number }[]): void {
    const isTeam = type === 'team'
    const name = isTeam ? 'team_id' : 'group_id'
    this.put(isTeam ? 'team_state' : 'resource_group_state', { [name]: id, name: id, deleted: 0 })
    for (const { uid, since } of members) {
      const at = `${dayAt(since)} 12:00:00.000`
      const about = { [name]: id, resource_uid: uid }
      if (isTeam) this.put('team_assignment', { ...about, assigned_at: at })
      else this.put('resource_group_member', { ...about, added_at: at, removed: 0 })
    }
  }

  private put(table: string, row: object): void {
    const rows = this.rows.get(table) ?? []
    rows.push({ org_id: this.orgId, ...row, x_Version: '1' })
    this.rows.set(table, rows)
  }

  /** Writes several organizations at once. */
  static async write(ch: ClickHouseClient, worlds: readonly World[]): Promise<void> {
    const tables = new Set(worlds.flatMap(({ rows }) => [...rows.keys()]))
    for (const table of tables) {
      const values = worlds.flatMap(({ rows }) => rows.get(table) ?? [])
      await ch.insert({ table, format: 'JSONEachRow', values })
    }
    await writeFacts(
      ch,
      worlds.flatMap(({ facts }) => facts),
    )
  }
}
