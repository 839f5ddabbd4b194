/** Accounts that are scanned again and again, and what must be there and gone at the end. */
import type { Item, Pick } from '#test/harness/load.ts'

/** Accounts that are scanned at a time, and scans of each before another account takes its place. */
const atOnce = 2
const scansMax = 6
const uids = ['a', 'b', 'c', 'd', 'e', 'f']
const minuteMs = 60_000

interface Options {
  seed: number
  orgs: number
}

interface Scanned {
  orgId: string
  account: string
  scans: number
}

/** One whole scan after the other: its beginning, what it finds, its end. Times rise from scan to scan of an account. */
export class ScanLoad {
  private readonly options: Options
  private readonly pick: Pick
  private readonly under: Scanned[] = []
  private accounts = 0

  constructor(options: Options, pick: Pick) {
    this.options = options
    this.pick = pick
  }

  run(): Item[] {
    const { seed, orgs } = this.options
    while (this.under.length < atOnce) {
      const account = `scan-${this.accounts++}`
      this.under.push({ orgId: `chaos-${seed}-${this.pick(orgs)}`, account, scans: 0 })
    }
    const nth = this.pick(this.under.length)
    const items = this.scan(this.under[nth]!)
    if (++this.under[nth]!.scans === scansMax) this.under.splice(nth, 1)
    return items
  }

  /** One in six fails: what it found is there, nothing is gone. */
  private scan({ orgId, account, scans }: Scanned): Item[] {
    const refreshId = `scan-${scans}`
    const began = Date.UTC(2026, 3, 1, scans)
    const item = (minute: number, kind: Item['kind'], data: object): Item => ({
      id: `${account}-${scans}-${minute}`,
      orgId,
      account,
      time: new Date(began + minute * minuteMs).toISOString(),
      kind,
      data: { provider: 'aws', cloudAccountId: account, refreshId, ...data },
    })
    const finds = uids
      .filter(() => this.pick(3) > 0)
      .map((resourceUid, nth) =>
        item(1 + nth, 'resource', {
          resourceUid,
          name: resourceUid,
          type: 'aws-ec2',
          region: 'us-east-1',
          status: 'running',
        }),
      )
    const status = this.pick(6) === 0 ? 'failed' : 'completed'
    const first = finds.slice(0, 1).map((find): Item => ({ ...find, behind: true }))
    return [
      { ...item(0, 'scan', { status: 'running', discovered: 0 }), behind: true },
      ...first,
      ...finds.slice(1),
      { ...item(30, 'scan', { status, discovered: finds.length }), behind: true },
    ]
  }
}

/** Resources of scanned accounts, taken in order. */
export class ScanOracle {
  /** By `<org>|<account>|<uid>`: the scan that found it last, and when it was gone. */
  private readonly known = new Map<string, { scan: string; goneAt: string | undefined }>()

  take({ orgId, account, time, kind, data }: Item): void {
    const prefix = `${orgId}|${account}|`
    const scan = String(data['refreshId'])
    if (kind === 'resource') this.known.set(prefix + String(data['resourceUid']), { scan, goneAt: undefined })
    else if (data['status'] === 'completed')
      for (const [key, one] of this.known) if (key.startsWith(prefix) && one.scan !== scan) one.goneAt ??= time
  }

  present(): [string, string][] {
    const there = [...this.known].filter(([, { goneAt }]) => goneAt === undefined)
    return there.map(([key]) => [key, key.split('|')[2]!])
  }

  gone(): [string, string][] {
    return [...this.known].flatMap(([key, { goneAt }]) => (goneAt === undefined ? [] : [[key, goneAt]]))
  }
}
