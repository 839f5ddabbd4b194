/**
 * Distributes the cost of Google's committed use to the resources that used it. Exports have fees on separate lines,
 * and credits on the lines of use, but do not say which fee paid for which credit. So fees and credits of the same kind
 * are pooled per hour. Fees up to the amount of the credits are used, and are moved to the lines with credits; the rest
 * is unused and stays with the fees.
 */
import { moneyPlaces } from '#streams/billing/line/precision.ts'
import { plain, toUnits } from '#engine/value/decimal.ts'

/** A fee, or credited use: the properties that decide which of them belong together. */
export interface CommitmentScope {
  billingAccount: string
  /** Spend-based, or resource-based. */
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
  /** The subscription id if the bill has it, otherwise the SKU. */
  commitment: string
  /** Decimal text in the currency of the bill. */
  amount: string
}

export interface Use extends CommitmentScope {
  /** The amount of the credit, above 0. */
  amount: string
}

interface Sum {
  fees: bigint
  credits: bigint
  /** Amounts distributed so far, in the order of lines, so that the parts add up exactly. */
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
  /** Names of commitments, by pool. */
  private readonly names = new Map<string, Set<string>>()
  /**
   * The kinds of fees that exist, by billing account: by service for spend-based ones, by component and region for
   * resource-based ones.
   */
  private readonly bought = new Set<string>()
  /** Duration of the longest line, in milliseconds. */
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

  /** The share of the fees for a credited use, as decimal text. */
  ofUse(use: Use): string {
    const sum = this.sumOf(use)
    if (!sum || sum.credits <= 0n) return '0'
    const before = (computeUsed(sum) * sum.creditsSeen) / sum.credits
    sum.creditsSeen += units(use.amount)
    return plain((computeUsed(sum) * sum.creditsSeen) / sum.credits - before, moneyPlaces)
  }

  /** The unused share of a fee, as decimal text. */
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

  /** The commitment that paid for the use; undefined if there are several candidates or none. */
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

  /** Pools are per hour if all lines are at most an hour long, otherwise per day or month. */
  private keyOf(line: CommitmentScope): string {
    const [, length] = spans.find(([ms]) => this.span <= ms)!
    return `${this.poolOf(line)}|${line.start.slice(0, length)}`
  }

  /**
   * The pool of fees that may have paid for the line: those of the same service, or of the same component and region.
   * If there are none: spend-based fees of Compute Engine, which also cover other services, or all resource-based fees
   * of the region.
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
