import { toUnits } from '#engine/value/decimal.ts'
import { Fault } from '#engine/value/fault.ts'
import type { Columns } from '#streams/billing/format/columns.ts'
import { literal } from '#streams/billing/format/literal.ts'

/** A credit of a row of a Google Cloud billing export. */
export interface Credit {
  amount: string | number
  type: string
  /** All that it is called. */
  name: string
}

/** @throws Fault `invalid` `credits_invalid`: without them nobody knows what the row costs */
export function creditsOf(row: Columns): Credit[] {
  const value = row['credits'] ?? []
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
