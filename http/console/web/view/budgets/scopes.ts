/** Teams and groups by name and id: what a budget is for. The first hundred of each. */
import { useReport } from '../../report.ts'

export function useScopes() {
  const teams = useReport('GET /teams', { query: { limit: 100 } })
  const groups = useReport('GET /resource-groups', { query: { limit: 100 } })
  return {
    teams: teams.data?.items ?? [],
    groups: groups.data?.items ?? [],
    isThere: (teams.data ?? teams.problem) !== undefined && (groups.data ?? groups.problem) !== undefined,
  }
}
export type Scopes = ReturnType<typeof useScopes>
