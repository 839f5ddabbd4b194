/** Monthly cost of the resources of a plan, before it is applied and after. */
import type { References } from '#actors/recommendation/rule/contract.ts'
import { plainOf } from '#streams/figure.ts'
import { monthHours } from '#actors/catalog/config/estimate.ts'
import { kindOf } from './kind.ts'
import { reasons, type ChargedPart, type PartsOf, type Reason } from './part.ts'
import type { TerraformAction, TerraformPlan, PlannedResource } from './plan.ts'
import type { TemplateReference } from './template.ts'
import type { Provider } from '#streams/names.ts'

/** US dollars a month, exact, in plain notation. */
interface Amounts {
  before: string
  after: string
  difference: string
}

export interface CostPart extends Amounts {
  name: string
  /** Empty if the resource does not exist, or its size is sensitive. */
  sizeBefore: string
  sizeAfter: string
  /** The region whose prices were used, if the tables have none for the resource's own. */
  priceOf?: string
}

export interface CostRow extends Amounts {
  address: string
  type: string
  action: TerraformAction
  region: string
  parts: CostPart[]
  /** Whether some of its parts have no price and are missing in its amounts. */
  isPartial: boolean
}

/** Not part of any amount, before or after. */
export interface NotPriced {
  address: string
  type: string
  action: TerraformAction | 'deferred'
  /** Name of the part; undefined: the whole resource. */
  part?: string
  reason: Reason
  why: string
  /** Its size is that of a machine's image, which no plan shows. */
  isOfImage?: boolean
  /** The size, if known. */
  size?: string
  /** The cost of one side, if only the other has no price. */
  before?: string
  after?: string
}

export interface PlanCost extends Amounts {
  currency: 'USD'
  hoursPerMonth: number
  /** Version of the price tables. */
  tables: string
  /**
   * Whether the amounts are those of everything the plan changes: false if it has `unknown` ones, was limited to some
   * resources, or leaves changes for the next plan. What is billed by usage has no amount here in either case.
   */
  isComplete: boolean
  /** Whether the plan was not limited to some resources and leaves no changes for the next plan. */
  isWholePlan: boolean
  /** Addresses of what it creates, replaces, puts off or gives another size, and the tables have no price of. */
  unknown: string[]
  resources: CostRow[]
  notPriced: NotPriced[]
}

export function planCost(plan: TerraformPlan, tables: References): PlanCost {
  const resources: CostRow[] = []
  const notPriced: NotPriced[] = plan.deferred.map(({ address, type }) => ({
    address,
    type,
    action: 'deferred',
    reason: 'size_unknown',
    why: 'Terraform deferred it to a later plan',
  }))
  const total = { before: 0n, after: 0n }
  for (const resource of plan.resources) {
    const costs = costsOf(resource, tables)
    notPriced.push(...costs.notPriced)
    if (!costs.row) continue
    resources.push(costs.row)
    total.before += costs.before
    total.after += costs.after
  }
  const unknown = [...new Set(notPriced.filter(isUnknown).map(({ address }) => address))]
  return {
    currency: 'USD',
    hoursPerMonth: monthHours,
    tables: tables.version,
    isComplete: plan.isComplete && unknown.length === 0,
    isWholePlan: plan.isComplete,
    unknown,
    ...amounts(total),
    resources,
    notPriced,
  }
}

/**
 * An update of something the tables do not have says nothing of its cost; a size that is not known yet does. Neither
 * what is billed by usage nor the disk of an image can be known from any plan.
 */
function isUnknown({ action, reason, isOfImage }: NotPriced): boolean {
  if (isOfImage || reason === 'usage' || reason === 'free') return false
  return action === 'update' ? reason !== 'not_priced' : ['create', 'replace', 'deferred'].includes(action)
}

const amounts = ({ before, after }: { before: bigint; after: bigint }): Amounts => ({
  before: plainOf(before),
  after: plainOf(after),
  difference: plainOf(after - before),
})

interface Costs {
  row?: CostRow
  before: bigint
  after: bigint
  notPriced: NotPriced[]
}

function costsOf(resource: PlannedResource, tables: References): Costs {
  const { address, type, action, before, after, regionOf } = resource
  const said = { address, type, action }
  const nothing = { before: 0n, after: 0n }
  const kind = kindOf(type)
  if (!('partsOf' in kind)) return { ...nothing, notPriced: [{ ...said, reason: kind.reason, why: kind.why }] }
  const sides = { before: partsOf(kind, resource, 'before', tables), after: partsOf(kind, resource, 'after', tables) }
  const region = (after && regionOf(after)) ?? (before && regionOf(before))
  // A side without a region has no parts; the parts of the other side would look created or deleted.
  if (sides.before === 'region_unknown' || sides.after === 'region_unknown' || region === undefined)
    return { ...nothing, notPriced: [{ ...said, reason: 'region_unknown', why: reasons.region_unknown }] }
  const { parts, notPriced, ...sum } = compareParts(sides.before, sides.after, said)
  if (parts.length === 0) return { ...nothing, notPriced }
  const isPartial = notPriced.some(({ reason }) => reason !== 'free')
  return { ...sum, row: { ...said, region, ...amounts(sum), parts, isPartial }, notPriced }
}

function partsOf(
  { provider, partsOf: of }: { provider: Provider; partsOf: PartsOf },
  { regionOf, templates, ...sides }: PlannedResource,
  side: 'before' | 'after',
  tables: References,
): ReadonlyMap<string, ChargedPart> | 'region_unknown' {
  const values = sides[side]
  if (!values) return new Map()
  const region = regionOf(values)
  const template = (reference: TemplateReference) => templates(side, values, reference)
  return region === undefined ? 'region_unknown' : byName(of({ values, region, provider, tables, template }))
}

/** One part for each name. Several with one name are summed; if one of them has no price, neither has the sum. */
function byName(parts: readonly ChargedPart[]): Map<string, ChargedPart> {
  const found = new Map<string, ChargedPart>()
  for (const part of parts) {
    const other = found.get(part.name)
    found.set(part.name, other ? joinParts(other, part) : part)
  }
  return found
}

function joinParts(a: ChargedPart, b: ChargedPart): ChargedPart {
  if (a.usd === undefined) return a
  if (b.usd === undefined) return b
  const size = [a.size, b.size].filter((one) => one !== '').join(', ')
  return { ...a, ...b, size, usd: a.usd + b.usd }
}

type CostRowKey = Pick<CostRow, 'address' | 'type' | 'action'>
type Parts = ReadonlyMap<string, ChargedPart>

/**
 * A part without a price on one side is left out on both: otherwise the cost of the other side would look like a saving
 * or an expense.
 */
function compareParts(before: Parts, after: Parts, said: CostRowKey) {
  const found = { parts: [] as CostPart[], notPriced: [] as NotPriced[], before: 0n, after: 0n }
  for (const name of new Set([...before.keys(), ...after.keys()])) {
    const was = dropDoubtful(before.get(name), after.get(name))
    const is = dropDoubtful(after.get(name), before.get(name))
    const lacking = lackingOf(was, is)
    if (lacking) found.notPriced.push({ ...said, ...notPricedOf(lacking, was, is) })
    const isLeftOut = lacking !== undefined && lacking.reason !== 'free'
    if (isLeftOut || [was, is].every((part) => part?.usd === undefined)) continue
    const sum = { before: usdOf(was), after: usdOf(is) }
    found.before += sum.before
    found.after += sum.after
    found.parts.push({ ...toPartSizes(name, was, is), ...amounts(sum) })
  }
  return found
}

const usdOf = (part: ChargedPart | undefined): bigint => part?.usd ?? 0n

function toPartSizes(name: string, was: ChargedPart | undefined, is: ChargedPart | undefined) {
  const priceOf = is?.priceOf ?? was?.priceOf
  return { name, sizeBefore: was?.size ?? '', sizeAfter: is?.size ?? '', ...(priceOf && { priceOf }) }
}

const dropDoubtful = (part: ChargedPart | undefined, other: ChargedPart | undefined): ChargedPart | undefined =>
  part?.isDoubtful && (!other || other.isDoubtful) ? undefined : part

/** The side without a price; a price that is unknown is preferred to a part that does not exist. */
function lackingOf(was: ChargedPart | undefined, is: ChargedPart | undefined): ChargedPart | undefined {
  const lacking = [is, was].flatMap((part) => (part && part.usd === undefined ? [part] : []))
  return lacking.find(({ reason }) => reason !== 'free') ?? lacking[0]
}

function notPricedOf(lacking: ChargedPart, was: ChargedPart | undefined, is: ChargedPart | undefined) {
  const { name: part, reason = 'not_priced', size, isOfImage } = lacking
  const isLeftOut = reason !== 'free'
  return {
    part,
    reason,
    why: lacking.why ?? reasons[reason],
    ...(isOfImage && { isOfImage }),
    ...(size !== '' && { size }),
    ...(isLeftOut && was?.usd !== undefined && { before: plainOf(was.usd) }),
    ...(isLeftOut && is?.usd !== undefined && { after: plainOf(is.usd) }),
  }
}
