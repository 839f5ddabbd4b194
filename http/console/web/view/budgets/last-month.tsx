/** What the scope of a budget cost last month, beside the amount that is typed. */
import { addDays, firstOf, monthText, today } from '../../day.ts'
import { usd } from '../../figure.ts'
import { useReport } from '../../report.ts'
import type { Scopes } from './scopes.ts'

export interface ScopeDraft {
  kind: string
  teamName: string
  resourceGroupID: string
}

/** Of the team or group that is chosen; undefined while there is none. */
export function idOfScope({ kind, teamName, resourceGroupID }: ScopeDraft, { teams }: Scopes): string | undefined {
  if (kind === 'group') return resourceGroupID || undefined
  const name = teamName.trim().toLowerCase()
  return teams.find((one) => one.name.toLowerCase() === name)?.id
}

export function LastMonth({ draft, scopes }: { draft: ScopeDraft; scopes: Scopes }) {
  const to = addDays(firstOf(today()), -1)
  const id = idOfScope(draft, scopes)
  const { data } = useReport('GET /reports/costs/series', {
    query: {
      from: firstOf(to),
      to,
      granularity: 'monthly',
      [draft.kind === 'group' ? 'resource_group_id' : 'team_id']: id,
    },
    when: id !== undefined,
  })
  if (!data) return null
  return (
    <>
      {monthText(to)}: <strong>{usd(data.total.costUSD)}</strong>.
    </>
  )
}
