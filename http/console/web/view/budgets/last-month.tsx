/** What the scope of a budget cost last month, beside the amount that is typed. */
import { addDays, firstOf, monthText, today } from '../../day.ts'
import { usd } from '../../figure.ts'
import { useReport } from '../../report.ts'
import { filterOf, type Scope } from './scopes.ts'

export function LastMonth({ scope }: { scope: Pick<Scope, 'kind' | 'id'> }) {
  const to = addDays(firstOf(today()), -1)
  const filter = filterOf(scope)
  const { data } = useReport('GET /reports/receipt', {
    query: { from: firstOf(to), to, limit: 1, ...filter },
    when: filter !== undefined,
  })
  if (!data) return null
  return (
    <>
      {monthText(to)}: <strong>{usd(Number(data.totalUSD))}</strong>.
    </>
  )
}
