/** What the scope of a budget cost last month: said next to the amount, and offered as the amount until another is typed. */
import { useEffect, useRef } from 'preact/hooks'
import { addDays, firstOf, monthText, today } from '../../day.ts'
import { count, usd } from '../../figure.ts'
import { useReport } from '../../report.ts'
import { filterOf, type Scope } from './scopes.ts'

interface LastMonthProps {
  scope: Pick<Scope, 'kind' | 'id'>
  amount: string
  /** Undefined: the amount of a budget that exists is left alone. */
  onOffer: ((amount: string) => void) | undefined
}

/** Two digits, rounded up: 38,214.55 is 39,000. */
function roundUp(cost: number): number {
  const step = 10 ** Math.max(0, Math.floor(Math.log10(cost)) - 1)
  return Math.ceil(cost / step) * step
}

export function LastMonth({ scope, amount, onOffer }: LastMonthProps) {
  const to = addDays(firstOf(today()), -1)
  const filter = filterOf(scope)
  const { data } = useReport('GET /reports/receipt', {
    query: { from: firstOf(to), to, limit: 1, ...filter },
    when: filter !== undefined,
  })
  const cost = data && Number(data.totalUSD)
  const offered = useRef('')
  useEffect(() => {
    if (!cost || cost < 0 || (amount !== '' && amount !== offered.current)) return
    offered.current = count(roundUp(cost))
    onOffer?.(offered.current)
  }, [cost])
  if (cost === undefined) return null
  return (
    <>
      {monthText(to)}: <strong>{usd(cost)}</strong>.
    </>
  )
}
