import { toUnits } from '#engine/value/decimal.ts'
import { Fault } from '#engine/value/fault.ts'
import type { Columns } from '#streams/billing/format/columns.ts'
import { moneyPlaces } from '#streams/billing/line/precision.ts'
import { literal } from '#streams/billing/format/literal.ts'

/** A credit of a row of a Google Cloud billing export. */
export interface Credit {
  amount: string | number
  type: string
  /** Name, full name and id, joined. */
  name: string
}

/** @throws Fault `invalid` `credits_invalid`: without the credits the cost of the row is unknown */
export function creditsOf(row: Columns): Credit[] {
  const value = row['credits'] ?? flattened(row)
  const list = typeof value === 'string' ? literal(value) : value
  if (!Array.isArray(list)) throw Fault.invalid('credits_invalid', 'credits must be a list.')
  return list.map((entry: unknown) => {
    const { amount, type, name, full_name, id } = (entry ?? {}) as Record<string, unknown>
    const number = amount ?? 0
    if ((typeof number !== 'number' && typeof number !== 'string') || toUnits(number, 0) === undefined) {
      throw Fault.invalid('credits_invalid', 'A credit has no numeric amount.')
    }
    const said = [name, full_name, id].filter((one) => typeof one === 'string').join(' ')
    return { amount: number, type: typeof type === 'string' ? type : '', name: said }
  })
}

/**
 * Reads credits from flattened columns: `credits.0.amount` is the first. A column without a number means that the query
 * made a row for each credit and repeated the cost.
 * @throws Fault `invalid` `credits_invalid`
 */
function flattened(row: Columns): object[] {
  const found: object[] = []
  for (const name in row) {
    const [, number] = /^credits?(\d*)amount$/.exec(name) ?? []
    if (number === undefined) continue
    const amount = row[name] as string | number
    if (number === '' && toUnits(amount, moneyPlaces) !== 0n)
      throw Fault.invalid(
        'credits_invalid',
        'Each credit is in a row of its own, which repeats the cost. Export the credits of a row as a list, by TO_JSON_STRING(credits).',
      )
    const [type, called] = ['type', 'name'].map((part) => row[`credits${number}${part}`])
    found.push({ amount, type, name: called })
  }
  return found
}
