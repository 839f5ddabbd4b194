/**
 * AWS split cost allocation data. A row of a pod or task states the cost of what it used of its machine and its share
 * of the unused rest; usually it is billed nothing itself. The row gets that cost, and a second line takes it from the
 * machine, so that sums do not change.
 */
import { moneyPlaces } from '#streams/billing/line/precision.ts'
import { plain, toUnits } from '#engine/value/decimal.ts'
import { amountOf, textOf, type Columns } from '#streams/billing/format/columns.ts'
import type { LineDraft } from '#streams/billing/format/draft.ts'
import type { Warn } from '#streams/billing/format/literal.ts'

type Line = LineDraft['line']

/** The cost of what the row used plus its share of the rest, times 10^14; undefined if it has neither. */
function partOf(row: Columns, kind: string, warn: Warn): bigint | undefined {
  const units = [`splitlineitem${kind}splitcost`, `splitlineitem${kind}unusedcost`].map((name) => {
    const amount = amountOf(row, name)
    const found = amount === undefined ? undefined : toUnits(amount, moneyPlaces)
    if (amount !== undefined && found === undefined)
      warn('cell_left_out', `${name} must be a decimal number below 1e18. The line was imported without it.`)
    return found
  })
  if (units.every((amount) => amount === undefined)) return undefined
  return (units[0] ?? 0n) + (units[1] ?? 0n)
}

export function split(row: Columns, line: Line, warn: Warn): LineDraft {
  const parent = textOf(row, 'splitlineitemparentresourceid')
  const billed = partOf(row, '', warn)
  if (parent === undefined || billed === undefined || billed === 0n) return { line }
  const effective = partOf(row, 'net', warn) ?? billed
  const list = partOf(row, 'publicondemand', warn) ?? billed
  const costs = (sign: bigint): Partial<Line> => ({
    BilledCost: plain(sign * billed, moneyPlaces),
    EffectiveCost: plain(sign * effective, moneyPlaces),
    ContractedCost: plain(sign * effective, moneyPlaces),
    ListCost: plain(sign * list, moneyPlaces),
  })
  const { Tags: _tags, ResourceName: _name, ...place } = line
  const taken = {
    ...place,
    ...costs(-1n),
    ResourceId: parent,
    ChargeDescription: `Split to ${line.ResourceId ?? 'its pods and tasks'}`,
    ConsumedQuantity: '0',
    PricingQuantity: '0',
  }
  const part = { ...line, ...costs(1n) }
  const own = [line.BilledCost, line.EffectiveCost, line.ContractedCost]
  const costsNothing = own.every((cost) => toUnits(cost ?? 0, moneyPlaces) === 0n)
  return costsNothing ? { line: part, also: [taken] } : { line, also: [part, taken] }
}
