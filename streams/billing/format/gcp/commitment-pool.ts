/**
 * What Google's committed use costs each resource. Its exports have fees on lines of their own and credits at what was used; which fee paid
 * for which credit they do not say. So fees and credits of one kind are pooled hour by hour: of the fees, as much as the credits come to is
 * used, and stands where the credits are; the rest is unused, and stays with the fees.
 */
import { moneyPlaces } from '#streams/billing/line/precision.ts'
import { plain, toUnits } from '#engine/value/decimal.ts'

/** A fee, or a use that was credited: what tells which of them belong together. */
export interface CommitmentScope {
  billingAccount: string
  /** By spend, or by resources. */
  kind: 'dollar' | 'resource'
  service: string
  region: string
  /** `cpu`, `ram`, `gpu`, `ssd`, or empty. */
  component: string
  /** ISO 8601, UTC. */
  start: string
  end: string
}

export interface Fee extends CommitmentScope {
  /** The subscription, where the bill names it, else what was bought. */
  commitment: string
  /** Decimal text in the currency of the bill. */
  amount: string
}

export interface Use extends CommitmentScope {
  /** Of the credit, above 0. */
  amount: string
}

interface Sum {
  fees: bigint
  credits: bigint
  /** Given out of each so far, in the order of the lines, so that the parts add up to the last digit. */
  feesSeen: bigint
  creditsSeen: bigint
}

const spans = [
  [3_600_000, 13],
  [86_400_000, 10],
  [Infinity, 7],
] as const

export class CommitmentPool {
  private readonly sums = new Map<string, Sum>()
  private readonly fees: { at: CommitmentScope; amount: bigint }[] = []
  private readonly credits = new Map<string, { at: CommitmentScope; amount: bigint }>()
  /** Names of what was bought, by pool. */
  private readonly names = new Map<string, Set<string>>()
  /** What kinds of fees a billing account has: services of those by spend, components and regions of those by resources. */
  private readonly bought = new Set<string>()
  /** Milliseconds of the longest line. */
  private span = 0
  private isClosed = false

  addFee(fee: Fee): void {
    this.noteSpan(fee)
    this.fees.push({ at: fee, amount: units(fee.amount) })
    this.bought.add(kindOf(fee))
    const names = this.names.get(kindOf(fee)) ?? new Set()
    this.names.set(kindOf(fee), names.add(fee.commitment))
  }

  addUse(use: Use): void {
    this.noteSpan(use)
    const key = JSON.stringify([
      use.billingAccount,
      use.kind,
      use.service,
      use.region,
      use.component,
      use.start,
      use.end,
    ])
    const found = this.credits.get(key)
    if (found) found.amount += units(use.amount)
    else this.credits.set(key, { at: use, amount: units(use.amount) })
  }

  private noteSpan({ start, end }: CommitmentScope): void {
    const ms = Date.parse(end) - Date.parse(start)
    if (ms > this.span) this.span = ms
  }

  /** What of the fees a credited use costs, as decimal text. */
  ofUse(use: Use): string {
    const sum = this.sumOf(use)
    if (!sum || sum.credits <= 0n) return '0'
    const before = (computeUsed(sum) * sum.creditsSeen) / sum.credits
    sum.creditsSeen += units(use.amount)
    return plain((computeUsed(sum) * sum.creditsSeen) / sum.credits - before, moneyPlaces)
  }

  /** What of a fee nobody used, as decimal text. */
  unused(fee: Fee): string {
    const sum = this.sumOf(fee)
    if (!sum || sum.fees <= 0n) return fee.amount
    const rest = sum.fees - computeUsed(sum)
    const before = (rest * sum.feesSeen) / sum.fees
    sum.feesSeen += units(fee.amount)
    return plain((rest * sum.feesSeen) / sum.fees - before, moneyPlaces)
  }

  /** Whether the bill has a fee that may have paid for the use. */
  hasFee(use: CommitmentScope): boolean {
    return this.poolOf(use) !== ''
  }

  /** The one commitment that may have paid for the use; undefined where it may be several, or none is known. */
  commitmentOf(use: CommitmentScope): string | undefined {
    const names = this.names.get(this.poolOf(use))
    return names?.size === 1 ? [...names][0] : undefined
  }

  private sumOf(line: CommitmentScope): Sum | undefined {
    if (!this.isClosed) this.close()
    return this.sums.get(this.keyOf(line))
  }

  private close(): void {
    this.isClosed = true
    for (const { at, amount } of this.fees) this.sum(at).fees += amount
    for (const { at, amount } of this.credits.values()) this.sum(at).credits += amount
    this.fees.length = 0
    this.credits.clear()
  }

  private sum(line: CommitmentScope): Sum {
    const key = this.keyOf(line)
    const found = this.sums.get(key) ?? { fees: 0n, credits: 0n, feesSeen: 0n, creditsSeen: 0n }
    this.sums.set(key, found)
    return found
  }

  /** By the hour where all lines are of hours, else by the day, or the month. */
  private keyOf(line: CommitmentScope): string {
    const [, length] = spans.find(([ms]) => this.span <= ms)!
    return `${this.poolOf(line)}|${line.start.slice(0, length)}`
  }

  /**
   * The fees that may have paid: those of the same service, or of the same component and region; where there are none, a plan by spend
   * of Compute Engine covers other services too, and any fee for resources in the region may have.
   */
  private poolOf(line: CommitmentScope): string {
    const wider = { ...line, service: 'Compute Engine', component: '' }
    return [kindOf(line), kindOf(wider), kindOf({ ...wider, region: '' })].find((kind) => this.bought.has(kind)) ?? ''
  }
}

const computeUsed = ({ fees, credits }: Sum): bigint => (fees < credits ? fees : credits)

const units = (amount: string): bigint => toUnits(amount, moneyPlaces) ?? 0n

const kindOf = ({ billingAccount, kind, service, region, component }: CommitmentScope): string =>
  JSON.stringify(kind === 'dollar' ? [billingAccount, kind, service] : [billingAccount, kind, region, component])
