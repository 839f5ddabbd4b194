/** The rules of a domain, all of them: an organization has at most 200 of each, which are two pages. */
import { ask, type Reply } from '../../api.ts'
import type { Problem } from '../../problem.ts'
import { useReport, type Report } from '../../report.ts'

type Page = Reply<'GET /policies'>
export type Policy = Page['items'][number]
export type Domain = 'allocation' | 'shared-cost' | 'tagging'

const pageSize = 100

/** One of them as it is at this moment. */
export async function policyNow({ domain, id }: Pick<Policy, 'domain' | 'id'>): Promise<Policy | undefined> {
  for (let page = 1; ; page++) {
    const { data } = await ask('GET /policies', { query: { domain, limit: pageSize, page } })
    const found = data.items.find((one) => one.id === id)
    if (found || data.items.length < pageSize) return found
  }
}

export interface Policies {
  /** The oldest first. */
  items: Policy[] | undefined
  problem: Problem | undefined
  report: Report<Page>
  again: () => void
}

export function usePolicies(domain: Domain): Policies {
  const report = useReport('GET /policies', { query: { domain, limit: pageSize } })
  const total = report.data?.total ?? 0
  const rest = useReport('GET /policies', { query: { domain, limit: pageSize, page: 2 }, when: total > pageSize })
  const isWhole = report.data !== undefined && (total <= pageSize || rest.data !== undefined)
  const again = () => {
    report.again()
    if (total > pageSize) rest.again()
  }
  const items = isWhole ? [...report.data!.items, ...(total > pageSize ? (rest.data?.items ?? []) : [])] : undefined
  return { items, problem: report.problem ?? rest.problem, report, again }
}
