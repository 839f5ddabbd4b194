import { useReport } from '../report.ts'
import { may } from '../session.ts'

/** The name of an account by its id; the id for those who may not see accounts. */
export function useAccountName(): (id: string) => string {
  const { data } = useReport('GET /cloud-accounts', { query: { limit: 100 }, when: may('space.view') })
  return (id) => data?.items.find((one) => one.id === id)?.name ?? id
}
