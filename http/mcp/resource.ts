/** What an agent can read without a question: the answers of tools that need no arguments. */
import type { Tool } from './tool.ts'

const readable: Readonly<Record<string, string>> = {
  get_cost_summary: 'cost-summary',
  get_savings: 'savings',
  list_anomalies: 'anomalies',
  list_budgets: 'budgets',
  list_teams: 'teams',
  list_cloud_accounts: 'cloud-accounts',
}

const scheme = 'tidemark://'
const media = 'application/json'

export const resourcesOf = (tools: ReadonlyMap<string, Tool>) =>
  Object.entries(readable).flatMap(([tool, name]) => {
    const title = tools.get(tool)?.route.summary
    return title === undefined ? [] : [{ uri: scheme + name, name, title, mimeType: media }]
  })

/** The tool whose answer is the resource; undefined if there is none of this address. */
export function toolOfResource(uri: string, tools: ReadonlyMap<string, Tool>): Tool | undefined {
  const [name] = Object.entries(readable).find(([, one]) => scheme + one === uri) ?? []
  return name === undefined ? undefined : tools.get(name)
}
