/** Currencies by their ISO 4217 code, as requests name them. */
import { badInput, type InputError } from '#http/edge/problem.ts'

const known: ReadonlySet<string> = new Set(Intl.supportedValuesOf('currency'))

/** The code in capitals. @throws Fault `invalid` for what is no currency, and for US dollars, which need no rate */
export function checkCurrency(code: string, at: Pick<InputError, 'in' | 'name'>): string {
  const currency = code.toUpperCase()
  if (currency !== 'USD' && known.has(currency)) return currency
  const message =
    currency === 'USD' ? 'must be another currency than USD' : `is not an ISO 4217 code such as EUR: "${code}"`
  throw badInput({ ...at, code: 'currency', message })
}
