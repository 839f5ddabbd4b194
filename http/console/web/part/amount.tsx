/** Money as it is shown everywhere: an amount opens the lines of bills that it is the sum of. */
import type { Query } from '../address.ts'
import { searchOf } from '../address.ts'
import { percentChange, usd, usdChange, usdShort } from '../figure.ts'
import { hrefOf, currentRoute, withParams } from '../router.ts'

/** Where the receipt of a figure is: beside the view, in its address. `of` are the parameters its report was asked with. */
export const receiptHref = (of: Query, shown?: number | string): string =>
  hrefOf(
    currentRoute.value.view,
    withParams({ receipt: searchOf({ ...of }).toString() || 'all', ...(shown !== undefined && { figure: shown }) }),
  )

export interface AmountProps {
  usd: number | string | null | undefined
  /** The parameters of its report, and filter[dimension] for the row it stands in; left out where there is no receipt. */
  receipt?: Query | undefined
  /** 1.2K instead of 1,234.00. */
  short?: boolean
  label?: string
}

export function Amount({ usd: value, receipt, short = false, label }: AmountProps) {
  if (value === null || value === undefined) return <span class="amount none">–</span>
  const text = short ? usdShort(value) : usd(value)
  if (!receipt) return <span class="amount">{text}</span>
  return (
    <a
      class="amount"
      href={receiptHref(receipt, value)}
      title="Show the billing lines behind this amount"
      aria-label={`${label ?? ''} ${text}: show receipt`.trim()}
    >
      {text}
    </a>
  )
}

export interface ChangeProps {
  usd: number | null | undefined
  percent?: number | null | undefined
  /** Said where there is nothing to compare with. */
  none?: string
}

/** How much more or less than before: told by sign and word, not by colour alone. */
export function Change({ usd: delta, percent, none = 'no comparison' }: ChangeProps) {
  if (delta === null || delta === undefined) return <span class="change none">{none}</span>
  const way = delta > 0 ? 'up' : delta < 0 ? 'down' : 'same'
  const arrow = { up: '▲', down: '▼', same: '=' }[way]
  return (
    <span class={`change ${way}`}>
      <span aria-hidden="true">{arrow} </span>
      {usdChange(delta)}
      {percent === null || percent === undefined ? (
        ''
      ) : (
        <>
          {' '}
          <span class="faint">({percentChange(percent)})</span>
        </>
      )}
    </span>
  )
}
