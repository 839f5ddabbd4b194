/** Commands to try on the demo organization. They run in a shell after `exportLines`. */
import { dayMs, dayOf } from '#engine/value/day.ts'

export interface TourAccess {
  url: string | undefined
  /** Address of ClickHouse for analysts; undefined if it is not served. */
  analysts: string | undefined
  token: string | undefined
  orgId: string | undefined
  analystToken: string | undefined
}

export interface TourStep {
  title: string
  commands: readonly string[]
}

/**
 * Environment variables for the commands in the README and the tour. The values are tokens, ids and addresses, which
 * need no quotes.
 */
export function exportLines({ url, analysts, token, orgId, analystToken }: TourAccess): string[] {
  const values = { URL: url, TOKEN: token, ORG: orgId, CLICKHOUSE: analysts, ANALYST: analystToken }
  return Object.entries(values).flatMap(([name, value]) => (value === undefined ? [] : [`export ${name}=${value}`]))
}

export const analystExample = `curl -s -u "analyst:$ANALYST" "$CLICKHOUSE" -d 'SELECT provider, sum(billed_cost) FROM cost_service_daily GROUP BY provider'`

const get = (path: string): string => `curl -s -H "Authorization: Bearer $TOKEN" "$URL${path}"`
/** `-g` keeps curl from interpreting the square brackets. */
const getExactly = (path: string): string => get(path).replace('-s', '-gs')

/** Calls one of the agents' tools. */
const asAgent = [
  `curl -s -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json'`,
  `-H 'Accept: application/json, text/event-stream' "$URL/mcp"`,
  `-d '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_cost_drivers","arguments":{}}}'`,
].join(' ')

/** @param now UTC milliseconds; the anomalies of the 30 days before are listed */
export function tourSteps(now: number): TourStep[] {
  const days = `from=${dayOf(now - 30 * dayMs)}&to=${dayOf(now - dayMs)}`
  return [
    {
      title: 'Costs',
      commands: [
        get('/reports/summary'),
        get('/reports/trends'),
        get('/reports/costs/breakdown?group_by=provider,service_name'),
        getExactly('/reports/receipt?filter[service_name]=Tax&limit=5'),
      ],
    },
    {
      title: 'Teams, tags and clusters',
      commands: [
        get('/reports/teams'),
        get('/autotagging?status=pending'),
        get('/smart-tags?status=pending'),
        get('/reports/kubernetes'),
      ],
    },
    {
      title: 'Anomalies, savings and commitments',
      commands: [
        get(`/reports/anomalies?${days}`),
        get('/recommendations?size=5'),
        get('/recommendations/summary'),
        get('/reports/savings?group_by=rule'),
        get('/reports/commitments'),
        'npm run -s tidemark -- recommendations list --org $ORG',
      ],
    },
    {
      title: 'Actions, schedules and approvals',
      commands: [get('/state-history'), get('/schedules'), get('/workflows/pending-approval'), get('/deployments')],
    },
    {
      title: 'Notifications, agents (MCP) and SQL',
      commands: [
        get('/notifications/deliveries'),
        'npm run -s tidemark -- notification deliveries --org $ORG',
        asAgent,
        analystExample,
      ],
    },
    { title: 'Live events, until Ctrl-C', commands: [get('/events/stream').replace('-s', '-sN')] },
  ]
}
