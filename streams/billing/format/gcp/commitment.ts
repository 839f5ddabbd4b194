/**
 * Committed use in Google Cloud billing exports, in all forms. For spend-based (`Commitment - dollar based v1`) and
 * resource-based commitments (`Commitment v1`), the fee is a separate line and covered use has a credit. Since 2025,
 * covered use has a lower price (`consumption_model`) and the fee has a credit for what was used
 * (`FEE_UTILIZATION_OFFSET`).
 */
import { moneyPlaces } from '#streams/billing/line/precision.ts'
import { plain, toUnits, sum } from '#engine/value/decimal.ts'
import { Fault } from '#engine/value/fault.ts'
import { textOf, type Columns } from '#streams/billing/format/columns.ts'
import type { CommitmentScope, CommitmentPool, Fee, Use } from './commitment-pool.ts'
import { utc } from '#streams/billing/line/cost-line.ts'
import type { LineDraft } from '#streams/billing/format/draft.ts'
import { creditsOf, type Credit } from './credit.ts'

type Line = LineDraft['line']

/** Adds a row's fees and credits to the pool. Unreadable rows are refused later. */
export function surveyCommitments(row: Columns, pool: CommitmentPool): void {
  if ((textOf(row, 'costtype') ?? 'regular').toLowerCase() !== 'regular') return
  const credits = creditsOf(row)
  const cost = textOf(row, 'cost') ?? ''
  if (toUnits(cost, 0) === undefined) return
  if (isFee(row, credits)) pool.addFee(feeOf(row, cost, credits))
  else if (credits.some(isCommitted)) pool.addUse(useOf(row, credits))
}

/** The line with its commitment data; two lines if a commitment covers a part of it. */
export function commitmentOf(row: Columns, credits: readonly Credit[], line: Line, pool: CommitmentPool): LineDraft {
  const { BilledCost: billed } = line
  if (billed === undefined || billed === null || toUnits(billed, 0) === undefined) return { line }
  if (line.ChargeCategory !== 'Usage') return { line }
  if (isFee(row, credits)) return { line: feeLine(row, credits, line, pool) }
  if (credits.some(isCommitted)) return splitByCredit(row, credits, line, pool)
  if (isPricedLower(row, line)) return { line: { ...line, ...usedBy(pool.commitmentOf(placeOf(row, 'dollar', ''))) } }
  return { line }
}

const isCommitted = ({ type, name }: Credit): boolean =>
  type.startsWith('COMMITTED_USAGE_DISCOUNT') || (type === '' && /^committed us(?:e|age) discount/i.test(name))

const isOffset = ({ type }: Credit): boolean => type === 'FEE_UTILIZATION_OFFSET'

const isFee = (row: Columns, credits: readonly Credit[]): boolean =>
  credits.some(isOffset) || /^commitment\b|\bCUD fee\b/i.test(textOf(row, 'skudescription') ?? '')

const components = [
  ['cpu', /\b(?:v?cpu|core)s?\b/i],
  ['ram', /\b(?:ram|memory)\b/i],
  ['gpu', /\b(?:gpu|nvidia|tpu)\b/i],
  ['ssd', /\bssd\b/i],
] as const

/** Searches `said` first, then the SKU's description. */
function placeOf(row: Columns, kind: CommitmentScope['kind'], said: string): CommitmentScope {
  const names = [said, textOf(row, 'skudescription') ?? '']
  const found = names.map((name) => components.find(([, expression]) => expression.test(name))?.[0]).find(Boolean)
  const start = timeOf(textOf(row, 'usagestarttime'))
  return {
    billingAccount: textOf(row, 'billingaccountid') ?? '',
    kind,
    service: textOf(row, 'servicedescription', 'serviceid') ?? '',
    region: textOf(row, 'locationregion', 'locationlocation') ?? '',
    component: found ?? '',
    start,
    end: endOf(textOf(row, 'usageendtime')) ?? start,
  }
}

const timeOf = (value: string | undefined): string => (value === undefined ? '' : `${utc(value, 'usage_start_time')}Z`)

/** If the end is missing or unreadable, the line counts for its start, so its hour is known. */
function endOf(value: string | undefined): string | undefined {
  try {
    return timeOf(value) || undefined
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    return undefined
  }
}

function feeOf(row: Columns, cost: string, credits: readonly Credit[]): Fee {
  const sku = textOf(row, 'skudescription') ?? ''
  const byResource = /^commitment v\d/i.test(sku)
  return {
    ...placeOf(row, byResource ? 'resource' : 'dollar', ''),
    commitment: textOf(row, 'subscriptioninstanceid') ?? (sku || (textOf(row, 'skuid') ?? '')),
    // Used fees with an offset are already in the price of the use.
    amount: credits.some(isOffset) ? '0' : sum([cost, ...credits.map(({ amount }) => amount)]),
  }
}

function useOf(row: Columns, credits: readonly Credit[]): Use {
  const own = credits.filter(isCommitted)
  const isDollar = own.some(({ type, name }) => type.endsWith('DOLLAR_BASE') || /dollar|spend/i.test(name))
  return {
    ...placeOf(row, isDollar ? 'dollar' : 'resource', own.map(({ name }) => name).join(' ')),
    amount: negate(sum(own.map(({ amount }) => amount))),
  }
}

const negate = (amount: string): string =>
  amount.startsWith('-') ? amount.slice(1) : amount === '0' ? '0' : `-${amount}`

/** A fee is a purchase. Its effective cost is its unused part. */
function feeLine(row: Columns, credits: readonly Credit[], line: Line, pool: CommitmentPool): Line {
  const fee = feeOf(row, textOf(row, 'cost') ?? '0', credits)
  return {
    ...line,
    EffectiveCost: credits.some(isOffset) ? line.BilledCost! : pool.unused(fee),
    purchaseType: 'reserved',
    ChargeCategory: 'Purchase',
    ChargeFrequency: 'Recurring',
    ...namesOf(fee.commitment, fee.kind),
  }
}

const namesOf = (id: string, kind: CommitmentScope['kind']) => ({
  CommitmentDiscountId: id,
  CommitmentDiscountType: kind === 'dollar' ? 'Spend-based committed use' : 'Resource-based committed use',
  CommitmentDiscountCategory: kind === 'dollar' ? 'Spend' : 'Usage',
})

/** Marks use as covered by a commitment. The commitment's name is left out if there are several candidates. */
const usedBy = (commitment: string | undefined, kind: CommitmentScope['kind'] = 'dollar') => ({
  purchaseType: 'reserved' as const,
  PricingCategory: 'Committed',
  ...(commitment !== undefined && { ...namesOf(commitment, kind), CommitmentDiscountStatus: 'Used' }),
})

/** Use with another consumption model than the default, or below the default price. */
function isPricedLower(row: Columns, { BilledCost: billed, ContractedCost: contracted }: Line): boolean {
  const model = textOf(row, 'consumptionmodeldescription')
  if (model !== undefined) return !/^default\b/i.test(model.trim())
  const [cost, price] = [billed, contracted].map((amount) => (amount ?? undefined) && toUnits(amount!, moneyPlaces))
  return typeof cost === 'bigint' && typeof price === 'bigint' && cost > 0n && cost < price
}

const quantities = ['ConsumedQuantity', 'PricingQuantity'] as const

/**
 * The part of a use that is covered by a credit costs its share of the fees; the rest, if any, is an on-demand line.
 * Costs and quantities of both add up to the row's.
 */
function splitByCredit(row: Columns, credits: readonly Credit[], line: Line, pool: CommitmentPool): LineDraft {
  const use = useOf(row, credits)
  // If the fee is in another project's bill, only the credit is known.
  if (!pool.hasFee(use)) return { line: { ...line, purchaseType: 'reserved' } }
  const part = { ...line, ...usedBy(pool.commitmentOf(use), use.kind), EffectiveCost: pool.ofUse(use) }
  const [credit, gross] = [use.amount, sum([line.BilledCost!, use.amount])].map((amount) =>
    toUnits(amount, moneyPlaces)!,
  )
  if (credit! >= gross! || credit! <= 0n)
    return {
      line: {
        ...part,
        EffectiveCost: sum([line.BilledCost!, part.EffectiveCost]),
        ContractedCost: line.ContractedCost ?? plain(gross!, moneyPlaces),
      },
    }
  const share = (amount: bigint): bigint => (amount * credit!) / gross!
  const rest: Line = { ...line, ContractedCost: line.BilledCost! }
  part.BilledCost = '0'
  part.ContractedCost = use.amount
  const list = toUnits(line.ListCost ?? plain(gross!, moneyPlaces), moneyPlaces)
  if (list !== undefined) [part.ListCost, rest.ListCost] = parts(list, share)
  for (const name of quantities) {
    const quantity = line[name] === undefined || line[name] === null ? undefined : toUnits(line[name], moneyPlaces)
    if (quantity !== undefined) [part[name], rest[name]] = parts(quantity, share)
  }
  return { line: rest, also: [part] }
}

function parts(amount: bigint, share: (amount: bigint) => bigint): [string, string] {
  const own = share(amount)
  return [plain(own, moneyPlaces), plain(amount - own, moneyPlaces)]
}
