/**
 * Bills, samples and discoveries without end, spread evenly over lanes, and what the stores must hold once they are taken.
 * Everything follows from counters: nothing that was sent is remembered, however long it goes on.
 */
import { plain } from '#engine/value/decimal.ts'
import type { Event } from '#engine/run/publisher.ts'
import { ingestSubject } from '#engine/actor/subject.ts'
import { billingLine, type BillingLine } from '#streams/billing/messages.ts'
import { simulatedCloud } from '#streams/cloud/simulated/connector.ts'
import { metricSample } from '#streams/metric/messages.ts'
import { resourceDiscovered } from '#streams/resource/messages.ts'

/** One cloud account of one organization, and how much of each kind it has been sent. */
export interface Place {
  orgId: string
  account: string
  lane: number
  lines: number
  samples: number
  found: number
}

export type Events = [Event, ...Event[]]

export interface LoadOptions {
  /** Names the organizations: one set of stores may see many loads. */
  run: string
  lanes: number
  /** Accounts in each lane. */
  perLane: number
  /** One line in so many has an id that does not name its day: the engine has to look where it stands. None unless told. */
  undatedEach?: number
}

/** Lines of a day of one account; resources of an account; organizations all accounts belong to. */
const linesOfDay = 1000
const resourcesOfPlace = 100
const organizations = 12
const firstDay = Date.UTC(2025, 0, 1)

/** The lane the server's own mapping puts an account in: FNV-1a over both tokens. A run checks it against the answers. */
function laneOf(orgId: string, account: string, lanes: number): number {
  const [, , org, place] = ingestSubject('billing', orgId, account).split('.')
  let hash = 0x811c9dc5
  for (const byte of Buffer.from(`${org}${place}`)) hash = Math.imul(hash ^ byte, 0x01000193) >>> 0
  return hash % lanes
}

export class Load {
  readonly places: readonly Place[]
  /** What was sent, in 10^-6 US dollars. */
  private micros = 0n
  private readonly template: readonly BillingLine[]
  private readonly run: string
  private readonly undatedEach: number

  private constructor({ run, undatedEach = 0 }: LoadOptions, places: readonly Place[], template: BillingLine[]) {
    this.run = run
    this.undatedEach = undatedEach
    this.places = places
    this.template = template
  }

  static async of(options: LoadOptions): Promise<Load> {
    const { run, lanes, perLane } = options
    const byLane = Array.from({ length: lanes }, (): Place[] => [])
    for (let i = 0; byLane.some((list) => list.length < perLane); i++) {
      const place = { orgId: `bench-${run}-${i % organizations}`, account: `acct-${i}`, lines: 0, samples: 0, found: 0 }
      const lane = laneOf(place.orgId, place.account, lanes)
      if (byLane[lane]!.length < perLane) byLane[lane]!.push({ ...place, lane })
    }
    // One account of each lane after the other, so that whoever goes through them fills all lanes evenly.
    const places = Array.from({ length: perLane }, (_, i) => byLane.map((list) => list[i]!)).flat()
    return new Load(options, places, await billTemplate())
  }

  /** The next lines of an account's bill, each new. */
  bill(place: Place, count: number): Events {
    return Array.from({ length: count }, () => {
      const n = place.lines++
      this.micros += micros(n, 0)
      return this.line(place, n, 0)
    }) as Events
  }

  /** Lines again that were sent `back` lines ago: as they were, or restated with another cost. */
  billAgain(place: Place, back: number, isRestated: boolean): Events | undefined {
    const n = place.lines - back
    if (n < 0) return undefined
    if (isRestated) this.micros += micros(n, 1) - micros(n, 0)
    return [this.line(place, n, isRestated ? 1 : 0)]
  }

  /** The next samples of one resource of the account. */
  samples(place: Place, count: number): Events {
    const first = place.samples
    place.samples += count
    const samples = Array.from({ length: count }, (_, i) => ({
      metric: 'cpu_percent' as const,
      value: (first + i) % 100,
      ts: new Date(firstDay + (first + i) * 1000).toISOString(),
    }))
    const resourceUid = uidOf(place, Math.floor(first / count))
    return [event(place, metricSample, { resourceUid, samples })]
  }

  /** The account's next resources, round and round: the same ones, each time under another name. */
  discovered(place: Place, count: number): Events {
    return Array.from({ length: count }, () => {
      const n = place.found++
      const resource = { resourceUid: uidOf(place, n), name: named(n), type: 'aws-ec2', provider: 'aws' }
      const more = { region: 'us-east-1', status: 'running', tags: { env: 'prod' }, cloudAccountId: place.account }
      return event(place, resourceDiscovered, { ...resource, ...more })
    }) as Events
  }

  /** What must stand: counts, the exact sum of costs, and a resource's newest name. */
  expected() {
    const sum = (of: (place: Place) => number) => this.places.reduce((total, place) => total + of(place), 0)
    return {
      lines: sum(({ lines }) => lines),
      cost: plain(this.micros, 6),
      rollup: plain(this.micros, 6),
      samples: sum(({ samples }) => samples),
      resources: sum(({ found }) => Math.min(found, resourcesOfPlace)),
      newest: sum(({ found }) => Math.min(found, 1)),
      deadLetters: 0,
    }
  }

  /** Organizations of this load, as a pattern of SQL. */
  get like(): string {
    return `bench-${this.run}-%`
  }

  /** Each account's newest resource: what it is known by and called now. */
  newest(): { orgId: string; account: string; uid: string; name: string }[] {
    return this.places
      .filter(({ found }) => found > 0)
      .map((place) => {
        const { orgId, account, found } = place
        return { orgId, account, uid: uidOf(place, found - 1), name: named(found - 1) }
      })
  }

  private line(place: Place, n: number, revision: number): Event {
    const at = firstDay + Math.floor(n / linesOfDay) * 86_400_000
    const day = new Date(at).toISOString().slice(0, 10)
    const isUndated = this.undatedEach > 0 && n % this.undatedEach === 0
    const lineId = isUndated ? `line-${n}` : `${day}/line-${n}`
    const cost = plain(micros(n, revision), 6)
    return event(place, billingLine, {
      ...this.template[n % this.template.length]!,
      lineId,
      cloudAccountId: place.account,
      ChargePeriodStart: `${day}T00:00:00Z`,
      ChargePeriodEnd: new Date(at + 86_400_000).toISOString(),
      exportedAt: new Date(at + 86_400_000 + revision * 3_600_000).toISOString(),
      BilledCost: cost,
      EffectiveCost: cost,
    })
  }
}

/** An organization knows a resource by it whatever the account. */
const uidOf = ({ account }: Place, n: number): string => `${account}/r-${n % resourcesOfPlace}`

const named = (n: number): string => `name-${Math.floor(n / resourcesOfPlace)}-${n % resourcesOfPlace}`

const micros = (n: number, revision: number): bigint => BigInt(1 + ((n * 7919) % 1_000_003) + revision * 1234)

const event = ({ orgId, account }: Place, subject: object, data: object): Event =>
  ({ subject, orgId, place: account, data }) as unknown as Event

/** Lines as a cloud writes them: about 1.6 KB of JSON each. */
async function billTemplate(): Promise<BillingLine[]> {
  const now = new Date('2025-06-30T00:00:00Z')
  const cloud = simulatedCloud({ seed: 'bench', now: () => now, sleep: async () => {}, today: '2025-06-30' })
  const [known] = cloud.accounts
  const account = { ...known!, id: 'acct', orgId: 'o', regions: [], credentials: null }
  for await (const page of cloud.bill(account, '2025-06-01', '2025-06-29')) return page
  return []
}
