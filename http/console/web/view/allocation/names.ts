/** Names of teams and accounts, by their ids: the first hundred of each. */
import { useReport } from '../../report.ts'

export function useNames() {
  const teams = useReport('GET /teams', { query: { limit: 100 } })
  const accounts = useReport('GET /cloud-accounts', { query: { limit: 100 } })
  const named = [...(teams.data?.items ?? []), ...(accounts.data?.items ?? [])].map(
    ({ id, name }) => [id, name] as const,
  )
  return {
    teams: teams.data?.items ?? [],
    accounts: accounts.data?.items ?? [],
    names: new Map(named),
    isThere: teams.data !== undefined,
  }
}

export type Names = ReturnType<typeof useNames>
