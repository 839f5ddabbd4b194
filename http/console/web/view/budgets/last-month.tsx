/** What the scope of a budget cost last month, beside the amount that is typed. */
import { addDays, firstOf, monthText, today } from '../../day.ts'
import { usd } from '../../figure.ts'
import { useReport } from '../../report.ts'
import type { Scopes } from './scopes.ts'

interface LastMonthProps {
  draft: { kind: string; teamName: string; resourceGroupID: string }
  scopes: Scopes
}

export function LastMonth({ draft: { kind, teamName, resourceGroupID }, scopes: { teams } }: LastMonthProps) {
  const to = addDays(firstOf(today()), -1)
  const name = teamName.trim().toLowerCase()
  const team = kind === 'team' ? teams.find((one) => one.name.toLowerCase() === name) : undefined
  const scope = kind === 'group' ? { resource_group_id: resourceGroupID } : { team_id: team?.id }
  const { data } = useReport('GET /reports/costs/series', {
    query: { from: firstOf(to), to, granularity: 'monthly', ...scope },
    when: kind === 'group' ? resourceGroupID !== '' : team !== undefined,
  })
  if (!data) return null
  return (
    <>
      {monthText(to)}: <strong>{usd(data.total.costUSD)}</strong>.
    </>
  )
}
